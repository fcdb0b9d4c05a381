"""Better turns as lines of play: the line `better-18` starts before move 18 and holds the better turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from zimcore.analysis.match_analysis import JudgedDecision
from zimcore.commits import Commit
from zimcore.service import Viewer
from zimcore.service.records.free_names import free_name


class LogReader(Protocol):
    """The part of a service, local or remote, that gives the moves of a line."""

    def log(self, place: str, *, viewer: Viewer) -> Sequence[Commit]:
        """The commits on the way to a position."""


def find_better_line(
    service: LogReader,
    match: str,
    commits: Sequence[Commit],
    judgement: JudgedDecision,
    lines: Collection[str],
    viewer: Viewer,
) -> str:
    """The line that already starts with a better turn; "" if there is none.

    A matching name is not enough, since any line can have it: the moves are compared.
    """
    first_number, better_commands = judgement.decision.first, judgement.judged_turn.best_commands
    line_name = better_line_name(first_number)
    for line in lines:
        if line != line_name and not line.startswith(f"{line_name}-"):
            continue
        line_commits = service.log(f"{match}/{line}", viewer=viewer)
        has_same_start = (
            len(line_commits) > first_number
            and line_commits[first_number - 1].digest == commits[first_number - 1].digest
        )
        if (
            has_same_start
            and tuple(commit.text for commit in line_commits[first_number : first_number + len(better_commands)])
            == better_commands
        ):
            return line
    return ""


def better_line_name(first_number: int, used_names: Collection[str] = ()) -> str:
    """A free name for the line of a better turn that starts with move `first_number`: `better-18`, `better-18-2`."""
    return free_name(f"better-{first_number}", used_names.__contains__, first_number=2)
