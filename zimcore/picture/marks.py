"""Marks over the board: the squares and texts of an overlay, and frames around the pieces of the last move."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from zimcore.game import Board, Overlay
from zimcore.picture.squares import ground_of, points_of_squares, squares_of_pieces
from zimcore.toolkit.outline import Point, outline
from zimcore.toolkit.svg import SIDE, tag, text, translate

GOLD = "#a8741a"
PLATE = 19.0
"""The height of the plate of a text, and its least width, in units."""


def draw_overlay(board: Board, overlay: Overlay) -> Iterator[str]:
    """The squares of an overlay, with texts in their corners; the rest of the board is shaded."""
    points = points_of_squares(board, overlay.squares)
    marked_squares = set(points.values())
    shade = outline(ground_of(board).keys() - marked_squares, SIDE, 0)
    yield tag("path", d=shade, fill="#4a4030", fill_opacity=0.34, fill_rule="evenodd")
    style: dict[str, object] = {"fill": "#ffd84d", "fill_opacity": 0.16, "stroke": GOLD, "stroke_width": 2}
    yield tag("path", d=outline(marked_squares, SIDE, 8), **style)
    yield from (plate(*corner, words) for corner, words in badges(board, overlay, points))


def badges(board: Board, overlay: Overlay, points: Mapping[str, Point]) -> Iterator[tuple[tuple[float, float], str]]:
    """Each text with the top left corner of its plate: in its square, or at the top right of a larger piece.

    On a map of places it is on the left of the place, whose name is drawn there.
    """
    ground_squares, squares_by_piece = ground_of(board), squares_of_pieces(board)
    for squares in dict.fromkeys(squares_by_piece[square] for square in points):
        texts = {point: overlay.squares[square] for square, point in points.items() if point in squares}
        distinct_texts = {words for words in texts.values() if words}
        if len(squares) > 1 and len(distinct_texts) == 1:
            (words,) = distinct_texts
            right_edge, top = (max(x for x, _ in squares) + 1) * SIDE, min(y for _, y in squares) * SIDE
            yield (right_edge - plate_width(words) - 1.5, top + 1.5), words
            continue
        for (x, y), words in texts.items():
            if words and (x, y) in ground_squares:
                yield (x * SIDE + 0.5, y * SIDE + 0.5), words
            elif words:
                yield (x * SIDE - plate_width(words), y * SIDE + (SIDE - PLATE) / 2), words


def plate_width(words: str) -> float:
    """The width of the plate of a text."""
    return max(PLATE, 8.2 * len(words) + 6)


def plate(x: float, top: float, words: str) -> str:
    """A text on a plate of its width."""
    width = plate_width(words)
    background = tag("rect", width=width, height=PLATE, rx=PLATE / 2, fill="#fff3c4", stroke=GOLD, stroke_width=1.2)
    return translate(x, top, background, text(width / 2, 14.5, words, 14, fill="#4a3208", font_weight="bold"))


def last_move_frames(board: Board, squares: Collection[str]) -> Iterator[str]:
    """A frame around each piece or empty square of the last move."""
    if not squares:
        return
    groups = squares_of_pieces(board)
    frames = dict.fromkeys(groups[square] for square in groups if square in squares)
    shape = "".join(outline(squares_of_piece, SIDE, 9, 0) for squares_of_piece in frames)
    if shape:
        yield tag("path", d=shape, fill="none", stroke="#fff6dc", stroke_width=5)
        yield tag("path", d=shape, fill="none", stroke="#b3261e", stroke_width=2.6)
