"""A fair deal: no single party can choose the cards, not even the server.

When a table opens, the keeper of the store draws a secret, and its digest becomes the name of the stream in which the
names of the game are: every link to a seat has that in it. Each seat adds random bytes of its own when it is taken. The
seed of the deal is a digest of all of that. Who has a link can check all of it, as soon as the secret may be told: it
was fixed before they had added their share, and their share went in.

It does not hold against a server that plays a seat itself, and sits down last: it can try shares.

In other words: commit-reveal, coin flipping.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from event_store.chain import short_digest
from event_store.codec import encode
from zimcore.game import Event, Game, GameError, Played, Seat, UnknownError
from zimcore.service.deciding import PendingCommit, set_up

COMMIT, SEED = b"zim table 1\n", b"zim deal 1\n"
BYTES = 32
"""Bytes of a secret, and of a share."""
SEED_BYTES = 7
"""Bytes of a seed: as of one that is drawn where there are secrets."""


class TableOpened(Event, frozen=True, tag="table_opened.1"):
    """A game that is not dealt yet: what is played, with which options, the seats, and the secret of the store."""

    kind: str
    options: dict[str, str]
    seats: tuple[Seat, ...]
    secret: bytes


class ShareAdded(Event, frozen=True, tag="share_added.1"):
    """Who has taken a seat has added random bytes to the deal."""

    seat: Seat
    share: bytes


class Dealt(Event, frozen=True, tag="dealt.1"):
    """The game is dealt, by the secret and the shares that are there; `line` is the one with which it begins."""

    line: str


DealEvent: TypeAlias = TableOpened | ShareAdded | Dealt
"""Something about how a game is dealt."""


class NotDealtError(GameError):
    """Raised for reading a game that is not dealt yet."""


class DealTable(msgspec.Struct, frozen=True):
    """A table as it stands: `commit` is what was published, `line` is empty until it is dealt."""

    kind: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    secret: bytes
    commit: str
    shares: Mapping[Seat, bytes] = {}
    line: str = ""

    @property
    def seed(self) -> int:
        """The seed that follows from the secret and all shares."""
        from hashlib import blake2b  # loads OpenSSL, which most who open a game have no use for

        told = encode((self.commit, self.secret, sorted(self.shares.items())))
        return int.from_bytes(blake2b(SEED + told, digest_size=SEED_BYTES).digest())

    def after(self, event: ShareAdded | Dealt) -> DealTable:
        """The table after an event."""
        match event:
            case ShareAdded(seat=seat, share=share):
                return replace(self, shares={**self.shares, seat: share})
            case Dealt(line=line):
                return replace(self, line=line)
            case _:
                assert_never(event)

    def without(self, seat: Seat) -> DealTable:
        """The table after a player has left: before the deal their share is dropped."""
        return self if self.line else replace(self, shares={each: s for each, s in self.shares.items() if each != seat})


def commit_of(kind: str, options: Mapping[str, str], secret: bytes) -> str:
    """What is published when a table opens, in hex: it says nothing of the secret, and leaves no other one."""
    return short_digest(COMMIT, encode((kind, sorted(options.items()), secret))).hex()


def new_table(game: Game, options: Mapping[str, str]) -> TableOpened:
    """A new table. Raises `OptionError` for invalid options, `GameError` for a chosen seed."""
    if "seed" in options:
        raise GameError(
            "you can't choose the seed of a fair deal", "it follows from the shares of all players", ["new --fair"]
        )
    begun = set_up(game, {**options, "seed": "0"})
    return TableOpened(game.name, dict(options), game.evolution.seats(begun.state), os.urandom(BYTES))


def table_of(event: TableOpened, stream: str) -> DealTable:
    """The table that was opened in a stream."""
    return DealTable(event.kind, event.options, event.seats, event.secret, stream)


def check(table: DealTable | None, event: DealEvent) -> None:
    """Raises `UnknownError` for an event that can't follow."""
    match event:
        case TableOpened():
            if table:
                raise UnknownError("the table was opened already")
        case ShareAdded(seat=seat):
            if table is None or table.line or seat not in table.seats:
                raise UnknownError("this game is dealt already", f"there is no table at which {seat} can add a share")
        case Dealt():
            if table is None or table.line:
                raise UnknownError("this game is dealt already", "there is nothing to deal")
        case _:
            assert_never(event)


def deal_table(game: Game, table: DealTable) -> PendingCommit:
    """The first commit of a game, by the seed that all have made. Raises `GameError` where other seats would play."""
    begun = set_up(game, {**table.options, "seed": str(table.seed)})
    if game.evolution.seats(begun.state) != table.seats:
        raise GameError("a fair deal is not possible here", "the seats depend on the seed", ["new"])
    return begun


def not_dealt(match: str, table: DealTable, taken: Mapping[Seat, object]) -> NotDealtError:
    """The error for reading a game before it is dealt."""
    free = [seat for seat in table.seats if seat not in taken]
    why = f"free seats: {', '.join(free)}" if free else "its host begins it"
    return NotDealtError(f"{match} is not dealt yet", why, [f"seats {match}"])


def fault(table: DealTable, game: Game, first: Played) -> str:
    """What is wrong with a deal, once the secret is known; "" if it follows from all shares."""
    if commit_of(table.kind, table.options, table.secret) != table.commit:
        return "the secret does not match the digest that was published when the table opened"
    try:
        command = game.rules.set_up(dict(table.options), table.seed)
    except GameError as error:
        return f"the options of the table allow no deal: {error}"
    return "" if first.command == command else "what was dealt does not follow from the secret and the shares"
