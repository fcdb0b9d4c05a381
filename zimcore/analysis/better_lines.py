"""Better turns as lines of play: the line `better-18` starts before move 18 and holds the better turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from zimcore.analysis.match_analysis import JudgedDecision
from zimcore.commits import Commit
from zimcore.service import Viewer
from zimcore.service.free_names import free_name


class Logs(Protocol):
    """The part of a service, local or remote, that gives the moves of a line."""

    def log(self, place: str, *, viewer: Viewer) -> Sequence[Commit]:
        """The commits on the way to a position."""


def line_of_better(
    service: Logs,
    match: str,
    commits: Sequence[Commit],
    judgement: JudgedDecision,
    lines: Collection[str],
    viewer: Viewer,
) -> str:
    """The line that already starts with a better turn; "" if there is none.

    A matching name is not enough, since any line can have it: the moves are compared.
    """
    first, best = judgement.decision.first, judgement.judged.best
    name = better_name(first)
    for line in lines:
        if line != name and not line.startswith(f"{name}-"):
            continue
        commits_played = service.log(f"{match}/{line}", viewer=viewer)
        is_same = len(commits_played) > first and commits_played[first - 1].digest == commits[first - 1].digest
        if is_same and tuple(each.text for each in commits_played[first : first + len(best)]) == best:
            return line
    return ""


def better_name(first: int, used_names: Collection[str] = ()) -> str:
    """A free name for the line of a better turn that starts with move `first`: `better-18`, `better-18-2`."""
    return free_name(f"better-{first}", used_names.__contains__, first_number=2)
