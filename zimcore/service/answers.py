"""What the service answers with: games, lines, commits and positions as data."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from zimcore.game import Event, Game, Legal, Played, Refused, Seat, View


class Commit(msgspec.Struct, frozen=True):
    """One accepted command with its facts.

    `number` counts the commands from the start (0 is the set-up). `digest` and `state` are hex; a commit that was only
    tried has no digest. `text` is the command in notation, `summary` what it came to. `events` are all that was
    stored, `Played` first. `marks` names the positions that it ends in (`r4`, `r4.zulu`).
    """

    number: int
    digest: str
    parent: str
    state: str
    seat: Seat
    text: str
    summary: str
    by: str
    at: datetime
    events: tuple[Event, ...]
    marks: tuple[str, ...] = ()

    @property
    def command(self) -> Any:
        """What was asked for."""
        played = self.events[0]
        assert isinstance(played, Played)
        return played.command


class Position(msgspec.Struct, frozen=True):
    """A place in a game: which line, after which commit, and the state there (a copy of one's own)."""

    game: str
    line: str
    commit: Commit
    state: Any
    rules: Game

    @property
    def actor(self) -> Seat | None:
        """Whose turn it is."""
        return self.rules.actor(self.state)

    @property
    def legal(self) -> Legal:
        """The legal commands here."""
        return self.rules.legal(self.state)

    def view(self, seat: Seat | None = None) -> View:
        """What is to be seen here."""
        return self.rules.view(self.state, seat)

    def values(self, seat: Seat | None = None) -> dict[str, Any]:
        """What expressions speak of here."""
        return self.rules.values(self.state, seat)


class LineInfo(msgspec.Struct, frozen=True):
    """A line as `zim lines` lists it: its name, where its head is, and the line and commit that it was forked from.

    That is the line on which the commit was made: a fork at a move of its parent's past begins at the grandparent.
    """

    name: str
    head: int
    digest: str
    status: str
    current: bool = False
    parent: str = ""
    forked_at: int | None = None


class GameInfo(msgspec.Struct, frozen=True):
    """A game as `zim games` lists it, at the head of its current line; `status` says so where it can't be read."""

    name: str
    kind: str
    seats: tuple[Seat, ...]
    line: str
    lines: int
    head: int
    status: str
    begun: datetime
    played: datetime


class Fault(msgspec.Struct, frozen=True):
    """What `verify` found first: `kind` is `altered`, `rules changed` or `damaged`; where, and what exactly."""

    kind: str
    where: str
    what: str


class Audit(msgspec.Struct, frozen=True):
    """What `verify` did: how many commits and events it went through, the digest of the head, and the fault if any."""

    game: str
    line: str
    commits: int
    events: int
    digest: str
    fault: Fault | None = None


class Trial(msgspec.Struct, frozen=True):
    """Where commands would lead: the positions after those that stand, and why the next one is refused, if it is."""

    positions: tuple[Position, ...]
    refused: Refused | None = None


class Conflict(msgspec.Struct, frozen=True):
    """A commit that no longer stands where it is to be played again, and why."""

    commit: Commit
    refused: Refused


class Replay(msgspec.Struct, frozen=True):
    """Commands that were played again, elsewhere.

    `commits` are those that stand, `conflicts` those that don't: the first one, or all where they are left out.
    `position` is where that leads, on a line if it was `stored`; if not, the commits have no digests.
    """

    position: Position
    commits: tuple[Commit, ...]
    conflicts: tuple[Conflict, ...] = ()
    stored: bool = False


class Operation(msgspec.Struct, frozen=True):
    """One thing that was moved on a line, or among the names of a game's lines: who, when, from where to where.

    `what` is `play`, `move` or `fork` for a head, `name`, `switch`, `rename` or `forget` for a name. `id` is the digest
    of what was appended (what was appended at once has the same), `source` and `target` are `@3` or names. For a head
    `before` and `after` are the digests of the commits.
    """

    id: str
    what: str
    source: str
    target: str
    by: str
    at: datetime
    before: str = ""
    after: str = ""
