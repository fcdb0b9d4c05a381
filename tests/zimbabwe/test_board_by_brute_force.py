"""The bitboard against the rule spelled out: breadth first over single squares, on small boards of any kind."""

from collections.abc import Iterator
from typing import TypeAlias

from hypothesis import given, note, settings
from hypothesis import strategies as st

from zimcore.games.zimbabwe.board import Board, square_name

Cell: TypeAlias = tuple[int, int]


class Reference:
    """R-GEO, R-RNG and R-HUB word by word."""

    def __init__(self, rows: list[str], monuments: set[Cell]) -> None:
        self.cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != " "}
        self.monuments = monuments

    def around(self, cell: Cell) -> Iterator[Cell]:
        x, y = cell
        neighbours = ((x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
        return (neighbour for neighbour in neighbours if neighbour in self.cells)

    def lake(self, cell: Cell) -> set[Cell]:
        """All water that hangs together by edges with this square; of land, only the square itself."""
        cells, frontier = {cell}, [cell] if self.cells[cell] == "~" else []
        while frontier:
            x, y = frontier.pop()
            for neighbour in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if self.cells.get(neighbour) == "~" and neighbour not in cells:
                    cells.add(neighbour)
                    frontier.append(neighbour)
        return cells

    def reach(self, zone: set[Cell], steps: int, *, blocked: bool) -> set[Cell]:
        reached = {lake_cell for cell in zone for lake_cell in self.lake(cell)}
        edge = reached
        for _ in range(steps):
            entered = {neighbour for cell in edge for neighbour in self.around(cell)} - reached
            entered = {lake_cell for cell in entered for lake_cell in self.lake(cell)}
            reached = reached | entered
            edge = entered - self.monuments if blocked else entered
        return reached

    def hubs(self, zone: set[Cell], target: set[Cell], steps: int) -> int | None:
        """Chains of monuments, shortest first."""
        visited: set[Cell] = set()
        hubs, zones = 0, [zone]
        while zones:
            balls = [self.reach(zone_end, steps, blocked=True) for zone_end in zones]
            if any(ball & target for ball in balls):
                return hubs
            next_hubs = {cell for ball in balls for cell in ball & self.monuments} - visited
            visited |= next_hubs
            hubs, zones = hubs + 1, [{cell} for cell in next_hubs]
        return None


@st.composite
def boards(draw: st.DrawFn) -> tuple[list[str], set[Cell], set[Cell], set[Cell]]:
    """Rows, monuments on land, and two sets of squares: a start and a target."""
    width, height = draw(st.integers(3, 9)), draw(st.integers(1, 4))
    row = st.text(draw(st.sampled_from([".", "...~", "....~ ", "~~."])), min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    cells = sorted((x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != " ")
    some_cells = st.sets(st.sampled_from(cells), min_size=1, max_size=3) if cells else st.just(set[Cell]())
    monuments = draw(st.sets(st.sampled_from(cells), min_size=len(cells) // 4)) if cells else set()
    return rows, {(x, y) for x, y in monuments if rows[y][x] == "."}, draw(some_cells), draw(some_cells)


DrawnBoard: TypeAlias = tuple[list[str], set[Cell], set[Cell], set[Cell]]


@settings(max_examples=300)
@given(boards(), st.integers(0, 6), st.booleans())
def test_reach_is_what_breadth_first_search_finds(drawn_board: DrawnBoard, steps: int, blocked: bool) -> None:
    rows, monuments, zone, _ = drawn_board
    note("\n".join(rows))
    board = Board.from_rows(rows)
    squares = board.reach(mask(board, zone), steps, mask(board, monuments) if blocked else 0)
    assert squares == mask(board, Reference(rows, monuments).reach(zone, steps, blocked=blocked))


@settings(max_examples=300)
@given(boards(), st.sampled_from([1, 2, 3, 6]))
def test_hubs_are_the_shortest_chain_of_monuments(drawn_board: DrawnBoard, steps: int) -> None:
    rows, monuments, zone, target = drawn_board
    note("\n".join(rows))
    board = Board.from_rows(rows)
    number = board.hubs(mask(board, zone), mask(board, target), steps, mask(board, monuments))
    expected = Reference(rows, monuments).hubs(zone, target, steps) if zone else None
    assert number == expected


@given(boards(), st.lists(st.integers(0, 44), max_size=4))
def test_placed_water_makes_the_board_that_is_drawn_with_it(drawn_board: DrawnBoard, places: list[int]) -> None:
    rows = drawn_board[0]
    dry_board = Board.from_rows(rows)
    names = list(dry_board.square)
    wet_squares = [names[place % len(names)] for place in places if names]
    redrawn = [
        "".join("~" if square_name(x, y) in wet_squares else letter for x, letter in enumerate(row))
        for y, row in enumerate(rows)
    ]
    with_water, expected = dry_board.with_water(wet_squares), Board.from_rows(redrawn)
    assert (with_water.water, with_water.lakes) == (expected.water, expected.lakes)
    assert with_water.square == expected.square


def mask(board: Board, cells: set[Cell]) -> int:
    return board.mask(square_name(*cell) for cell in cells)
