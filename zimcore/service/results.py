"""Answers of the service that are not documents, because they hold positions."""

from __future__ import annotations

import msgspec

from zimcore.commits import Commit, Position
from zimcore.game import Refused


class Trial(msgspec.Struct, frozen=True):
    """Where commands would lead: the position after each that is accepted, and why the next one is refused, if it is.

    A command whose result depends on hidden information ends the trial too: then `hidden` says on what.
    """

    positions: tuple[Position, ...]
    refused: Refused | None = None
    hidden: str = ""


class News(msgspec.Struct, frozen=True):
    """What happened on a line: a commit, or a move of its head; where it stood then, and at which revision."""

    revision: int
    is_commit: bool
    position: Position


class ReplayConflict(msgspec.Struct, frozen=True):
    """A commit whose command is refused where it is to be played again, and why."""

    commit: Commit
    refused: Refused


class Replay(msgspec.Struct, frozen=True):
    """Commands of one place, played again at another.

    `commits` are those that were accepted, `conflicts` those that were refused: the first one only, or all of them
    where they are skipped. `position` is where that leads, on a line if it was `stored`; if not, the commits have no
    digests.
    """

    position: Position
    commits: tuple[Commit, ...]
    conflicts: tuple[ReplayConflict, ...] = ()
    stored: bool = False
