"""The ground of the picture: land, water, start areas, and the names of columns and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.render.picture.outline import Point, outline
from zimcli.render.picture.svg import SIDE, moved, tag, text
from zimcore.game import Board

ON_GROUND = ("land", "water", "start", "resource", "monument", "craftsman")
"""The roles of cells that are squares of ground; on a board of others lines and words are drawn."""
LAND, GRID, SHORE, WATER, WAVE = "#e6cf98", "#c7ab6c", "#f6e9c4", "#3f86a8", "#8fc4d8"


def with_role(board: Board, *roles: str) -> set[Point]:
    """The squares with one of these roles, as column and row."""
    return {(x, y) for y, row in enumerate(board.cells) for x, cell in enumerate(row) if cell.role in roles}


def ground(board: Board) -> Iterator[str]:
    """Everything that pieces stand on."""
    land = with_role(board, *ON_GROUND)
    if land:
        yield from earth(land)
    yield from lakes(with_role(board, "water"))
    yield from (start(x, y) for x, y in with_role(board, "start"))
    yield from borders(board)
    yield from map(path, board.paths)
    yield from names(board)


def borders(board: Board) -> Iterator[str]:
    """Lines right across the board, where its cells say so."""
    for y, row in enumerate(board.cells):
        if any(cell.role == "border" for cell in row):
            d = f"M0 {(y + 0.5) * SIDE}h{len(row) * SIDE}"
            yield tag("path", d=d, stroke="#b3261e", stroke_width=2.4, stroke_dasharray="14 7", opacity=0.8)


def path(spots: Sequence[Point]) -> str:
    """A way over the board, over all its bends."""
    points = " ".join(f"{(x + 0.5) * SIDE},{(y + 0.5) * SIDE}" for x, y in spots)
    return tag("polyline", points=points, fill="none", stroke="#8a6a34", stroke_width=3, stroke_linejoin="round")


def earth(land: set[Point]) -> Iterator[str]:
    """The land, and the squares on it."""
    shape = outline(land, SIDE, 12, -5)
    yield tag("path", d=shape, fill="#000", opacity=0.18, transform="translate(4 6)")
    yield tag("path", d=shape, fill=LAND, stroke="#8a6a34", stroke_width=2.5)
    yield tag("path", d=outline(land, SIDE, 10, 0), fill="none", stroke="#fff6dc", stroke_width=1, opacity=0.7)
    yield from grid(land)


def grid(land: set[Point]) -> Iterator[str]:
    """A fine dotted line between squares."""
    lines = [f"M{x * SIDE} {y * SIDE}h{SIDE}" for x, y in sorted(land) if (x, y - 1) in land]
    lines += [f"M{x * SIDE} {y * SIDE}v{SIDE}" for x, y in sorted(land) if (x - 1, y) in land]
    yield tag("path", d="".join(lines), stroke=GRID, stroke_width=1, stroke_dasharray="1 3.4", fill="none")


def lakes(water: set[Point]) -> Iterator[str]:
    """Water with its shore, and a few waves."""
    if not water:
        return
    yield tag("path", d=outline(water, SIDE, 15, 1), fill=SHORE, stroke="#b99a5c", stroke_width=1)
    yield tag("path", d=outline(water, SIDE, 13, 4.5), fill=WATER)
    yield tag("path", d=outline(water, SIDE, 11, 8), fill="none", stroke=WAVE, stroke_width=1, opacity=0.6)
    waves = [f"M{x * SIDE + 11} {y * SIDE + 17 + 9 * ((x + y) % 2)}q5 -5 11 0t11 0" for x, y in sorted(water)]
    yield tag("path", d="".join(waves), fill="none", stroke=WAVE, stroke_width=1.4, opacity=0.8, stroke_linecap="round")


def start(x: int, y: int) -> str:
    """A place to begin: a ring of stones."""
    ring = tag("circle", r=13, fill="#f4e6ba", stroke="#9a7b3e", stroke_width=3, stroke_dasharray="4.8 2")
    return moved((x + 0.5) * SIDE, (y + 0.5) * SIDE, ring, tag("path", d="M0 -5L5 0L0 5L-5 0Z", fill="#9a7b3e"))


def names(board: Board) -> Iterator[str]:
    """The letters above and below, the numbers on both sides."""
    right, foot = len(board.columns) * SIDE, len(board.rows) * SIDE
    style = {"fill": "#6f5325", "font_weight": "bold"}
    for x, name in enumerate(board.columns):
        yield from (text((x + 0.5) * SIDE, y, name, 15, **style) for y in (-14, foot + 25))
    for y, name in enumerate(board.rows):
        yield from (text(x, (y + 0.5) * SIDE + 5, name, 15, **style) for x in (-22, right + 22))
