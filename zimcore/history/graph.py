"""The commits of a line as a graph: the commits up to the head in the left lane, undone ones in lanes next to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from zimcore.commits import Commit


class GraphRow(msgspec.Struct, frozen=True):
    """A row of the graph: whether each lane to its left goes on below, and whether it starts a new lane itself."""

    commit: Commit
    lanes: tuple[bool, ...]
    starts_lane: bool


def graph(commits: Sequence[Commit], current_digests: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the graph: each commit once, after its parent; a branch comes before the rest of the lane it left.

    `commits` are in the order they were made. `current_digests` are those from the start to the head: these commits are
    in the left lane. Of several children the one in `current_digests` continues the lane, else the one made last.
    """
    children_by_parent = dict[str, list[Commit]]()
    for commit in commits:
        children_by_parent.setdefault(commit.parent, []).append(commit)
    for siblings in children_by_parent.values():
        siblings.sort(
            key=lambda commit: commit.digest in current_digests
        )  # stable: the one that continues the lane is last
    digests = {commit.digest for commit in commits}
    stack = [GraphRow(commit, (), False) for commit in commits[::-1] if commit.parent not in digests]
    while stack:
        row = stack.pop()
        yield row
        stack += _child_rows(row, children_by_parent.get(row.commit.digest, []), current_digests)


def _child_rows(row: GraphRow, children: Sequence[Commit], current_digests: Collection[str]) -> Iterator[GraphRow]:
    """The rows of the children, in reverse order: the caller takes them from the end of a list."""
    if not children:
        return
    lane_continues = (
        row.commit.digest not in current_digests or children[-1].digest in current_digests
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
    corner = ("├─" if last_lane else "╰─") if row.starts_lane else ("│ " if last_lane else "  ")
    return "".join("│ " if lane else "  " for lane in other_lanes) + corner + "○ "
