"""The layout of the screen: its boxes, computed again whenever the size changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from zimcli.render.board import NARROW_WIDTH, NORMAL_WIDTH, WIDE_WIDTH, Size
from zimcore.game import Board

FULL_ROWS = 24
"""Rows of the smallest screen with everything. More rows are shared out."""
SIZES = ((Size(WIDE_WIDTH, 2), 60), (Size(NORMAL_WIDTH), 40), (Size(NARROW_WIDTH), 22))
"""Sizes of squares, the largest first, each with the columns that the panes next to the board then need."""
MIN_LOG_ROWS = 7
"""The fewest free rows below the board to show the log there."""


class Box(NamedTuple):
    """A rectangle of the screen."""

    x: int
    y: int
    width: int
    height: int

    def contains(self, x: int, y: int) -> bool:
        """Whether a point is in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


EMPTY = Box(0, 0, 0, 0)


class Layout(NamedTuple):
    """All boxes; a box without room is empty. `size` is that of the squares."""

    header: Box
    board: Box
    side: Box
    legend: Box
    log: Box
    pager: Box
    menu: Box
    line: Box
    answer: Box
    size: Size
    is_small: bool


def arrange(
    columns: int,
    rows: int,
    board: Board | None,
    line_rows: int,
    *,
    shows_panes: bool = False,
    legend_rows: Callable[[Size, int], int] = lambda _, __: 0,
) -> Layout:
    """The layout of a screen. If board and panes don't fit side by side, it has only the board, or only the panes with
    `shows_panes`.

    The log, the legend or both go below the board. `legend_rows` returns the rows of a legend, given the size of
    squares and the columns.

    >>> layout = arrange(80, 24, Board(("a",) * 18, ("18",) * 18, ()), 1)
    >>> layout.board, layout.side, layout.size.width
    (Box(x=0, y=1, width=57, height=19), Box(x=58, y=1, width=22, height=19), 3)
    """
    extra_rows = max((rows - FULL_ROWS) // 3, 0)
    menu_height, answer_height = min(1 + extra_rows, 4), min(2 + extra_rows, 5) if rows >= FULL_ROWS - 6 else 1
    line_rows = max(min(line_rows, rows - 1), 1)
    answer_height = max(
        answer_height - line_rows + 1, 1
    )  # a long line covers the answer, and the board stays where it is
    body_height = rows - 1 - menu_height - line_rows - answer_height
    if body_height < 3:
        menu_height, answer_height, body_height = 0, max(min(1, rows - line_rows), 0), max(rows - line_rows - 2, 0)
    header = Box(0, 0, columns, int(rows > 1 + line_rows))
    top_row = header.height
    size, is_small = fit_squares(columns, body_height, board)
    board_width, board_height = extent(board, size)
    if board is None:
        side_boxes = EMPTY, Box(0, top_row, columns, body_height), EMPTY, EMPTY
    elif is_small:
        full_box = Box(0, top_row, columns, body_height)
        side_boxes = (EMPTY, full_box, EMPTY, EMPTY) if shows_panes else (full_box, EMPTY, EMPTY, EMPTY)
    else:
        free_rows = body_height - board_height
        side = Box(board_width + 1, top_row, columns - board_width - 1, body_height)
        legend_rows_needed = legend_rows(size, board_width)
        legend_height = (
            legend_rows_needed if free_rows >= MIN_LOG_ROWS + legend_rows_needed or free_rows < MIN_LOG_ROWS else 0
        )
        legend = (
            Box(0, top_row + board_height, board_width, min(legend_height, free_rows))
            if free_rows > 0 and legend_height
            else EMPTY
        )
        log = (
            Box(0, top_row + board_height + legend.height, board_width, free_rows - legend.height)
            if free_rows >= MIN_LOG_ROWS
            else EMPTY
        )
        side_boxes = (
            Box(0, top_row, board_width, board_height if log.height or legend.height else body_height),
            side,
            legend,
            log,
        )
    bottom_row = top_row + body_height
    pager = side_boxes[1] if not is_small and side_boxes[1].width >= 72 else Box(0, top_row, columns, body_height)
    return Layout(
        header,
        *side_boxes,
        pager,
        Box(0, bottom_row, columns, menu_height),
        Box(0, bottom_row + menu_height, columns, line_rows),
        Box(0, bottom_row + menu_height + line_rows, columns, max(rows - bottom_row - menu_height - line_rows, 0)),
        size,
        is_small,
    )


def fit_squares(columns: int, body_height: int, board: Board | None) -> tuple[Size, bool]:
    """The largest squares that leave room for the panes, and whether even the smallest leave none."""
    for size, side_width in SIZES:
        board_width, board_height = extent(board, size)
        if board_width + 1 + side_width <= columns and (board_height <= body_height or size.width == NARROW_WIDTH):
            return size, False
    return Size(NARROW_WIDTH), True


def extent(board: Board | None, size: Size) -> tuple[int, int]:
    """The columns and rows of a board, including its headings."""
    if board is None:
        return 0, 0
    return margin(board) + size.width * len(board.columns), 1 + size.lines * len(board.rows)


def margin(board: Board) -> int:
    """Columns before the first square."""
    return max(map(len, board.rows), default=0) + 1
