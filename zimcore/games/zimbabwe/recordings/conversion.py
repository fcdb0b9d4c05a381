"""Converts a saved game into commands, and plays them meanwhile: an entry is not a command, nor the other way round.

A turn's end has no entry; a new technology's price follows as an entry of its own; the Rain Ceremony and the Shaman may
be used long after they were hired; programs pass where the rules do. So the position decides what an entry means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from zimcore.game import (
    Accepted,
    GameError,
    NotationError,
    RecordedLeaver,
    RecordedMove,
    Refusal,
    Refused,
    Seat,
    StoppedAt,
)
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    EndTurn,
    Give,
    Good,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    Ritual,
    SetPrices,
    Start,
    Supply,
    Use,
)
from zimcore.games.zimbabwe.components import COMPONENTS
from zimcore.games.zimbabwe.recordings.entries import (
    CRAFTSMEN,
    FIRST_RESOURCE,
    RESOURCES,
    SPECIALISTS,
    Kind,
    god_name,
    name_of,
    numbers_of,
    read_data,
    rectangle_at,
    square_at,
)
from zimcore.games.zimbabwe.recordings.saved_games import Entry, SavedGame
from zimcore.games.zimbabwe.rules import decide
from zimcore.games.zimbabwe.state import State

ORGANISER = "TGZtourneyAdmin"
"""The name of a player who was replaced by an organiser."""
TURN_KINDS = range(Kind.GOD, Kind.REVENUES)
"""The kinds of entries that a player makes in their turn."""
MAIN_ACTIONS = (Kind.BUILD, Kind.RAISE, Kind.CRAFTSMAN)
USES = {Kind.WATER: "rain_ceremony", Kind.RESOURCE: "shaman"}
"""The specialists that are used after they were hired, and paid when hired."""
LATER_USES = {specialist: kind for kind, specialist in USES.items()}

MAX_SECONDS = 10**9
"""The longest time in a game, in seconds: 30 years."""


def time_of(milliseconds: int) -> datetime | None:
    """A time of the site; None for 0, and for one after the year 3000."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if 0 < milliseconds < 32 * 10**12 else None


class IllegalError(GameError):
    """Raised for an entry that the rules forbid here."""

    def __init__(self, text: str, refusals: Sequence[Refusal], hints: Sequence[str] = ()) -> None:
        super().__init__(text, "; ".join(refusal.reason for refusal in refusals), hints)
        self.refusals = tuple(refusals)


class Conversion:
    """A game while it is converted: the state after the entries so far, and their commands."""

    def __init__(self, game: SavedGame, seats: Sequence[Seat], first_state: State) -> None:
        self.game, self.seats, self.state = game, seats, first_state
        self.width = first_state.board.width
        self.moves = list[RecordedMove]()
        self.index = 0
        self.used_early = set[int]()
        """The indexes of entries that were played with the entry of the hiring before them."""
        self.gone = dict[Seat, int]()
        """The seats whose players have left, with the entry: programs pass for them and do nothing."""

    def read(self) -> Iterator[tuple[int, Entry]]:
        """Plays the entries one by one; yields each after it was played. Raises `GameError` for one that can't be."""
        for index, entry in enumerate(self.game.data.history):
            self.index = index
            self._read_entry(entry)
            yield index, entry
        self._end_last_turns()

    def stopped_at(self, error: GameError) -> StoppedAt:
        """Where reading stopped, and why."""
        refusals = error.refusals if isinstance(error, IllegalError) else (Refusal("", str(error)),)
        entry = self.game.data.history[self.index]
        seat = self.seats[entry.player] if 0 <= entry.player < len(self.seats) else ""
        return StoppedAt(self.index, error.what if isinstance(error, IllegalError) else "", seat, refusals)

    def leavers(self) -> Iterator[RecordedLeaver]:
        """Who has left: those who resigned or were kicked out, and those whose seat an organiser has taken."""
        for seat, index in self.gone.items():
            is_resigned = self.game.data.history[index].kind == Kind.RESIGNED
            yield RecordedLeaver(index, seat, self.time_at(index), "resigned" if is_resigned else "kicked_out")
        for seat, player in zip(self.seats, self.game.data.players, strict=True):
            if player.name == ORGANISER and seat not in self.gone:
                yield RecordedLeaver(self.index, seat, self.time, "replaced")

    def time_at(self, index: int) -> datetime | None:
        """The time of an entry, if it is known when the game began."""
        seconds = min(max(self.game.data.history[index].seconds, 0), MAX_SECONDS)
        return time_of(self.game.created + round(seconds * 1000)) if self.game.created else None

    @property
    def time(self) -> datetime | None:
        """The time of the current entry, if it is known when the game began."""
        return self.time_at(self.index)

    def _read_entry(self, entry: Entry) -> None:
        kind = entry.kind
        if kind in TURN_KINDS:
            self._read_turn_entry(entry)
        elif kind == Kind.FIRST_MONUMENT:
            self._play(self._seat(entry), Start(self._square(numbers_of(entry, 1)[0])))
        elif kind == Kind.BID:
            self._read_bid(entry)
        elif kind in (Kind.REVENUES, Kind.COMPARISON, Kind.END):
            while self.state.phase == "actions":
                self._play(self.state.turn.seat, EndTurn())
        elif kind in (Kind.RESIGNED, Kind.KICKED_OUT):
            self._read_leaving(entry)
        elif kind in (Kind.FAN_GOD, Kind.FAN_GOD_TOO):
            raise NotationError("it is an action of a god of a fan expansion", "Zim does not have these gods")
        elif kind not in (Kind.BEGIN, Kind.BIDDING_OVER, Kind.TURN, Kind.REWIND):
            raise NotationError("it is of a kind that Zim does not know", f"kind {kind}")

    def _seat(self, entry: Entry) -> Seat:
        return name_of(tuple(self.seats), entry.player, "player")

    def _square(self, index: int) -> str:
        return square_at(index, self.width)

    def _play(self, seat: Seat, command: AnyCommand) -> None:
        decision = decide(self.state, seat, command)
        if isinstance(decision, Refused):
            from zimcore.games.zimbabwe.notation import format as format_command

            raise IllegalError(format_command(command), decision.refusals, decision.hints)
        self._accept(seat, command, decision)

    def _accept(self, seat: Seat, command: AnyCommand, decision: Accepted) -> None:
        self.state = decision.state
        self.moves.append(RecordedMove(self.index, seat, command, self.time))

    def _read_bid(self, entry: Entry) -> None:
        amount, seat = numbers_of(entry, 1)[0], self._seat(entry)
        if amount > 0:
            self._pass_for_the_gone(seat)
            self._play(seat, Give(amount))
        elif amount == 0 and not (self.state.phase != "bidding" or seat in self.state.passed_seats):
            self._pass_for_the_gone(seat)
            self._play(seat, Pass())

    def _pass_for_the_gone(self, seat: Seat = "") -> None:
        """Passes for those who have left, up to a seat: the pass of a player who is kicked out has no entry."""
        while self.state.phase == "bidding" and (actor := self.state.actor) and actor != seat and actor in self.gone:
            self._play(actor, Pass())

    def _read_leaving(self, entry: Entry) -> None:
        names = read_data(entry, tuple[str, ...])
        shown_names = {player.name: seat for player, seat in zip(self.game.data.players, self.seats, strict=True)}
        seat = shown_names.get(names[0]) if names else None
        seat = self._seat(entry) if seat is None and entry.kind == Kind.RESIGNED else seat
        if seat is None:
            raise NotationError("it says that a player has left, and not which", str(names[:1]))
        self.gone.setdefault(seat, self.index)
        if entry.kind == Kind.KICKED_OUT and self.state.phase == "bidding" and self.state.actor == seat:
            self._play(seat, Pass())

    def _read_turn_entry(self, entry: Entry) -> None:
        seat = self._seat(entry)
        self._pass_for_the_gone()
        for _ in self.seats:
            if self.state.phase != "actions" or self.state.turn.seat == seat:
                break
            self._play(self.state.turn.seat, EndTurn())
        for command in self._commands_of(entry, seat):
            self._play(seat, command)

    def _rest_of_turn(self) -> Iterator[tuple[int, Entry]]:
        """The entries of the same player after the current one, to the end of their turn, each with its index."""
        history = self.game.data.history
        for index in range(self.index + 1, len(history)):
            entry = history[index]
            if entry.kind == Kind.REWIND:
                continue
            if entry.kind not in TURN_KINDS or entry.player != history[self.index].player:
                return
            yield index, entry

    def _commands_of(self, entry: Entry, seat: Seat) -> Iterator[AnyCommand]:
        """The commands that an entry of a turn means; none if it is part of another one's."""
        match entry.kind:
            case Kind.GOD:
                yield Adore(god_name(numbers_of(entry, 1)[0]))
            case Kind.SPECIALIST:
                yield from self._hiring(entry, seat)
            case Kind.BUILD:
                yield Build(tuple(self._square(index) for index in numbers_of(entry, 1)))
            case Kind.RAISE:
                yield Raise((self._ritual(entry),))
            case Kind.CRAFTSMAN:
                yield self._craftsman(entry, seat)
            case Kind.PRICES:
                yield from self._new_prices(entry, seat)
            case Kind.SPECIALIST_PAID:
                yield Use(name_of(SPECIALISTS, numbers_of(entry, 1)[0], "specialist"))
            case Kind.HERD:
                yield from self._herd(entry, seat)
            case Kind.WATER | Kind.RESOURCE:
                if self.index not in self.used_early:
                    yield self._placing(entry, seat)

    def _hiring(self, entry: Entry, seat: Seat) -> Iterator[AnyCommand]:
        specialist = name_of(SPECIALISTS, numbers_of(entry, 1)[0], "specialist")
        if specialist == "herd":
            yield Hire(specialist, cattle=self._herd_total(2))
        elif specialist not in LATER_USES:
            yield Hire(specialist)
        else:
            yield from self._hiring_with_use(specialist, seat)

    def _hiring_with_use(self, specialist: str, seat: Seat) -> Iterator[AnyCommand]:
        """A hiring with the use that follows; none if the main action comes in between: then it is hired after that."""
        is_main_action_between = False
        for index, later in self._rest_of_turn():
            if later.kind == LATER_USES[specialist]:
                if not is_main_action_between:
                    self.used_early.add(index)
                    yield self._placing(later, seat)
                return
            is_main_action_between |= later.kind in MAIN_ACTIONS
        if self.index + sum(1 for _ in self._rest_of_turn()) == len(self.game.data.history) - 1:
            return  # the game was saved in the middle of this turn
        raise NotationError(f"the {specialist} was hired and not used", "Zim uses a specialist when it is hired")

    def _herd_total(self, paid: int) -> int:
        """The cattle that the Herd has got by the end of this turn."""
        totals = [numbers_of(later, 2)[0] for _, later in self._rest_of_turn() if later.kind == Kind.HERD]
        return totals[-1] if totals else paid

    def _herd(self, entry: Entry, seat: Seat) -> Iterator[AnyCommand]:
        if "herd" not in self.state.turn.used:
            yield Use("herd", cattle=self._herd_total(numbers_of(entry, 2)[0]))

    def _placing(self, entry: Entry, seat: Seat) -> Hire | Use:
        """Water or a resource. What was paid when its specialist was hired is hired here: nothing else has changed."""
        specialist, (index, form, paid) = USES[Kind(entry.kind)], numbers_of(entry, 3)[:3]
        command_type = Use if paid or self.state.specialists.get(specialist) == seat else Hire
        if entry.kind == Kind.WATER:
            columns, rows = (1, 2) if form else (2, 1)
            return command_type(specialist, squares=rectangle_at(index, self.width, columns, rows))
        resource = name_of(RESOURCES, form - FIRST_RESOURCE, "resource")
        return command_type(specialist, resource=resource, squares=(self._square(index),))

    def _craftsman(self, entry: Entry, seat: Seat) -> PlaceCraftsman:
        index, tile, standing, _, card = numbers_of(entry, 5)[:5]
        type_ = name_of(CRAFTSMEN, tile, "craftsman")
        columns, rows = COMPONENTS.craftsmen[type_].size
        if columns != rows:
            columns, rows = (1, 2) if standing else (2, 1)
        price = None
        if card >= 0:
            later_prices = (numbers_of(later, 7) for _, later in self._rest_of_turn() if later.kind == Kind.PRICES)
            price = next((prices[tile] for prices in later_prices if prices[tile]), None)
        return PlaceCraftsman(type_, rectangle_at(index, self.width, columns, rows), price)

    def _new_prices(self, entry: Entry, seat: Seat) -> Iterator[AnyCommand]:
        """The prices that differ from those of now: an entry has all prices, and may change none."""
        prices = dict(zip(CRAFTSMEN, numbers_of(entry, 7), strict=False))
        technologies = self.state.technologies_of(seat)
        changes = [
            (type_, prices[type_])
            for type_ in CRAFTSMEN
            if type_ in technologies and prices[type_] not in (0, technologies[type_].price)
        ]
        if changes:
            yield SetPrices(tuple(changes))

    def _ritual(self, entry: Entry) -> Ritual:
        """A raise. The level that it names may be wrong, so that only its goods count."""
        head, *goods = read_data(entry, tuple[tuple[Any, ...], ...])
        if not head:
            raise NotationError("it can't be read", "it names no monument")
        return Ritual(self._square(head[0]), tuple(self._good(parts) for parts in goods if len(parts) > 1))

    def _good(self, parts: Sequence[Any]) -> Good:
        maker = self._supply(parts[0], parts[1])
        return Good(maker, self._supply(parts[2], parts[3]) if len(parts) >= 4 else None)

    def _supply(self, craftsman: Any, resource: Any) -> Supply:
        """The work of a craftsman; older games have its resource as a number, newer ones in a list."""
        index = resource[0] if isinstance(resource, list) and resource else resource
        if not isinstance(craftsman, list) or not craftsman:
            raise NotationError("it can't be read", "a good names no craftsman")
        at = self._square(craftsman[0])
        piece = self.state.craftsman_at(at)
        if piece is None:
            raise NotationError("it can't be read", f"there is no craftsman on {at}")
        return Supply(piece.type, piece.at, self._square(index))

    def _end_last_turns(self) -> None:
        """Ends the turns of a running game that are over: its data names the players who are still to act."""
        progress = self.game.data.progress
        to_act = [self.seats[player] for player in progress.to_act if 0 <= player < len(self.seats)]
        if progress.phase == 2 and to_act and to_act[0] in self.state.order:
            while self.state.phase == "actions" and self.state.turn.seat != to_act[0]:
                self._play(self.state.turn.seat, EndTurn())
