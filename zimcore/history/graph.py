"""The commits of a line as a graph: the commits up to the head in the left lane, undone ones in lanes next to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from zimcore.commits import Commit


class GraphRow(msgspec.Struct, frozen=True):
    """A row of the graph: `lanes` says of each lane to the left whether it goes on below; `first` starts a new lane."""

    commit: Commit
    lanes: tuple[bool, ...]
    first: bool


def graph(commits: Sequence[Commit], here: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the graph: each commit once, after its parent; a branch comes before the rest of the lane it left.

    `commits` are in the order they were made, `here` are the digests from the start to the head: they are in the left
    lane. Of several children the one in `here` continues the lane, else the one made last.
    """
    children = dict[str, list[Commit]]()
    for commit in commits:
        children.setdefault(commit.parent, []).append(commit)
    for made in children.values():
        made.sort(key=lambda commit: commit.digest in here)  # stable: the child that continues the lane comes last
    known = {commit.digest for commit in commits}
    todo = [GraphRow(commit, (), False) for commit in commits[::-1] if commit.parent not in known]
    while todo:
        row = todo.pop()
        yield row
        todo += _next(row, children.get(row.commit.digest, []), here)


def _next(row: GraphRow, made: Sequence[Commit], here: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the children, in reverse order: the caller takes them from the end of a list."""
    if not made:
        return
    continues = (
        row.commit.digest not in here or made[-1].digest in here
    )  # else this is the head: all children are undone
    beside = made[:-1] if continues else made
    if continues:
        yield GraphRow(made[-1], row.lanes, False)
    for at, commit in enumerate(reversed(beside)):
        yield GraphRow(commit, (*row.lanes, continues or at > 0), True)


def draw_lanes(row: GraphRow) -> str:
    """The lanes in front of a commit: `● `, `├─○ `, `│ ○ `."""
    if not row.lanes:
        return "● "
    *others, last = row.lanes
    corner = ("├─" if last else "╰─") if row.first else ("│ " if last else "  ")
    return "".join("│ " if lane else "  " for lane in others) + corner + "○ "
