"""Answers of the service that are no documents: most hold positions, which JSON has no form for."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec

from zimcore.commits import Commit, Position
from zimcore.game import Refused


class Trial(msgspec.Struct, frozen=True):
    """Where commands would lead: the position after each accepted one, and the refusal of the next one, if any.

    A command whose result depends on hidden information ends the trial too: then `hidden` says on what it depends.
    """

    positions: tuple[Position, ...]
    refused: Refused | None = None
    hidden: str = ""


class News(msgspec.Struct, frozen=True):
    """A change of a line: a commit or a move of its head, its revision and time, and the position that it leads to."""

    revision: int
    at: datetime
    is_commit: bool
    position: Position


class ReplayConflict(msgspec.Struct, frozen=True):
    """A commit whose command is refused when it is played again, and why."""

    commit: Commit
    refused: Refused


class Replay(msgspec.Struct, frozen=True):
    """Commands of one place, played again at another.

    `commits` were accepted. `conflicts` were refused: the first, where the replay stopped, or all if it skips them.
    `position` is the result. If it was not `stored`, the commits have no digests.
    """

    position: Position
    commits: tuple[Commit, ...]
    conflicts: tuple[ReplayConflict, ...] = ()
    stored: bool = False


class LineVersion(NamedTuple):
    """The digest of a position, and the stream and revision of its match's names and of its line."""

    digest: str
    names_stream: str
    names_revision: int
    line_stream: str
    line_revision: int
