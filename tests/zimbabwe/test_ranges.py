"""Ranges and hubs on dealt boards, as an independent engine found them: see `../data/zimbabwe_ranges.jsonl`.

A line of the file is one board: its `rows`, extra `water` and `monuments`. Each of `reach` gives the distance of all
squares within some steps of the squares `from` (`.` beyond; `blocked`: no path runs through a monument), and each of
`hubs` the fewest hubs between two sets of squares.
"""

from pathlib import Path

import msgspec
import pytest

from tests.zimbabwe.kit import map_rows
from zimcore.games.zimbabwe.board import Board, Squares, square_name


class Reach(msgspec.Struct, rename={"origin": "from"}):
    origin: str
    steps: int
    blocked: bool
    reached: list[str]


class Hubs(msgspec.Struct, rename={"origin": "from", "target": "to"}):
    origin: str
    target: str
    steps: int
    hubs: int | None


class RecordedBoard(msgspec.Struct):
    board: str
    rows: list[str]
    water: list[str]
    monuments: str
    reach: list[Reach]
    hubs: list[Hubs]

    def board_and_monuments(self) -> tuple[Board, Squares]:
        """The board with all its water, and the monuments on it."""
        board = Board.from_rows(map_rows(" ".join(self.rows)))
        for pair in self.water:
            board = board.with_water(pair.split())
        return board, board.mask(self.monuments.split())


RECORDED_LINES = Path(__file__).parent.with_name("data").joinpath("zimbabwe_ranges.jsonl").read_bytes().splitlines()
RECORDED_BOARDS = [msgspec.json.decode(line, type=RecordedBoard) for line in RECORDED_LINES]


def distances(board: Board, query: Reach, monuments: Squares) -> list[str]:
    """The digit of every square's distance, row by row."""
    zone = board.mask(query.origin.split())
    rings = [board.reach(zone, steps, monuments if query.blocked else 0) for steps in range(query.steps + 1)]

    def distance_digit(square: str) -> str:
        square_bit = board.square.get(square, 0)
        return next((str(steps) for steps, ring in enumerate(rings) if ring & square_bit), ".")

    return ["".join(distance_digit(square_name(x, y)) for x in range(board.width)) for y in range(board.height)]


@pytest.mark.parametrize("recorded_board", RECORDED_BOARDS, ids=lambda recorded_board: recorded_board.board)
def test_distances_are_the_recorded_ones(recorded_board: RecordedBoard) -> None:
    board, monuments = recorded_board.board_and_monuments()
    for query in recorded_board.reach:
        assert distances(board, query, monuments) == query.reached, query.origin


@pytest.mark.parametrize("recorded_board", RECORDED_BOARDS, ids=lambda recorded_board: recorded_board.board)
def test_hubs_are_the_recorded_ones(recorded_board: RecordedBoard) -> None:
    board, monuments = recorded_board.board_and_monuments()
    for query in recorded_board.hubs:
        zone, target = board.mask(query.origin.split()), board.mask(query.target.split())
        assert board.hubs(zone, target, query.steps, monuments) == query.hubs, query
        assert board.hubs(target, zone, query.steps, monuments) == query.hubs, "the way back is the way there"


def test_the_recorded_boards_have_all_cases() -> None:
    assert len(RECORDED_BOARDS) == 12
    assert {query.hubs for recorded_board in RECORDED_BOARDS for query in recorded_board.hubs} >= {
        None,
        0,
        1,
        2,
        3,
        4,
        5,
    }
    assert {(query.steps, query.blocked) for recorded_board in RECORDED_BOARDS for query in recorded_board.reach} >= {
        *((3, False), (3, True), (6, False), (6, True)),
    }
    assert any("_" in row for recorded_board in RECORDED_BOARDS for row in recorded_board.rows)
    assert any(recorded_board.water for recorded_board in RECORDED_BOARDS)
