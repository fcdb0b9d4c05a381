"""Borders, paths, and the names of columns and rows: drawn alike for all games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from zimcore.game import Board
from zimcore.toolkit.outline import Point
from zimcore.toolkit.svg import FAINT_STYLE, SIDE, tag, text


def draw_borders_and_names(board: Board) -> Iterator[str]:
    """Draws the borders, the paths and the names of columns and rows."""
    yield from draw_borders(board)
    yield from map(draw_path, board.paths)
    yield axis_names(board.columns, board.rows)


def draw_borders(board: Board) -> Iterator[str]:
    """Lines across the board, in rows with cells of the role `border`."""
    for y, row in enumerate(board.cells):
        if any(cell.role == "border" for cell in row):
            line_path = f"M0 {(y + 0.5) * SIDE}h{len(row) * SIDE}"
            yield tag(
                "path", d=line_path, stroke="#b3261e", stroke_width=2.4, stroke_dasharray="14 7", stroke_opacity=0.8
            )


def draw_path(points: Sequence[Point]) -> str:
    """A path through these points."""
    coordinates = " ".join(f"{(x + 0.5) * SIDE},{(y + 0.5) * SIDE}" for x, y in points)
    return tag("polyline", points=coordinates, fill="none", stroke="#8a6a34", stroke_width=3, stroke_linejoin="round")


@lru_cache(4)  # a replay draws the same names for every position
def axis_names(columns: tuple[str, ...], rows: tuple[str, ...]) -> str:
    """The names of columns above and below the board, and of rows on both sides."""
    right_edge, bottom_edge = len(columns) * SIDE, len(rows) * SIDE
    labels: list[tuple[float, float, str]] = [
        ((x + 0.5) * SIDE, y, name) for x, name in enumerate(columns) for y in (-13, bottom_edge + 25)
    ]
    labels += [(x, (y + 0.5) * SIDE + 6, name) for y, name in enumerate(rows) for x in (-22, right_edge + 22)]
    return "".join(text(x, y, name, 17, font_weight="bold", **FAINT_STYLE) for x, y, name in labels if name)
