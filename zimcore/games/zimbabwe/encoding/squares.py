"""The size of the board for a number of players, with which the encoding numbers squares."""

from __future__ import annotations

from zimcore.game import OptionError
from zimcore.games.zimbabwe.components import COMPONENTS
from zimcore.games.zimbabwe.state import State


def shape(players: int) -> tuple[int, int]:
    """The rows and columns, with the empty guard column of `zimbabwe.board` after the last one.

    >>> shape(2), shape(5)
    ((12, 13), (18, 19))
    """
    layout, tile_rows = COMPONENTS.layouts[str(players)], COMPONENTS.tiles[0].rows
    return len(layout) * len(tile_rows), len(layout[0]) * len(tile_rows[0]) + 1


def check_board(state: State) -> None:
    """Raises `OptionError` if a map has another size than one made of tiles."""
    rows, columns = shape(len(state.seats))
    board = state.board
    if (board.height, board.width) != (rows, columns - 1):
        size_text = f"a map of {board.height} rows and {board.width} columns"
        raise OptionError(
            size_text, f"positions as numbers need {rows} rows and {columns - 1} columns for {len(state.seats)} players"
        )
