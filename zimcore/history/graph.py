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


def graph(commits: Sequence[Commit], current: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the graph: each commit once, after its parent; a branch comes before the rest of the lane it left.

    `commits` are in the order they were made, `current` are the digests from the start to the head: they are in the
    left lane. Of several children the one in `current` continues the lane, else the one made last.
    """
    children = dict[str, list[Commit]]()
    for commit in commits:
        children.setdefault(commit.parent, []).append(commit)
    for siblings in children.values():
        siblings.sort(key=lambda commit: commit.digest in current)  # stable: the one that continues the lane is last
    digests = {commit.digest for commit in commits}
    stack = [GraphRow(commit, (), False) for commit in commits[::-1] if commit.parent not in digests]
    while stack:
        row = stack.pop()
        yield row
        stack += _child_rows(row, children.get(row.commit.digest, []), current)


def _child_rows(row: GraphRow, children: Sequence[Commit], current: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the children, in reverse order: the caller takes them from the end of a list."""
    if not children:
        return
    lane_continues = (
        row.commit.digest not in current or children[-1].digest in current
    )  # else this is the head: all children are undone
    branches = children[:-1] if lane_continues else children
    if lane_continues:
        yield GraphRow(children[-1], row.lanes, False)
    for index, commit in enumerate(reversed(branches)):
        yield GraphRow(commit, (*row.lanes, lane_continues or index > 0), True)


def draw_lanes(row: GraphRow) -> str:
    """The lanes in front of a commit: `● `, `├─○ `, `│ ○ `."""
    if not row.lanes:
        return "● "
    *other_lanes, last_lane = row.lanes
    corner = ("├─" if last_lane else "╰─") if row.first else ("│ " if last_lane else "  ")
    return "".join("│ " if lane else "  " for lane in other_lanes) + corner + "○ "
