"""Africa and its surroundings: our own drawing, in columns and rows of the grid of locations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

from zimcore.game import Board
from zimcore.games.africana.art.symbols import SYMBOL_COLOURS, symbol
from zimcore.games.africana.components import Colour
from zimcore.toolkit.svg import SIDE, group, tag, text, translate

Shore: TypeAlias = Sequence[tuple[float, float]]

AFRICA: Shore = (
    *((2.1, 1.5), (3.4, 1.9), (5.2, 1.4), (7.3, 1.3), (7.9, 1.7), (7.4, 2.5), (8.4, 3.0), (9.4, 4.0), (10.2, 3.9)),
    *((10.0, 3.1), (11.2, 2.8), (12.6, 2.9), (13.8, 2.9), (14.1, 3.6), (13.9, 3.9), (14.5, 5.3), (15.0, 6.9)),
    *((15.5, 8.6), (16.1, 9.6), (16.9, 10.5), (17.8, 10.8), (18.6, 10.5), (18.5, 11.4), (17.9, 12.8), (17.0, 14.3)),
    *((16.9, 15.3), (17.5, 16.2), (17.3, 17.3), (16.7, 18.6), (16.4, 19.7), (16.1, 20.8), (15.4, 21.6), (14.5, 22.5)),
    *((14.6, 23.6), (14.1, 24.6), (13.6, 25.6), (12.6, 26.5), (11.1, 27.2), (9.5, 27.5), (8.8, 27.1), (8.6, 26.0)),
    *((8.0, 24.8), (7.2, 23.6), (6.7, 22.2), (6.6, 20.6), (6.8, 19.2), (6.6, 18.1), (7.1, 17.0), (7.2, 16.0)),
    *((6.6, 14.9), (6.7, 13.9), (6.3, 13.3), (5.5, 13.3), (4.4, 12.9), (3.1, 13.2), (2.0, 13.1), (1.0, 12.3)),
    *((0.3, 11.3), (-0.3, 10.3), (-0.5, 9.5), (-0.1, 8.4), (0.1, 6.9), (0.1, 5.6), (0.8, 4.3), (1.5, 3.2), (1.9, 2.3)),
)
OTHER_LANDS: Sequence[Shore] = (
    ((16.9, 19.9), (17.6, 19.6), (17.9, 20.6), (17.9, 22.1), (17.3, 23.9), (16.6, 24.8), (16.0, 24.5), (15.8, 22.9)),
    ((6.6, -0.7), (8.6, -0.7), (9.6, 0.1), (10.2, 0.8), (9.8, 1.1), (9.5, 1.7), (9.1, 1.5), (8.7, 1.1), (7.6, 0.6)),
    ((8.2, 1.75), (9.0, 1.75), (8.8, 2.15), (8.2, 2.0)),
    ((0.6, -0.7), (4.2, -0.7), (4.1, 0.4), (3.2, 0.9), (2.4, 1.2), (1.3, 1.0), (0.8, 0.4)),
    (
        (14.6, 2.5),
        (16.5, 1.9),
        (18.7, 1.9),
        (18.7, 9.2),
        (17.6, 9.6),
        (17.0, 9.0),
        (16.1, 7.6),
        (15.3, 5.9),
        (14.8, 4.2),
    ),
    ((11.0, -0.7), (18.7, -0.7), (18.7, 1.9), (16.0, 1.2), (13.4, 0.9), (12.2, 0.2), (11.6, 1.0), (11.2, 0.4)),
)
"""Madagascar, Italy, Sicily, Iberia, Arabia, Greece and Anatolia."""

LAND_COLOUR, SHORE_COLOUR, SEA_COLOUR, COAST_COLOUR, WAVE_COLOUR = "#e6cf98", "#f6e9c4", "#4a90b0", "#3f86a8", "#a9d3e2"
SEA_MARGIN = 0.72
"""How far the sea extends beyond the grid, in squares."""


def ground(board: Board) -> Iterator[str]:
    """The sea and the lands, if all locations lie on them: your own components may have another map."""
    location_points = [
        (x + 0.5, y + 0.5) for y, row in enumerate(board.cells) for x, cell in enumerate(row) if cell.role == "place"
    ]
    if location_points and all(
        any(is_inside(shore, point) for shore in (AFRICA, *OTHER_LANDS)) for point in location_points
    ):
        yield lands(len(board.columns), len(board.rows))
        yield from (equator(y) for y, row in enumerate(board.cells) if any(cell.role == "border" for cell in row))
        yield from legend([meaning for _, meaning in board.legend if meaning in SYMBOL_COLOURS], len(board.rows))


@lru_cache(4)  # the map is the same for all positions of a match
def lands(columns: int, rows: int) -> str:
    """The sea and all lands, for a grid of this size."""
    frame = {"x": -SEA_MARGIN * SIDE, "y": -SEA_MARGIN * SIDE, "rx": 18}
    size = {"width": (columns + 2 * SEA_MARGIN) * SIDE, "height": (rows + 2 * SEA_MARGIN) * SIDE}
    coasts = "".join(map(coast_path, (AFRICA, *OTHER_LANDS)))
    coast_strokes = (
        tag("path", d=coasts, fill="none", stroke=COAST_COLOUR, stroke_width=30, stroke_linejoin="round"),
        tag("path", d=coasts, fill="none", stroke=WAVE_COLOUR, stroke_width=13, stroke_linejoin="round"),
        tag("path", d=coasts, fill=LAND_COLOUR, stroke=SHORE_COLOUR, stroke_width=5, stroke_linejoin="round"),
        tag("path", d=coasts, fill="none", stroke="#8a6a34", stroke_width=1.4),
    )
    sea = tag("rect", fill=SEA_COLOUR, **frame, **size)
    return "".join(
        (
            tag("clipPath", tag("rect", **frame, **size), id="sea"),
            sea,
            group(coast_strokes, clip_path="url(#sea)"),
            tag("rect", fill="none", stroke="#8a6a34", stroke_width=2.5, **frame, **size),
        )
    )


def equator(row: int) -> str:
    """The word `equator`, in the sea at this row."""
    style = {"font_style": "italic", "text_anchor": "start", "letter_spacing": 2, "fill": "#fdf3dc"}
    return text(-SEA_MARGIN * SIDE + 12, (row + 0.5) * SIDE - 8, "equator", 14, **style)


def legend(colours: Sequence[Colour], rows: int) -> Iterator[str]:
    """The legend of the signs, in the ocean to the south west."""
    for index, colour in enumerate(colours):
        y = (rows - len(colours) + index - 0.3) * SIDE * 0.9 + rows * SIDE * 0.1
        label = text(20, 5, colour, 15, fill="#fdf3dc", text_anchor="start", font_style="italic")
        yield translate(0.2 * SIDE, y, symbol(colour), label)


@cache
def coast_path(shore: Shore) -> str:
    """A closed curve through the midpoints of a shore's edges, bent at its points."""
    points = [(x * SIDE, y * SIDE) for x, y in shore]
    bend_pairs = zip(points, [*points[1:], points[0]], strict=True)
    curves = "".join(f"Q{x:.0f} {y:.0f} {(x + x2) / 2:.0f} {(y + y2) / 2:.0f}" for (x, y), (x2, y2) in bend_pairs)
    (x, y), (x2, y2) = points[-1], points[0]
    return f"M{(x + x2) / 2:.0f} {(y + y2) / 2:.0f}{curves}Z"


def is_inside(shore: Shore, point: tuple[float, float]) -> bool:
    """Whether a spot is inside a shore: a ray to the right crosses the shore an odd number of times."""
    x, y = point
    is_crossed_oddly = False
    for (ax, ay), (bx, by) in zip(shore, [*shore[1:], shore[0]], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            is_crossed_oddly = not is_crossed_oddly
    return is_crossed_oddly
