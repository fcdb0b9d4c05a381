"""Draws the graph of all seats' chances to win during a match, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from zimcore.commits import Position
from zimcore.game import Seat
from zimcore.picture.palette import owner_style
from zimcore.picture.sheet import draw_sheet
from zimcore.toolkit.svg import EDGE_STYLE, FAINT_STYLE, LINE_STYLE, TEXT_STYLE, tag, text, with_title

WIDTH, HEIGHT, LEFT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 900, 420, 90, 140, 120
"""Size of the graph, and the margins around it."""


class ChancePoint(msgspec.Struct, frozen=True):
    """The chances after a turn or bid, from 0 to 1, with its last commit, the seat that played it, and its round.

    `word` is `inaccuracy`, `mistake` or `blunder`, or "" if the turn surely gave nothing away.
    """

    number: int
    chances: dict[Seat, float]
    seat: Seat = ""
    round: str = ""
    word: str = ""


def draw_chance_graph(position: Position, points: Sequence[ChancePoint]) -> str:
    """The graph up to a position: a line for each seat, the rounds, and circles where a turn gave something away."""
    location = f"{position.match} · {position.line} · up to move {position.commit.number} · {position.status}"
    middle_x = LEFT_MARGIN + WIDTH / 2
    elements = [
        text(middle_x, 74, "Chances to win", 32, letter_spacing=3, **TEXT_STYLE),
        text(middle_x, 98, location, 15, font_style="italic", **FAINT_STYLE),
        *draw_grid(points),
        *(
            element
            for seat, colour in position.colours.items()
            for element in draw_curve(points, seat, owner_style(colour)[1])
        ),
        *draw_mistake_circles(points, {seat: owner_style(colour)[1] for seat, colour in position.colours.items()}),
        *draw_legend(position),
    ]
    return draw_sheet(elements, WIDTH + 2 * LEFT_MARGIN, TOP_MARGIN + HEIGHT + BOTTOM_MARGIN)


def point_on_sheet(points: Sequence[ChancePoint], index: int, chance: float) -> tuple[float, float]:
    """The point of a chance on the sheet; `index` is the index of the turn."""
    return LEFT_MARGIN + WIDTH * index / max(len(points) - 1, 1), TOP_MARGIN + HEIGHT * (1 - chance)


def draw_grid(points: Sequence[ChancePoint]) -> Iterator[str]:
    """Lines at each quarter, and at the beginning of each round."""
    for quarter in range(5):
        y = TOP_MARGIN + HEIGHT * (1 - quarter / 4)
        yield tag("path", d=f"M{LEFT_MARGIN} {y:g}h{WIDTH}", **LINE_STYLE)
        yield text(LEFT_MARGIN - 12, y + 5, f"{25 * quarter} %", 14, **{**FAINT_STYLE, "text_anchor": "end"})
    for index, point in enumerate(points):
        if index and point.round != points[index - 1].round:
            x = point_on_sheet(points, index - 1, 0)[0]
            yield tag("path", d=f"M{x:g} {TOP_MARGIN}v{HEIGHT}", **LINE_STYLE)
            yield text(x, TOP_MARGIN + HEIGHT + 22, point.round, 14, **FAINT_STYLE)


def draw_curve(points: Sequence[ChancePoint], seat: Seat, colour: str) -> Iterator[str]:
    """The line of a seat, with an edge that sets it off from the paper."""
    sheet_points = (point_on_sheet(points, index, point.chances[seat]) for index, point in enumerate(points))
    curve_path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in sheet_points)
    yield tag("path", **{**EDGE_STYLE, "d": curve_path, "fill": "none", "stroke_width": 5, "stroke_linejoin": "round"})
    yield tag("path", d=curve_path, fill="none", stroke=colour, stroke_width=3, stroke_linejoin="round")


def draw_mistake_circles(points: Sequence[ChancePoint], colours: dict[Seat, str]) -> Iterator[str]:
    """A circle on the seat's line at each turn that gave something away, with a tooltip."""
    for index, point in enumerate(points):
        if point.word:
            x, y = point_on_sheet(points, index, point.chances[point.seat])
            circle = tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=6, **{**EDGE_STYLE, "fill": colours[point.seat]})
            yield with_title(circle, f"{point.word} of {point.seat}, move {point.number}")


def draw_legend(position: Position) -> Iterator[str]:
    """The legend: the colour and name of each seat."""
    step = WIDTH / len(position.colours)
    for index, (seat, colour) in enumerate(position.colours.items()):
        x, y = LEFT_MARGIN + step * index + 20, TOP_MARGIN + HEIGHT + 62
        yield tag("circle", cx=x, cy=y - 5, r=8, **{**EDGE_STYLE, "fill": owner_style(colour)[1]})
        yield text(x + 16, y, seat.replace("_", " "), 17, **{**TEXT_STYLE, "text_anchor": "start"})
