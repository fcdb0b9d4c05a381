"""Previews what the typed line would do to the board: the pieces afterwards, and the arrows of goods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from zimcli.shell.typed_words import entry_of, split_line
from zimcore.commits import Position
from zimcore.game import Accepted, Arrow, Board, Cell, Event, GameError
from zimcore.picture.squares import points_of_squares


class Preview(NamedTuple):
    """The cells that would change, by square, and signs on the squares that goods would pass."""

    cells: Mapping[str, Cell]
    signs: Mapping[str, str]

    def applied_to(self, board: Board) -> Board:
        """A board with those changes."""
        rows = tuple(tuple(self.cells.get(cell.square, cell) for cell in row) for row in board.cells)
        return replace(board, cells=rows)


NO_PREVIEW = Preview({}, {})


def preview(position: Position, line: str) -> Preview:
    """The effect of the legal commands at the start of a line. Commands of zim have none."""
    game, state, board, arrows = position.game, position.state, position.board, list[Arrow]()
    if board is None:
        return NO_PREVIEW
    initial_state = state
    try:
        for text in split_line(line, game.notation):
            if entry_of(text):
                break
            named_seat, command = game.notation.parse(text, state)
            seat = named_seat or position.mover
            decision = game.rules.decide(state, seat, command)
            if not isinstance(decision, Accepted):
                break
            played_event: type[Event] = game.evolution.EVENTS[0]
            arrows += game.display.arrows((played_event(seat=seat, command=command), *decision.events))
            state = decision.state
        board_after = game.display.board(state) if state is not initial_state else None
    except GameError:  # incomplete, or it depends on hidden cards
        board_after = game.display.board(state) if state is not initial_state else None
    if board_after is None:
        return NO_PREVIEW
    old_cells = {cell.square: cell for row in board.cells for cell in row if cell.square}
    new_cells = {cell.square: cell for row in board_after.cells for cell in row if cell.square}
    cells = {square: cell for square, cell in new_cells.items() if square in old_cells and old_cells[square] != cell}
    return Preview(cells, dict(path_signs(board_after, arrows)))


def path_signs(board: Board, arrows: list[Arrow]) -> Iterator[tuple[str, str]]:
    """A sign on each free square along a path, pointing towards its end."""
    points = points_of_squares(board, {cell.square for row in board.cells for cell in row if cell.square})
    free_squares = {
        point: square for square, point in points.items() if not board.cells[int(point[1])][int(point[0])].owner
    }
    for path in arrows:
        (x, y), (to_x, to_y) = points[path.start], points[path.end]
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, int(steps)):
            point = round(x + (to_x - x) * step / steps), round(y + (to_y - y) * step / steps)
            if point in free_squares:
                yield free_squares[point], arrow_towards(to_x - x, to_y - y)


def arrow_towards(dx: float, dy: float) -> str:
    """The arrow for a direction on the screen, where down is positive.

    >>> arrow_towards(3, 0), arrow_towards(2, 2), arrow_towards(0, -1), arrow_towards(5, 1)
    ('→', '↘', '↑', '→')
    """
    column_step, row_step = (
        0 if abs(component) * 2 <= abs(other_component) else (component > 0) - (component < 0)
        for component, other_component in ((dx, dy), (dy, dx))
    )
    return {(1, 0): "→", (1, 1): "↘", (0, 1): "↓", (-1, 1): "↙", (-1, 0): "←", (-1, -1): "↖", (0, -1): "↑"}.get(
        (column_step, row_step), "↗"
    )
