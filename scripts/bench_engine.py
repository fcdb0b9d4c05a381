"""The Great Zimbabwe alone, in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from measure import in_turn, report

from zimcore.zimbabwe.board import Board, bits
from zimcore.zimbabwe.rules.setup import deal


def bench(folder: Path) -> None:
    """All of it."""
    reach(folder)


def reach(folder: Path) -> None:
    """Range-3 queries, each square of a board for four in turn; nothing is remembered between them."""
    del folder
    board = Board.from_rows(deal(7, {}).rows)
    squares = list(bits(board.exists))

    def queries() -> Any:
        for square in squares:
            board.reach(square, 3)

    taken, _ = in_turn(queries, lambda: None, 100)
    rate = len(squares) / taken
    report("range-3 queries a second, one core", f"{taken / len(squares) * 1e6:.2f} us each", rate, 300_000)
