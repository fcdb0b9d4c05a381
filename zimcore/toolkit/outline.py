"""The outline of a set of squares, with round corners: for land, lakes and pieces."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]
"""Column and row of a square, or of its top left corner."""


def outline(squares: Collection[Point], side: float, radius: float, inset: float = 0) -> str:
    """The SVG path around squares with sides of `side` units; `inset` moves it inwards by that many units.

    >>> outline({(0, 0)}, 10, 0)
    'M0 0Q0 0 0 0L10 0Q10 0 10 0L10 10Q10 10 10 10L0 10Q0 10 0 10Z'
    """
    return "".join(_rounded_path(corners, side, radius, inset) for corners in find_loops(squares))


def find_loops(squares: Collection[Point]) -> Iterator[list[Point]]:
    """The corners of each closed loop around the squares, with the squares on its right.

    Where two squares touch only at a corner, the loop turns right and keeps them apart.
    """
    edges = _edges(set(squares))
    while edges:
        start_point = point = min(edges, key=lambda point: point[::-1])  # always a corner of its loop
        heading: Point = (0, 0)
        corners: list[Point] = []
        while point != start_point or not corners:
            right_turn = (-heading[1], heading[0])
            direction = right_turn if right_turn in edges[point] else edges[point][0]
            edges[point].remove(direction)
            if not edges[point]:
                del edges[point]
            if direction != heading:
                corners.append(point)
            heading, point = direction, (point[0] + direction[0], point[1] + direction[1])
        yield corners


def _edges(squares: set[Point]) -> dict[Point, list[Point]]:
    """For each corner, the directions of the edges that start there."""
    edges: dict[Point, list[Point]] = {}
    for x, y in sorted(squares):
        for neighbour, corner, direction in (
            ((x, y - 1), (x, y), (1, 0)),
            ((x + 1, y), (x + 1, y), (0, 1)),
            ((x, y + 1), (x + 1, y + 1), (-1, 0)),
            ((x - 1, y), (x, y + 1), (0, -1)),
        ):
            if neighbour not in squares:
                edges.setdefault(corner, []).append(direction)
    return edges


def _rounded_path(corners: list[Point], side: float, radius: float, inset: float) -> str:
    """A closed SVG path along corners, rounded."""
    path_parts: list[str] = []
    for previous_corner, (x, y), next_corner in zip(
        [corners[-1], *corners], corners, [*corners[1:], corners[0]], strict=False
    ):
        (in_x, in_y), (out_x, out_y) = _direction(previous_corner, (x, y)), _direction((x, y), next_corner)
        corner_x, corner_y = x * side + inset * (-in_y - out_y), y * side + inset * (in_x + out_x)
        curve_start, curve_end = (
            (corner_x - in_x * radius, corner_y - in_y * radius),
            (corner_x + out_x * radius, corner_y + out_y * radius),
        )
        path_parts.append(
            f"{'L' if path_parts else 'M'}{curve_start[0]:g} {curve_start[1]:g}"
            f"Q{corner_x:g} {corner_y:g} {curve_end[0]:g} {curve_end[1]:g}"
        )
    return "".join(path_parts) + "Z"


def _direction(start: Point, end: Point) -> Point:
    return (end[0] > start[0]) - (end[0] < start[0]), (end[1] > start[1]) - (end[1] < start[1])
