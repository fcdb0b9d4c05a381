"""Draws the ground: land, water and start areas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from zimcore.game import Board
from zimcore.toolkit.outline import Point, outline
from zimcore.toolkit.svg import SIDE, tag, translate

LAND_COLOUR, GRID_COLOUR, SHORE_COLOUR, WATER_COLOUR, WAVE_COLOUR = (
    "#e6cf98",
    "#c7ab6c",
    "#f6e9c4",
    "#3f86a8",
    "#8fc4d8",
)


def ground(board: Board) -> Iterator[str]:
    """The land, the lakes and the start areas."""
    role_by_point = {(x, y): cell.role for y, row in enumerate(board.cells) for x, cell in enumerate(row)}
    yield earth(frozenset(point for point, role in role_by_point.items() if role != "void"))
    yield lakes(frozenset(point for point, role in role_by_point.items() if role == "water"))
    yield from (start_area(*point) for point, role in role_by_point.items() if role == "start")


@lru_cache(8)  # the land is the same for all positions of a match, and its outline takes half of the time
def earth(land: frozenset[Point]) -> str:
    """The land and its grid."""
    if not land:
        return ""
    shape = outline(land, SIDE, 12, -5)
    return "".join(
        (
            tag("path", d=shape, fill="#000", fill_opacity=0.18, transform="translate(4 6)"),
            tag("path", d=shape, fill=LAND_COLOUR, stroke="#8a6a34", stroke_width=2.5),
            tag(
                "path", d=outline(land, SIDE, 10, 0), fill="none", stroke="#fff6dc", stroke_width=1, stroke_opacity=0.7
            ),
            grid(land),
        )
    )


def grid(land: frozenset[Point]) -> str:
    """Fine dotted lines between squares."""
    lines = [f"M{x * SIDE} {y * SIDE}h{SIDE}" for x, y in sorted(land) if (x, y - 1) in land]
    lines += [f"M{x * SIDE} {y * SIDE}v{SIDE}" for x, y in sorted(land) if (x - 1, y) in land]
    return tag("path", d="".join(lines), stroke=GRID_COLOUR, stroke_width=1, stroke_dasharray="1 3.4", fill="none")


@lru_cache(32)  # water grows by a tile now and then
def lakes(water: frozenset[Point]) -> str:
    """Lakes with their shores and a few waves."""
    if not water:
        return ""
    waves = [f"M{x * SIDE + 11} {y * SIDE + 17 + 9 * ((x + y) % 2)}q5 -5 11 0t11 0" for x, y in sorted(water)]
    stroke = {"fill": "none", "stroke": WAVE_COLOUR}
    return "".join(
        (
            tag("path", d=outline(water, SIDE, 15, 1), fill=SHORE_COLOUR, stroke="#b99a5c", stroke_width=1),
            tag("path", d=outline(water, SIDE, 13, 4.5), fill=WATER_COLOUR),
            tag("path", d=outline(water, SIDE, 11, 8), **stroke, stroke_width=1, stroke_opacity=0.6),
            tag("path", d="".join(waves), **stroke, stroke_width=1.4, stroke_opacity=0.8, stroke_linecap="round"),
        )
    )


def start_area(x: int, y: int) -> str:
    """A start area: a ring of stones."""
    ring = tag("circle", r=13, fill="#f4e6ba", stroke="#9a7b3e", stroke_width=3, stroke_dasharray="4.8 2")
    return translate((x + 0.5) * SIDE, (y + 0.5) * SIDE, ring, tag("path", d="M0 -5L5 0L0 5L-5 0Z", fill="#9a7b3e"))
