"""Arrows over the board, slightly bent so that the way there and the way back do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import hypot

from zimcore.game import Arrow, Board, Seat
from zimcore.picture.palette import owner_style
from zimcore.picture.squares import middles
from zimcore.toolkit.svg import INK, tag, text, translate

HALO, UNOWNED = "#fff6dc", "#8a4b12"
BEND = 0.14
"""How far an arrow bends, as a part of its length."""
TIP_GAP = 21
"""Units between the tip of an arrow and the middle of the square where it ends."""


def arrows(board: Board, given: Iterable[Arrow], colours: Mapping[Seat, str]) -> Iterator[str]:
    """The arrows with both ends on the board: a seat's arrows in its colour, others thinner."""
    found = tuple(given)
    at = middles(board) if found else {}
    for arrow in found:
        if arrow.start in at and arrow.end in at and at[arrow.start] != at[arrow.end]:
            yield draw_arrow(arrow, at[arrow.start], at[arrow.end], colours)


def draw_arrow(arrow: Arrow, start: tuple[float, float], end: tuple[float, float], colours: Mapping[Seat, str]) -> str:
    """One arrow between two points, with its name near both ends."""
    (x, y), (x2, y2) = start, end
    length = hypot(x2 - x, y2 - y)
    middle = ((x + x2) / 2 + (y2 - y) * BEND, (y + y2) / 2 - (x2 - x) * BEND)
    back = hypot(x2 - middle[0], y2 - middle[1])
    dx, dy = (x2 - middle[0]) / back, (y2 - middle[1]) / back
    gap = min(TIP_GAP, length / 3)
    tip = (x2 - dx * gap, y2 - dy * gap)
    size = 9 if arrow.seat or arrow.text else 6
    neck = (tip[0] - dx * size, tip[1] - dy * size)
    line = f"M{x:.1f} {y:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {neck[0]:.1f} {neck[1]:.1f}"
    half = size * 0.6
    wings = ((neck[0] + side * dy * half, neck[1] - side * dx * half) for side in (1, -1))
    head = f"M{tip[0]:.1f} {tip[1]:.1f}" + "".join(f"L{a:.1f} {b:.1f}" for a, b in wings) + "Z"
    ink, paper = owner_style(colours.get(arrow.seat, "")) if arrow.seat else ("", UNOWNED)
    width = size / 2.6
    style = {"fill": "none", "stroke_linecap": "round"}
    dashes = {} if arrow.seat or arrow.text else {"stroke_dasharray": "1 5"}
    return "".join(
        (  # light colours have dark ink, so their arrows get a dark halo
            tag(
                "path",
                d=line + head,
                stroke=INK if ink == INK else HALO,
                stroke_width=width + 3,
                stroke_linejoin="round",
                **style,
            ),
            tag("path", d=line, stroke=paper, stroke_width=width, **dashes, **style),
            tag("path", d=head, fill=paper, stroke=paper, stroke_width=1, stroke_linejoin="round"),
            *names(arrow.text, (x, y), middle, tip),
        )
    )


def names(words: str, *points: tuple[float, float]) -> Iterator[str]:
    """The name of an arrow, written on it near both ends."""
    if not words:
        return
    (x, y), (mx, my), (x2, y2) = points
    for part in (0.16, 0.84):
        before = 1 - part
        spot = (before * before * a + 2 * part * before * b + part * part * c for a, b, c in ((x, mx, x2), (y, my, y2)))
        plate = tag("circle", r=9.5, fill=HALO, stroke=UNOWNED, stroke_width=1.6)
        yield translate(next(spot), next(spot), plate, text(0, 4.8, words, 13.5, fill=INK, font_weight="bold"))
