"""A fair deal: no single party can choose the cards, not even the server.

When a table opens, the server draws a secret and publishes a commitment to it (a digest), which is part of every link
to a seat. Each player adds random bytes, a share, when they take their seat. The seed of the deal is a digest of the
commitment, the secret and all shares. Once nothing is hidden any more the secret is published, and anyone with a link
can check that the secret was fixed before the shares were added, and that their share was used.

It does not protect against a server that plays a seat itself and sits down last: that server can try many shares.

In other words: commit-reveal, coin flipping.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from event_store.chain import digest_of_parts
from event_store.codec import encode
from zimcore.game import Event, Game, GameError, Played, Seat, UnknownError
from zimcore.service.records.deciding import PendingCommit, set_up

COMMITMENT_PREFIX, SEED_PREFIX = b"zim table 1\n", b"zim deal 1\n"
SECRET_BYTES = 32
"""Bytes of a secret and of a share."""
SEED_BYTES = 7
"""Bytes of a seed: as many as a random seed has in games with secrets."""


class TableOpened(Event, frozen=True, tag="table_opened.1"):
    """A table was opened for a game to be dealt later: its kind, its options, the seats and the server's secret."""

    kind: str
    options: dict[str, str]
    seats: tuple[Seat, ...]
    secret: bytes


class ShareAdded(Event, frozen=True, tag="share_added.1"):
    """The player who took this seat added random bytes to the deal."""

    seat: Seat
    share: bytes


class Dealt(Event, frozen=True, tag="dealt.1"):
    """The game was dealt from the secret and the shares added so far; `line` is its first line."""

    line: str


DealEvent: TypeAlias = TableOpened | ShareAdded | Dealt
"""An event of a fair deal."""


class NotDealtError(GameError):
    """Raised when a game is read that is not dealt yet."""


class DealTable(msgspec.Struct, frozen=True):
    """A table so far: `commitment` is the published commitment (hex); `line` is empty until the game is dealt."""

    kind: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    secret: bytes
    commitment: str
    shares: Mapping[Seat, bytes] = {}
    line: str = ""

    @property
    def seed(self) -> int:
        """The seed that follows from the secret and all shares."""
        from hashlib import blake2b  # loads OpenSSL, which most games do not need

        material = encode((self.commitment, self.secret, sorted(self.shares.items())))
        return int.from_bytes(blake2b(SEED_PREFIX + material, digest_size=SEED_BYTES).digest())

    def after(self, event: ShareAdded | Dealt) -> DealTable:
        """The table after an event."""
        match event:
            case ShareAdded(seat=seat, share=share):
                return replace(self, shares={**self.shares, seat: share})
            case Dealt(line=line):
                return replace(self, line=line)
            case _:
                assert_never(event)

    def without_player_at(self, seat: Seat) -> DealTable:
        """The table after a player has left: before the deal their share is dropped."""
        return (
            self
            if self.line
            else replace(self, shares={each: share for each, share in self.shares.items() if each != seat})
        )


def commitment_of(kind: str, options: Mapping[str, str], secret: bytes) -> str:
    """The commitment published when a table opens (hex): it does not reveal the secret, but fixes it."""
    return digest_of_parts(COMMITMENT_PREFIX, encode((kind, sorted(options.items()), secret))).hex()


def new_table_event(game: Game, options: Mapping[str, str]) -> TableOpened:
    """The event that opens a new table. Raises `OptionError` for invalid options, `GameError` for a chosen seed."""
    if "seed" in options:
        raise GameError(
            "you can't choose the seed of a fair deal", "it follows from the shares of all players", ["new --fair"]
        )
    first_commit = set_up(game, {**options, "seed": "0"})
    return TableOpened(game.name, dict(options), game.evolution.seats(first_commit.state), os.urandom(SECRET_BYTES))


def opened_table(event: TableOpened, stream: str) -> DealTable:
    """The table that the event opened in a stream; the stream's name is the commitment."""
    return DealTable(event.kind, event.options, event.seats, event.secret, stream)


def check_deal_event(table: DealTable | None, event: DealEvent) -> None:
    """Raises `UnknownError` for an event that can't follow."""
    match event:
        case TableOpened():
            if table:
                raise UnknownError("the table was opened already")
        case ShareAdded(seat=seat):
            seats = _undealt_table(table).seats
            if seat not in seats:
                raise UnknownError(f"there is no seat called {seat}", "", seats)
        case Dealt():
            _undealt_table(table)
        case _:
            assert_never(event)


def _undealt_table(table: DealTable | None) -> DealTable:
    """The table, which must still wait for its deal. Raises `UnknownError`."""
    if table is None:
        raise UnknownError("this game has no fair deal", "no table was opened for it")
    if table.line:
        raise UnknownError("this game is dealt already")
    return table


def first_commit_of(game: Game, table: DealTable) -> PendingCommit:
    """The first commit of a game, from the table's seed. Raises `GameError` if that seed leads to other seats."""
    first_commit = set_up(game, {**table.options, "seed": str(table.seed)})
    if game.evolution.seats(first_commit.state) != table.seats:
        raise GameError("a fair deal is not possible here", "the seats depend on the seed", ["new"])
    return first_commit


def not_dealt_error(match: str, table: DealTable, players_by_seat: Mapping[Seat, object]) -> NotDealtError:
    """The error for reading a game before it is dealt."""
    free_seats = [seat for seat in table.seats if seat not in players_by_seat]
    why = f"free seats: {', '.join(free_seats)}" if free_seats else "it waits for its host to deal"
    return NotDealtError(f"{match} is not dealt yet", why, [f"seats {match}"])


def deal_fault(table: DealTable, game: Game, first_event: Played) -> str:
    """Checks a deal once the secret is known: what is wrong, in words, or "" if it follows from secret and shares."""
    if commitment_of(table.kind, table.options, table.secret) != table.commitment:
        return "the secret does not match the digest that was published when the table opened"
    try:
        expected_command = game.rules.set_up(dict(table.options), table.seed)
    except GameError as error:
        return f"the options of the table allow no deal: {error}"
    return (
        ""
        if first_event.command == expected_command
        else "what was dealt does not follow from the secret and the shares"
    )
