"""The commits of a line as a graph: the way to the head straight down, what was undone beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from zimcore.commits import Commit


class GraphRow(msgspec.Struct, frozen=True):
    """A commit in its place: `lanes` says of each lane left of it whether it goes on below, `first` on a new lane."""

    commit: Commit
    lanes: tuple[bool, ...]
    first: bool


def graph(commits: Sequence[Commit], here: Collection[str]) -> Iterator[GraphRow]:
    """Each commit once, after its parent; a branch stands beside, before the lane that it leaves goes on.

    `commits` are in the order they were made, `here` the digests on the way to the head: they have the lane on the
    left. Of several that build on one, the last made goes straight on where the head is on none.
    """
    children = dict[str, list[Commit]]()
    for commit in commits:
        children.setdefault(commit.parent, []).append(commit)
    for made in children.values():
        made.sort(key=lambda commit: commit.digest in here)  # stable: the one that goes straight on comes last
    known = {commit.digest for commit in commits}
    todo = [GraphRow(commit, (), False) for commit in commits[::-1] if commit.parent not in known]
    while todo:
        row = todo.pop()
        yield row
        todo += _next(row, children.get(row.commit.digest, []), here)


def _next(row: GraphRow, made: Sequence[Commit], here: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the children, in the order in which they are to be taken from the end of a list."""
    if not made:
        return
    goes_on = row.commit.digest not in here or made[-1].digest in here  # else all that was played on was undone
    beside = made[:-1] if goes_on else made
    if goes_on:
        yield GraphRow(made[-1], row.lanes, False)
    for at, commit in enumerate(reversed(beside)):
        yield GraphRow(commit, (*row.lanes, goes_on or at > 0), True)


def draw_lanes(row: GraphRow) -> str:
    """The lanes in front of a commit: `● `, `├─○ `, `│ ○ `."""
    if not row.lanes:
        return "● "
    *others, last = row.lanes
    corner = ("├─" if last else "╰─") if row.first else ("│ " if last else "  ")
    return "".join("│ " if lane else "  " for lane in others) + corner + "○ "
