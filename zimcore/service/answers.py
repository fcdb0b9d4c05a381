"""What the service answers with, where it is no document: it holds positions."""

from __future__ import annotations

import msgspec

from zimcore.commits import Commit, Position
from zimcore.game import Refused


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
