"""What is drawn over the board: the squares and texts of an overlay, and frames around the pieces of the last move."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from zimcore.game import Board, Consequence, Overlay
from zimcore.picture.squares import ground_of, middles_of_pieces, points_of_squares, squares_of_pieces
from zimcore.toolkit.outline import Point, outline
from zimcore.toolkit.svg import INK, PAPER, SIDE, tag, text, translate

LINE_STYLES: Sequence[Mapping[str, object]] = tuple(
    {"fill": "none", "stroke": colour, "stroke_width": width, "stroke_opacity": opacity}
    for colour, width, opacity in ((PAPER, 4.5, 0.7), (INK, 1.8, 0.85))
)
"""A thin line in ink with an edge of paper."""
SQUARE_HELP_STARTS = ("SQUARE", "[LOCATION]", "LOCATION", "[SQUARE]")
"""How the help of an overlay or a question begins if it takes a square."""
GOLD = "#a8741a"
PLATE_HEIGHT = 19.0
"""The height and the least width of a plate, the rounded rectangle behind a text, in units."""


def draw_overlay(board: Board, overlay: Overlay) -> Iterator[str]:
    """The squares of an overlay, with texts in their corners; the rest of the board is shaded."""
    points = points_of_squares(board, overlay.squares)
    marked_squares = set(points.values())
    shade_path = outline(ground_of(board).keys() - marked_squares, SIDE, 0)
    yield tag("path", d=shade_path, fill="#4a4030", fill_opacity=0.34, fill_rule="evenodd")
    style: dict[str, object] = {"fill": "#ffd84d", "fill_opacity": 0.16, "stroke": GOLD, "stroke_width": 2}
    yield tag("path", d=outline(marked_squares, SIDE, 8), **style)
    yield from (draw_plate(*corner, label) for corner, label in labelled_corners(board, overlay, points))


def labelled_corners(
    board: Board, overlay: Overlay, points: Mapping[str, Point]
) -> Iterator[tuple[tuple[float, float], str]]:
    """Each text with the top left corner of its plate: in its square, or at the top right of a larger piece.

    On a map of places it is to the left of the place, so as not to hide its name.
    """
    ground_squares, piece_points_by_square = ground_of(board), squares_of_pieces(board)
    for piece_points in dict.fromkeys(piece_points_by_square[square] for square in points):
        labels_by_point = {point: overlay.squares[square] for square, point in points.items() if point in piece_points}
        distinct_labels = {label for label in labels_by_point.values() if label}
        if len(piece_points) > 1 and len(distinct_labels) == 1:
            (label,) = distinct_labels
            right_edge, top = (max(x for x, _ in piece_points) + 1) * SIDE, min(y for _, y in piece_points) * SIDE
            yield (right_edge - plate_width(label) - 1.5, top + 1.5), label
            continue
        for (x, y), label in labels_by_point.items():
            if label and (x, y) in ground_squares:
                yield (x * SIDE + 0.5, y * SIDE + 0.5), label
            elif label:
                yield (x * SIDE - plate_width(label), y * SIDE + (SIDE - PLATE_HEIGHT) / 2), label


def draw_consequences(board: Board, consequences: Collection[Consequence]) -> Iterator[str]:
    """A sign for each consequence: its kind shows in its form (a ring, a line with a disc, a broken ring, a cross)."""
    middle_by_square = middles_of_pieces(board)
    known = [each for each in consequences if each.square in middle_by_square]
    for each in known:
        (x, y), start = middle_by_square[each.square], middle_by_square.get(each.start)
        if start:
            yield from (tag("path", d=f"M{start[0]} {start[1]}L{x} {y}", **style) for style in LINE_STYLES)
    for each in known:
        yield translate(*middle_by_square[each.square], *_sign_of(each))


def _sign_of(consequence: Consequence) -> Iterator[str]:
    match consequence.kind:
        case "gains":
            yield from (tag("circle", r=19, fill="none", stroke=c, stroke_width=w) for c, w in ((PAPER, 7), (INK, 3.4)))
        case "shares":
            yield tag("circle", r=19, fill="none", stroke=INK, stroke_width=2.6, stroke_dasharray="4 6")
        case "loses":
            yield from (
                tag("path", d="M-15 -15L15 15M-15 15L15 -15", stroke=c, stroke_width=w)
                for c, w in ((PAPER, 7), (INK, 3.4))
            )
        case _:
            yield tag("circle", r=10, fill=INK, stroke=PAPER, stroke_width=1.6)
            yield text(0, 4.6, consequence.text, 13, fill=PAPER, font_weight="bold")


def plate_width(label: str) -> float:
    """The width of the plate of a text."""
    return max(PLATE_HEIGHT, 8.2 * len(label) + 6)


def draw_plate(x: float, top: float, label: str) -> str:
    """A text on a plate of its width."""
    width = plate_width(label)
    background = tag(
        "rect", width=width, height=PLATE_HEIGHT, rx=PLATE_HEIGHT / 2, fill="#fff3c4", stroke=GOLD, stroke_width=1.2
    )
    return translate(x, top, background, text(width / 2, 14.5, label, 14, fill="#4a3208", font_weight="bold"))


def last_move_frames(board: Board, squares: Collection[str]) -> Iterator[str]:
    """A frame around each piece or empty square of the last move."""
    if not squares:
        return
    piece_points_by_square = squares_of_pieces(board)
    framed_pieces = dict.fromkeys(
        piece_points for square, piece_points in piece_points_by_square.items() if square in squares
    )
    frames_path = "".join(outline(piece_points, SIDE, 9, 0) for piece_points in framed_pieces)
    if frames_path:
        yield tag("path", d=frames_path, fill="none", stroke="#fff6dc", stroke_width=5)
        yield tag("path", d=frames_path, fill="none", stroke="#b3261e", stroke_width=2.6)


def outline_of_squares(board: Board, squares: Collection[str]) -> str:
    """An SVG path around squares and all squares of the pieces on them: it crosses no piece."""
    points = squares_of_pieces(board)
    return outline({point for square in squares if square in points for point in points[square]}, SIDE, 8)
