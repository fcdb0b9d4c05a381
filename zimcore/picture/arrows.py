"""Arrows over the board, slightly bent so that the way there and the way back do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import hypot

from zimcore.game import Arrow, Board, Seat
from zimcore.picture.palette import owner_style
from zimcore.picture.squares import middles_of_pieces
from zimcore.toolkit.svg import INK, tag, text, translate

HALO_COLOUR, UNOWNED_COLOUR = "#fff6dc", "#8a4b12"
BEND = 0.14
"""How far an arrow bends, as a part of its length."""
TIP_GAP = 21
"""Units between the tip of an arrow and the middle of the square where it ends."""
PLATE_RADIUS = 9.5
"""The radius of the plate of a name, in units."""
NEAR_START = (0.16, 0.24, 0.32, 0.4)
NEAR_TIP = (0.84, 0.76, 0.68, 0.6, 0.92, 0.52, 0.44, 0.36)
"""Where on an arrow its name may be, as parts of its length, the best place first."""

BoardPoint = tuple[float, float]
"""A point of the board, in units."""


def draw_arrows(board: Board, arrows_to_draw: Iterable[Arrow], colours: Mapping[Seat, str]) -> Iterator[str]:
    """The arrows with both ends on the board: a seat's arrows in its colour, others thinner.

    A seat's arrow has its name near its tip only: several may start at one square. No name covers another one.
    """
    all_arrows = tuple(arrows_to_draw)
    middles_by_square = middles_of_pieces(board) if all_arrows else {}
    label_points = list[BoardPoint]()
    for arrow in all_arrows:
        if (
            arrow.start in middles_by_square
            and arrow.end in middles_by_square
            and middles_by_square[arrow.start] != middles_by_square[arrow.end]
        ):
            yield draw_arrow(arrow, middles_by_square[arrow.start], middles_by_square[arrow.end], colours, label_points)


def draw_arrow(
    arrow: Arrow, start: BoardPoint, end: BoardPoint, colours: Mapping[Seat, str], label_points: list[BoardPoint]
) -> str:
    """One arrow between two points with its name, clear of the names at `label_points`, to which its own is added."""
    (x, y), (x2, y2) = start, end
    length = hypot(x2 - x, y2 - y)
    bend_point = ((x + x2) / 2 + (y2 - y) * BEND, (y + y2) / 2 - (x2 - x) * BEND)
    distance = hypot(x2 - bend_point[0], y2 - bend_point[1])
    dx, dy = (x2 - bend_point[0]) / distance, (y2 - bend_point[1]) / distance
    gap = min(TIP_GAP, length / 3)
    tip = (x2 - dx * gap, y2 - dy * gap)
    size = 9 if arrow.seat or arrow.text else 6
    neck = (tip[0] - dx * size, tip[1] - dy * size)
    line = f"M{x:.1f} {y:.1f}Q{bend_point[0]:.1f} {bend_point[1]:.1f} {neck[0]:.1f} {neck[1]:.1f}"
    half_size = size * 0.6
    wings = ((neck[0] + side * dy * half_size, neck[1] - side * dx * half_size) for side in (1, -1))
    head_path = f"M{tip[0]:.1f} {tip[1]:.1f}" + "".join(f"L{wing_x:.1f} {wing_y:.1f}" for wing_x, wing_y in wings) + "Z"
    ink, paper = owner_style(colours.get(arrow.seat, "")) if arrow.seat else ("", UNOWNED_COLOUR)
    width = size / 2.6
    style = {"fill": "none", "stroke_linecap": "round"}
    dashes = {} if arrow.seat or arrow.text else {"stroke_dasharray": "1 5"}
    return "".join(
        (  # light colours have dark ink, so their arrows get a dark halo
            tag(
                "path",
                d=line + head_path,
                stroke=INK if ink == INK else HALO_COLOUR,
                stroke_width=width + 3,
                stroke_linejoin="round",
                **style,
            ),
            tag("path", d=line, stroke=paper, stroke_width=width, **dashes, **style),
            tag("path", d=head_path, fill=paper, stroke=paper, stroke_width=1, stroke_linejoin="round"),
            *arrow_labels(arrow, ((x, y), bend_point, tip), label_points),
        )
    )


def arrow_labels(
    arrow: Arrow, points: tuple[BoardPoint, BoardPoint, BoardPoint], label_points: list[BoardPoint]
) -> Iterator[str]:
    """The name of an arrow, written on it: near its tip, and near its start if it is no seat's."""
    if not arrow.text:
        return
    for curve_shares in (NEAR_TIP,) if arrow.seat else (NEAR_START, NEAR_TIP):
        free_points = (
            point
            for curve_share in curve_shares
            if is_clear_of(point := point_on_curve(curve_share, *points), label_points)
        )
        label_point = next(free_points, point_on_curve(curve_shares[0], *points))
        label_points.append(label_point)
        plate = tag("circle", r=PLATE_RADIUS, fill=HALO_COLOUR, stroke=UNOWNED_COLOUR, stroke_width=1.6)
        yield translate(*label_point, plate, text(0, 4.8, arrow.text, 13.5, fill=INK, font_weight="bold"))


def point_on_curve(curve_share: float, start: BoardPoint, bend_point: BoardPoint, end: BoardPoint) -> BoardPoint:
    """The place on a quadratic curve after this part of it, from 0 to 1."""
    remaining_share = 1 - curve_share
    weights = remaining_share * remaining_share, 2 * curve_share * remaining_share, curve_share * curve_share
    x, y = (
        sum(weight * coordinate for weight, coordinate in zip(weights, coordinates, strict=True))
        for coordinates in zip(start, bend_point, end, strict=True)
    )
    return x, y


def is_clear_of(point: BoardPoint, label_points: Iterable[BoardPoint]) -> bool:
    """Whether a name there would cover none at `label_points`."""
    return all(hypot(point[0] - x, point[1] - y) >= 2 * PLATE_RADIUS + 1.6 for x, y in label_points)
