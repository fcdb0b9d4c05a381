"""Arrows over the board, slightly bent so that the way there and the way back do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import hypot

from zimcore.game import Arrow, Board, Seat
from zimcore.picture.palette import owner_style
from zimcore.picture.squares import middles_of_pieces
from zimcore.toolkit.svg import INK, tag, text, translate

HALO, UNOWNED = "#fff6dc", "#8a4b12"
BEND = 0.14
"""How far an arrow bends, as a part of its length."""
TIP_GAP = 21
"""Units between the tip of an arrow and the middle of the square where it ends."""
RADIUS = 9.5
"""The radius of the plate of a name, in units."""
NEAR_START = (0.16, 0.24, 0.32, 0.4)
NEAR_TIP = (0.84, 0.76, 0.68, 0.6, 0.92, 0.52, 0.44, 0.36)
"""Where on an arrow its name may be, as parts of its length, the best place first."""

Place = tuple[float, float]
"""A point of the board, in units."""


def arrows(board: Board, arrows_to_draw: Iterable[Arrow], colours: Mapping[Seat, str]) -> Iterator[str]:
    """The arrows with both ends on the board: a seat's arrows in its colour, others thinner.

    A seat's arrow has its name near its tip only: several may start at one square. No name covers another one.
    """
    all_arrows = tuple(arrows_to_draw)
    middle_of = middles_of_pieces(board) if all_arrows else {}
    label_places = list[Place]()
    for arrow in all_arrows:
        if arrow.start in middle_of and arrow.end in middle_of and middle_of[arrow.start] != middle_of[arrow.end]:
            yield draw_arrow(arrow, middle_of[arrow.start], middle_of[arrow.end], colours, label_places)


def draw_arrow(arrow: Arrow, start: Place, end: Place, colours: Mapping[Seat, str], label_places: list[Place]) -> str:
    """One arrow between two points with its name, clear of the names at `label_places`, to which its own is added."""
    (x, y), (x2, y2) = start, end
    length = hypot(x2 - x, y2 - y)
    middle = ((x + x2) / 2 + (y2 - y) * BEND, (y + y2) / 2 - (x2 - x) * BEND)
    distance = hypot(x2 - middle[0], y2 - middle[1])
    dx, dy = (x2 - middle[0]) / distance, (y2 - middle[1]) / distance
    gap = min(TIP_GAP, length / 3)
    tip = (x2 - dx * gap, y2 - dy * gap)
    size = 9 if arrow.seat or arrow.text else 6
    neck = (tip[0] - dx * size, tip[1] - dy * size)
    line = f"M{x:.1f} {y:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {neck[0]:.1f} {neck[1]:.1f}"
    half_size = size * 0.6
    wings = ((neck[0] + side * dy * half_size, neck[1] - side * dx * half_size) for side in (1, -1))
    head_path = f"M{tip[0]:.1f} {tip[1]:.1f}" + "".join(f"L{wing_x:.1f} {wing_y:.1f}" for wing_x, wing_y in wings) + "Z"
    ink, paper = owner_style(colours.get(arrow.seat, "")) if arrow.seat else ("", UNOWNED)
    width = size / 2.6
    style = {"fill": "none", "stroke_linecap": "round"}
    dashes = {} if arrow.seat or arrow.text else {"stroke_dasharray": "1 5"}
    return "".join(
        (  # light colours have dark ink, so their arrows get a dark halo
            tag(
                "path",
                d=line + head_path,
                stroke=INK if ink == INK else HALO,
                stroke_width=width + 3,
                stroke_linejoin="round",
                **style,
            ),
            tag("path", d=line, stroke=paper, stroke_width=width, **dashes, **style),
            tag("path", d=head_path, fill=paper, stroke=paper, stroke_width=1, stroke_linejoin="round"),
            *arrow_labels(arrow, ((x, y), middle, tip), label_places),
        )
    )


def arrow_labels(arrow: Arrow, points: tuple[Place, Place, Place], label_places: list[Place]) -> Iterator[str]:
    """The name of an arrow, written on it: near its tip, and near its start if it is no seat's."""
    if not arrow.text:
        return
    for parts in (NEAR_TIP,) if arrow.seat else (NEAR_START, NEAR_TIP):
        free_places = (
            point for curve_share in parts if is_clear_of(point := point_on_curve(curve_share, *points), label_places)
        )
        label_place = next(free_places, point_on_curve(parts[0], *points))
        label_places.append(label_place)
        plate = tag("circle", r=RADIUS, fill=HALO, stroke=UNOWNED, stroke_width=1.6)
        yield translate(*label_place, plate, text(0, 4.8, arrow.text, 13.5, fill=INK, font_weight="bold"))


def point_on_curve(curve_share: float, start: Place, middle: Place, end: Place) -> Place:
    """The place on a quadratic curve after this part of it, from 0 to 1."""
    remaining_part = 1 - curve_share
    weights = remaining_part * remaining_part, 2 * curve_share * remaining_part, curve_share * curve_share
    x, y = (
        sum(weight * coordinate for weight, coordinate in zip(weights, coordinates, strict=True))
        for coordinates in zip(start, middle, end, strict=True)
    )
    return x, y


def is_clear_of(point: Place, label_places: Iterable[Place]) -> bool:
    """Whether a name there would cover none at `label_places`."""
    return all(hypot(point[0] - x, point[1] - y) >= 2 * RADIUS + 1.6 for x, y in label_places)
