"""The events of departures, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from event_store import Entry
from zimcore.documents.listings import PositionNote
from zimcore.features.departures.documents import Departure, Taker
from zimcore.game import Departing, Event, Recording, Seat, UnknownError
from zimcore.service.records.folds import RecordedEvent, Share


class PlayerLeft(Event, frozen=True, tag="player_left.1"):
    """A player has left a seat after the commit `head` (empty before the deal); `name` is theirs, if known.

    `taker` says who plays on there. `winner` is the seat that has won, as the only one whose player has not left.
    """

    seat: Seat
    how: Departing
    name: str = ""
    taker: Taker = "player"
    winner: Seat = ""
    head: bytes = b""


class PlayerReturned(Event, frozen=True, tag="player_returned.1"):
    """A seat whose player had left was given back to people, and a match that had ended by it goes on."""

    seat: Seat


HOW = {
    "left": "has left",
    "resigned": "has resigned",
    "replaced": "was replaced",
    "kicked_out": "was kicked out",
}
"""How a player has left, in words."""
TAKERS = {"program": "a program plays {0}", "player": "", "idle": "a program passes and does nothing for {0}"}
"""Who plays on, in words."""


def departure_text(departure: Departure) -> str:
    """A departure in a sentence.

    >>> from datetime import UTC, datetime
    >>> departure_text(Departure(1, "ann", datetime.now(UTC), "zulu", "resigned", "ann", "program", "lozi"))
    'ann (zulu) has resigned: a program plays zulu; lozi has won, as the only one left'
    """
    seat = departure.seat
    who = f"{departure.name} ({seat})" if departure.name not in ("", seat) else seat
    taker = TAKERS[departure.taker].format(seat)
    won = f"; {departure.winner} has won, as the only one left" if departure.winner else ""
    back = f"; {seat} was given back" if departure.back else ""
    return f"{who} {HOW[departure.how]}{': ' * bool(taker)}{taker}{won}{back}"


class Departures(Share, msgspec.Struct, eq=False):
    """All departures, first to last."""

    event_types = (PlayerLeft, PlayerReturned)
    all: list[Departure] = []

    def open_at(self, seat: Seat) -> Departure | None:
        """The departure from a seat that was not given back; None if there is none."""
        last = next((each for each in reversed(self.all) if each.seat == seat), None)
        return last if last and not last.back else None

    @property
    def gone(self) -> frozenset[Seat]:
        """The seats whose players have left for good: for others a new player may sit down."""
        return frozenset(each.seat for each in self.all if not each.back and each.how in ("resigned", "kicked_out"))

    def check_follows(self, event: PlayerLeft | PlayerReturned) -> None:
        """Raises `UnknownError` for a seat that is given back though nobody has left it."""
        if isinstance(event, PlayerReturned) and not self.open_at(event.seat):
            raise UnknownError(f"nobody has left {event.seat}")

    def apply(self, event: PlayerLeft | PlayerReturned, entry: Entry) -> None:
        """Adds a departure, or ends one."""
        seal = entry.seal
        match event:
            case PlayerReturned(seat=seat):
                self.all = [
                    msgspec.structs.replace(each, back=seal.at) if each is self.open_at(seat) else each
                    for each in self.all
                ]
            case PlayerLeft(seat=seat, how=how, name=name, taker=taker, winner=winner, head=head):
                departure = Departure(
                    entry.revision, seal.by, seal.at, seat, how, name, taker, winner, head.hex()
                )  # fmt: skip
                self.all = [*self.all, departure]

    def notes(self) -> Iterator[PositionNote]:
        """Each departure, at the position where it was."""
        for each in self.all:
            yield PositionNote(each.about, departure_text(each))

    @classmethod
    def recorded(cls, recording: Recording, heads: Mapping[int, bytes]) -> Iterator[RecordedEvent]:
        """The departures of a recorded match; `heads` has the commit before each of its entries."""
        for each in recording.leavers:
            is_replaced = each.how == "replaced"
            name = "" if is_replaced else recording.players.get(each.seat, "")
            taker: Taker = "player" if is_replaced else "idle"
            event = PlayerLeft(each.seat, each.how, name, taker, each.winner, heads[each.entry])
            yield RecordedEvent(each.seat, each.at, event)


SHARE = Departures
