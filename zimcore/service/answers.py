"""What the service answers with, beside commits and positions: games, lines, audits and operations as data."""

from __future__ import annotations

from datetime import datetime

import msgspec

from zimcore.commits import Commit, Position
from zimcore.game import Refused, Seat


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
    """Where commands would lead: the positions after those that stand, and why the next one is refused, if it is.

    What can't be told since something is hidden ends it too: then `hidden` says what.
    """

    positions: tuple[Position, ...]
    refused: Refused | None = None
    hidden: str = ""


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
