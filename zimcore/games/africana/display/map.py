"""The map of Africa as rows of cells: locations with their symbols, explorers and expeditions, routes, the equator.

A location has four cells: its first three letters and its symbols; below them its explorers, and the spaces of the
expeditions that start and end there (`2>`, `>5`, `2>5`). Routes are drawn between these blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from zimcore.game import Arrow, Board, Cell
from zimcore.games.africana.components import Expedition, Location, Route
from zimcore.games.africana.state import State

Spot = tuple[int, int]
"""Column and row of the grid."""

STROKE_BY_DIRECTION = {(1, 0): "---", (0, 1): "|", (1, 1): "\\", (1, -1): "/"}
LEGEND = (
    ("IF", "explorers of Italy and France"),
    ("2>", "the expedition on space 2 starts here"),
    (">2", "and ends here"),
    ("===", "the equator"),
)


def board(state: State) -> Board:
    """The map with all pieces; columns and rows of the grid have no names."""
    locations = state.box.locations
    columns, rows = (max(location.at[axis] for location in locations) + 2 for axis in (0, 1))
    cells = _ground_cells(state, columns)
    for location in locations:
        cells |= _location_cells(state, location)
    empty_cell = Cell("", "", "void")
    symbol_rows = tuple((colour[0], colour) for colour in state.box.colours)
    return Board(
        columns=("",) * columns,
        rows=("",) * rows,
        cells=tuple(tuple(cells.get((x, y), empty_cell) for x in range(columns)) for y in range(rows)),
        legend=(*symbol_rows, *LEGEND, *((location_code(location), location.title) for location in locations)),
        paths=tuple(_route_points(state, route) for route in state.box.routes),
        arrows=tuple(Arrow(card.start, card.target, str(space)) for space, card in _visible_expeditions(state)),
    )


def location_code(location: Location) -> str:
    """Three letters for a location: `CAP`."""
    return location.name[:3].upper()


def _ground_cells(state: State, columns: int) -> dict[Spot, Cell]:
    """The cells of the equator, and of routes over it."""
    last_north_row = max(location.at[1] + 1 for location in state.box.locations if location.half == "north")
    cells = {(x, last_north_row + 1): Cell("", "===", "border") for x in range(columns)}
    for route in state.box.routes:
        for spot, stroke in _route_cells(state, route):
            is_crossing = spot in cells and cells[spot].role == "path" and cells[spot].text != stroke
            cells[spot] = Cell("", "+" if is_crossing else stroke, "path", "-".join(route.ends))
    return cells


def _route_cells(state: State, route: Route) -> Iterator[tuple[Spot, str]]:
    """The cells of a route and their strokes, with all its bends."""
    for start, end in pairwise(_route_points(state, route)):
        yield from _line_cells(start, end)


def _route_points(state: State, route: Route) -> tuple[Spot, ...]:
    """The start, bends and end of a route."""
    start, end = (state.map.locations[place].at for place in route.ends)
    return (start, *route.via, end)


def _line_cells(start: Spot, end: Spot) -> Iterator[tuple[Spot, str]]:
    """Steps from one spot to another, each to the spot nearest to the straight line."""
    (x, y), (x2, y2) = start, end
    steps = max(abs(x2 - x), abs(y2 - y))
    spots = [(round(x + (x2 - x) * step / steps), round(y + (y2 - y) * step / steps)) for step in range(steps + 1)]
    for previous_spot, spot in pairwise(spots):
        dx, dy = spot[0] - previous_spot[0], spot[1] - previous_spot[1]
        yield spot, STROKE_BY_DIRECTION[(dx, dy) if (dx, dy) in STROKE_BY_DIRECTION else (-dx, -dy)]


def _location_cells(state: State, location: Location) -> dict[Spot, Cell]:
    """The four cells of a location."""
    (x, y), name = location.at, location.name
    seats_here = [seat for seat, place in state.places.items() if place == name]
    owner = seats_here[0] if len(seats_here) == 1 else ""
    symbol_letters = "".join(symbol[0] for symbol in location.symbols)
    return {
        (x, y): Cell(name, location_code(location), "place", location.half, owner),
        (x + 1, y): Cell("", symbol_letters, "symbol", " ".join(location.symbols)),
        (x, y + 1): Cell(
            "", _in_three_characters("".join(seat[0].upper() for seat in seats_here)), "explorer", "", owner
        ),
        (x + 1, y + 1): Cell("", _spaces_text(state, name), "arrow"),
    }


def _spaces_text(state: State, place: str) -> str:
    """The spaces whose expeditions start or end at a location, in three characters."""
    starting_spaces = "".join(str(space) for space, card in _visible_expeditions(state) if card.start == place)
    ending_spaces = "".join(str(space) for space, card in _visible_expeditions(state) if card.target == place)
    return _in_three_characters(f"{starting_spaces}>{ending_spaces}" if starting_spaces or ending_spaces else "")


def _in_three_characters(text: str) -> str:
    """A text that fits into a cell; a `+` stands for more.

    >>> _in_three_characters("IFG"), _in_three_characters("IFGB")
    ('IFG', 'IF+')
    """
    return text if len(text) <= 3 else f"{text[:2]}+"


def _visible_expeditions(state: State) -> Iterator[tuple[int, Expedition]]:
    """The visible expeditions, with their spaces."""
    expeditions = state.map.expeditions
    return ((space, expeditions[card]) for space, card in enumerate(state.spaces, 1) if card in expeditions)
