"""The pieces of the picture: resources, craftsmen, monuments; what an overlay marks, and the last move."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from zimcli.render.palette import INK, SYMBOLS, owner_style
from zimcli.render.picture import icons
from zimcli.render.picture.ground import LAND, ON_GROUND, with_role
from zimcli.render.picture.outline import Point, outline
from zimcli.render.picture.svg import PAPER, SIDE, apart, moved, tag, text
from zimcore.game import Board, Cell, Overlay, Seat

STROKES = {
    "---": "M-22 0h44",
    "|": "M0 -22v44",
    "/": "M-22 22L22 -22",
    "\\": "M-22 -22L22 22",
    "+": "M-22 0h44M0 -22v44",
}
"""Texts of cells that are lines."""


def pieces(board: Board, colours: Mapping[Seat, str]) -> Iterator[str]:
    """Everything that stands or lies on the ground, row by row."""
    whole: dict[str, set[Point]] = {}
    meanings = dict(board.legend)
    for y, row in enumerate(board.cells):
        for x, cell in enumerate(row):
            if cell.role == "craftsman":
                whole.setdefault(cell.piece or cell.square, set()).add((x, y))
    for y, row in enumerate(board.cells):
        for x, cell in enumerate(row):
            middle = ((x + 0.5) * SIDE, (y + 0.5) * SIDE)
            if cell.square in whole:
                yield craftsman(cell, whole[cell.square], *owner_style(colours.get(cell.owner, "")))
            elif cell.role == "monument":
                yield monument(cell, middle, *owner_style(colours.get(cell.owner, "")))
            elif cell.role == "resource":
                yield moved(*middle, icons.resource(cell.kind), *used(cell.marks))
            elif cell.role == "border" or (cell.role == "path" and board.paths):
                pass  # it lies on the ground
            elif cell.role == "symbol":
                yield moved(*middle, *symbols(cell))
            elif cell.text in STROKES:
                yield moved(*middle, stroke(cell.text))
            elif cell.text and cell.role not in ON_GROUND:
                style = owner_style(colours[cell.owner]) if cell.owner else (INK, LAND)
                yield moved(*middle, *worded(cell, meanings.get(cell.text, ""), *style))


def stroke(words: str) -> str:
    """A line through a cell."""
    return tag("path", d=STROKES[words], stroke="#8a6a34", stroke_width=3)


def symbols(cell: Cell) -> Iterator[str]:
    """A disc for each of the colours, with the letter that stands for it in a text."""
    for at, (colour, letter) in enumerate(zip(cell.kind.split(), cell.text, strict=False)):
        disc = tag("circle", r=9.5, fill=SYMBOLS.get(colour, colour), stroke=PAPER, stroke_width=2.5)
        yield moved(22 * at - 11, 0, disc, text(0, 4, letter, 12, fill="#fff", font_weight="bold"))


def worded(cell: Cell, meaning: str, ink: str, paper: str) -> Iterator[str]:
    """What a cell says; a square that has a name is a plate with what its text means above it."""
    if cell.square or cell.owner:
        yield tag("rect", x=-21, y=-15, width=42, height=30, rx=6, fill=paper, stroke="#1d1a16", stroke_width=1.2)
        yield text(0, 6, cell.text, 15, fill=ink, font_weight="bold" if cell.square else "normal")
    else:
        yield apart(0, 6, cell.text, 15, fill=ink)
    if cell.square and meaning:
        yield apart(0, -19, meaning, 12, fill=INK, font_style="italic")


def used(marks: int) -> Iterator[str]:
    """Used markers, side by side at the foot of a square."""
    return (moved(14 - 10 * at, 14, icons.marker()) for at in range(marks))


def craftsman(cell: Cell, squares: set[Point], ink: str, paper: str) -> str:
    """A tile with the sign of its trade, in its owner's colour."""
    left, top = min(x for x, _ in squares), min(y for _, y in squares)
    across, down = max(x for x, _ in squares) - left + 1, max(y for _, y in squares) - top + 1
    shape = outline(squares, SIDE, 9, 2.5)
    return "".join(
        (
            tag("path", d=shape, fill="#000", opacity=0.2, transform="translate(1.5 2.5)"),
            tag("path", d=shape, fill=paper, stroke="#1d1a16", stroke_width=1.2),
            tag("path", d=outline(squares, SIDE, 7, 5.5), fill="none", stroke=ink, stroke_width=0.8, opacity=0.6),
            moved((left + across / 2) * SIDE, (top + down / 2) * SIDE, *trade(cell.kind, across, down, ink)),
        )
    )


def trade(kind: str, across: int, down: int, ink: str) -> Iterator[str]:
    """The sign and the name of a trade, as they fit on a tile so many squares across and down."""
    words = kind.replace("_", " ").split()
    lines = [" ".join(words)] if across > 1 else words
    size = min(10.5, (across * SIDE - 16) / max(len(line) for line in lines) * 1.75)
    scale, lift, foot = {(2, 2): (1.7, -9, 26.0), (2, 1): (0.9, -5, 13.5)}.get((across, down), (1.1, -12, 14.0))
    yield moved(0, lift, icons.tool(kind, ink), scale=scale)
    yield from (text(0, foot + at * size, line, round(size, 1), fill=ink) for at, line in enumerate(lines))


def monument(cell: Cell, middle: tuple[float, float], ink: str, paper: str) -> str:
    """A tower, with its level beside it."""
    plate = tag("circle", r=6.5, fill=paper, stroke="#1d1a16", stroke_width=0.8)
    level = moved(15, -14, plate, text(0, 3.8, str(cell.marks), 10.5, fill=ink, font_weight="bold"))
    return moved(*middle, icons.tower(cell.marks, ink, paper), level)


def marked(board: Board, overlay: Overlay) -> Iterator[str]:
    """What an overlay marks, and its texts."""
    at = places(board, overlay.squares)
    every = with_role(board, *ON_GROUND)
    yield tag("path", d=outline(every - set(at.values()), SIDE, 0), fill="#4a4030", opacity=0.34, fill_rule="evenodd")
    yield tag(
        "path",
        d=outline(set(at.values()), SIDE, 8),
        fill="#ffd84d",
        fill_opacity=0.16,
        stroke="#a8741a",
        stroke_width=2,
    )
    for square, (x, y) in at.items():
        words = overlay.squares[square]
        if words:
            plate = tag("circle", r=8.5, fill="#fff3c4", stroke="#a8741a", stroke_width=1)
            yield moved(
                x * SIDE + 12, y * SIDE + 12, plate, text(0, 4, words, 11.5, fill="#4a3208", font_weight="bold")
            )


def last(board: Board, squares: Collection[str]) -> Iterator[str]:
    """A frame around the squares of the last move."""
    at = set(places(board, squares).values())
    if at:
        shape = outline(at, SIDE, 9, 0)
        yield tag("path", d=shape, fill="none", stroke="#fff6dc", stroke_width=5)
        yield tag("path", d=shape, fill="none", stroke="#b3261e", stroke_width=2.6)


def places(board: Board, squares: Collection[str]) -> dict[str, Point]:
    """Column and row of squares."""
    cells = ((cell.square, (x, y)) for y, row in enumerate(board.cells) for x, cell in enumerate(row))
    return {square: point for square, point in cells if square in squares}
