"""What lies over the board: the squares of an overlay with its texts, and a frame around those of the last move."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from zimcore.game import Board, Overlay
from zimcore.picture.squares import ground_of, places
from zimcore.toolkit.outline import outline
from zimcore.toolkit.svg import SIDE, moved, tag, text

GOLD = "#a8741a"


def marked(board: Board, overlay: Overlay) -> Iterator[str]:
    """What an overlay marks, and its texts; everything else is in the shade."""
    at = places(board, overlay.squares)
    there = set(at.values())
    shade = outline(ground_of(board).keys() - there, SIDE, 0)
    yield tag("path", d=shade, fill="#4a4030", fill_opacity=0.34, fill_rule="evenodd")
    lit: dict[str, object] = {"fill": "#ffd84d", "fill_opacity": 0.16, "stroke": GOLD, "stroke_width": 2}
    yield tag("path", "", d=outline(there, SIDE, 8), **lit)
    for square, (x, y) in at.items():
        words = overlay.squares[square]
        if words:
            plate = tag("circle", r=8.5, fill="#fff3c4", stroke=GOLD, stroke_width=1)
            letters = text(0, 4, words, 11.5, fill="#4a3208", font_weight="bold")
            yield moved(x * SIDE + 12, y * SIDE + 12, plate, letters)


def last(board: Board, squares: Collection[str]) -> Iterator[str]:
    """A frame around the squares of the last move."""
    at = set(places(board, squares).values()) if squares else ()
    if at:
        shape = outline(at, SIDE, 9, 0)
        yield tag("path", d=shape, fill="none", stroke="#fff6dc", stroke_width=5)
        yield tag("path", d=shape, fill="none", stroke="#b3261e", stroke_width=2.6)
