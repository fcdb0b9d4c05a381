"""The bitboard against the rule spelled out: breadth first over single squares, on small boards of any kind."""

from collections.abc import Iterator
from typing import TypeAlias

from hypothesis import given, note, settings
from hypothesis import strategies as st

from zimcore.games.zimbabwe.board import Board, square_name

Cell: TypeAlias = tuple[int, int]


class ReferenceBoard:
    """R-GEO, R-RNG and R-HUB word by word."""

    def __init__(self, rows: list[str], monuments: set[Cell]) -> None:
        self.cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != " "}
        self.monuments = monuments

    def neighbours_of(self, cell: Cell) -> Iterator[Cell]:
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
        reached_cells = {lake_cell for cell in zone for lake_cell in self.lake(cell)}
        frontier = reached_cells
        for _ in range(steps):
            entered_cells = {neighbour for cell in frontier for neighbour in self.neighbours_of(cell)} - reached_cells
            entered_cells = {lake_cell for cell in entered_cells for lake_cell in self.lake(cell)}
            reached_cells = reached_cells | entered_cells
            frontier = entered_cells - self.monuments if blocked else entered_cells
        return reached_cells

    def hubs(self, zone: set[Cell], target: set[Cell], steps: int) -> int | None:
        """Chains of monuments, shortest first."""
        visited_hubs: set[Cell] = set()
        hub_count, zones = 0, [zone]
        while zones:
            reachable_areas = [self.reach(next_zone, steps, blocked=True) for next_zone in zones]
            if any(area & target for area in reachable_areas):
                return hub_count
            next_hubs = {cell for area in reachable_areas for cell in area & self.monuments} - visited_hubs
            visited_hubs |= next_hubs
            hub_count, zones = hub_count + 1, [{cell} for cell in next_hubs]
        return None


@st.composite
def drawn_boards(draw: st.DrawFn) -> tuple[list[str], set[Cell], set[Cell], set[Cell]]:
    """Rows, monuments on land, and two sets of squares: a start and a target."""
    width, height = draw(st.integers(3, 9)), draw(st.integers(1, 4))
    row = st.text(draw(st.sampled_from([".", "...~", "....~ ", "~~."])), min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    cells = sorted((x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != " ")
    cell_sets = st.sets(st.sampled_from(cells), min_size=1, max_size=3) if cells else st.just(set[Cell]())
    monuments = draw(st.sets(st.sampled_from(cells), min_size=len(cells) // 4)) if cells else set()
    return rows, {(x, y) for x, y in monuments if rows[y][x] == "."}, draw(cell_sets), draw(cell_sets)


DrawnBoard: TypeAlias = tuple[list[str], set[Cell], set[Cell], set[Cell]]


@settings(max_examples=300)
@given(drawn_boards(), st.integers(0, 6), st.booleans())
def test_reach_is_what_breadth_first_search_finds(drawn_board: DrawnBoard, steps: int, blocked: bool) -> None:
    rows, monuments, zone, _ = drawn_board
    note("\n".join(rows))
    board = Board.from_rows(rows)
    squares = board.reach(cells_mask(board, zone), steps, cells_mask(board, monuments) if blocked else 0)
    assert squares == cells_mask(board, ReferenceBoard(rows, monuments).reach(zone, steps, blocked=blocked))


@settings(max_examples=300)
@given(drawn_boards(), st.sampled_from([1, 2, 3, 6]))
def test_hubs_are_the_shortest_chain_of_monuments(drawn_board: DrawnBoard, steps: int) -> None:
    rows, monuments, zone, target = drawn_board
    note("\n".join(rows))
    board = Board.from_rows(rows)
    hub_count = board.hubs(cells_mask(board, zone), cells_mask(board, target), steps, cells_mask(board, monuments))
    expected_hub_count = ReferenceBoard(rows, monuments).hubs(zone, target, steps) if zone else None
    assert hub_count == expected_hub_count


@given(drawn_boards(), st.lists(st.integers(0, 44), max_size=4))
def test_placed_water_makes_the_board_that_is_drawn_with_it(drawn_board: DrawnBoard, square_numbers: list[int]) -> None:
    rows = drawn_board[0]
    dry_board = Board.from_rows(rows)
    squares = list(dry_board.square)
    wet_squares = [squares[square_number % len(squares)] for square_number in square_numbers if squares]
    redrawn_rows = [
        "".join("~" if square_name(x, y) in wet_squares else letter for x, letter in enumerate(row))
        for y, row in enumerate(rows)
    ]
    wet_board, redrawn_board = dry_board.with_water(wet_squares), Board.from_rows(redrawn_rows)
    assert (wet_board.water, wet_board.lakes) == (redrawn_board.water, redrawn_board.lakes)
    assert wet_board.square == redrawn_board.square


def cells_mask(board: Board, cells: set[Cell]) -> int:
    return board.mask(square_name(*cell) for cell in cells)
