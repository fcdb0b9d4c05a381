"""The board of a match for so many players: each of its squares has a number, which is that of its bit."""

from __future__ import annotations

from zimcore.game import OptionError
from zimcore.games.zimbabwe.components import BOX
from zimcore.games.zimbabwe.state import State


def shape(players: int) -> tuple[int, int]:
    """Rows and columns; beside the last column is one more, which is always empty, as the board itself has it.

    >>> shape(2), shape(5)
    ((12, 13), (18, 19))
    """
    layout, tile = BOX.layouts[str(players)], BOX.tiles[0].rows
    return len(layout) * len(tile), len(layout[0]) * len(tile[0]) + 1


def check_board(state: State) -> None:
    """Raises `OptionError` for a map that is not of the size of one made of tiles."""
    rows, columns = shape(len(state.seats))
    board = state.board
    if (board.height, board.width) != (rows, columns - 1):
        what = f"a map of {board.height} rows and {board.width} columns"
        raise OptionError(what, f"boards for {len(state.seats)} have {rows} rows and {columns - 1} columns as numbers")
