"""What lies on the map: the symbols of the locations. Everything else is drawn as its text says."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Board, Cell
from zimcore.toolkit.svg import INK, PAPER, moved, tag, text

SYMBOLS = {
    "magenta": "#c2267e",
    "turquoise": "#12939a",
    "gray": "#77736c",
    "orange": "#e07b22",
    "violet": "#6d3f9c",
}
"""The colours of symbols, by their names on the cards."""


def ground(board: Board) -> tuple[str, ...]:
    """Nothing: the map is its locations and the routes between them."""
    return ()


def piece(cell: Cell, size: tuple[int, int], ink: str, paper: str) -> str:
    """The symbols of a location."""
    return "".join(symbols(cell)) if cell.role == "symbol" else ""


def symbols(cell: Cell) -> Iterator[str]:
    """A disc for each of the colours, with the letter that stands for it in a text."""
    for at, (colour, letter) in enumerate(zip(cell.kind.split(), cell.text, strict=True)):
        disc = tag("circle", r=9.5, fill=SYMBOLS[colour], stroke=PAPER, stroke_width=2.5)
        yield moved(22 * at - 11, 0, disc, text(0, 4, letter, 12, fill="#fff", font_weight="bold"))


def emblem(ink: str, paper: str) -> str:
    """An explorer."""
    body = "M-11 15Q-10 -1 -4 -3A8.5 8.5 0 1 1 4 -3Q10 -1 11 15Z"
    return tag("path", d=body, fill=paper, stroke=INK, stroke_width=1.4, stroke_linejoin="round")
