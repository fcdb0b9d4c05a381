"""Previews what the typed line would do to the board: the pieces afterwards, and the paths of goods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from zimcli.typed_words import commands_of, entry_of
from zimcore.commits import Position
from zimcore.game import Accepted, Arrow, Board, Cell, Event, GameError
from zimcore.picture.squares import places


class Preview(NamedTuple):
    """The cells that would change, by square, and signs on the squares that goods would pass."""

    cells: Mapping[str, Cell]
    signs: Mapping[str, str]

    def on(self, board: Board) -> Board:
        """A board with those changes."""
        rows = tuple(tuple(self.cells.get(cell.square, cell) for cell in row) for row in board.cells)
        return replace(board, cells=rows)


NOTHING = Preview({}, {})


def preview(position: Position, line: str) -> Preview:
    """The effect of the legal commands at the start of a line. Commands of zim have none."""
    game, state, board, ways = position.game, position.state, position.board, list[Arrow]()
    if board is None:
        return NOTHING
    before = state
    try:
        for text in commands_of(line, game.notation):
            if entry_of(text):
                break
            parsed, command = game.notation.parse(text, state)
            seat = parsed or position.mover
            answer = game.rules.decide(state, seat, command)
            if not isinstance(answer, Accepted):
                break
            played: type[Event] = game.evolution.EVENTS[0]
            ways += game.display.arrows((played(seat=seat, command=command), *answer.events))
            state = answer.state
        after = game.display.board(state) if state is not before else None
    except GameError:  # incomplete, or it depends on hidden cards
        after = game.display.board(state) if state is not before else None
    if after is None:
        return NOTHING
    old = {cell.square: cell for row in board.cells for cell in row if cell.square}
    new = {cell.square: cell for row in after.cells for cell in row if cell.square}
    cells = {square: cell for square, cell in new.items() if square in old and old[square] != cell}
    return Preview(cells, dict(signs(after, ways)))


def signs(board: Board, ways: list[Arrow]) -> Iterator[tuple[str, str]]:
    """A sign on each free square along a path, pointing towards its end."""
    at = places(board, {cell.square for row in board.cells for cell in row if cell.square})
    free = {point: square for square, point in at.items() if not board.cells[int(point[1])][int(point[0])].owner}
    for way in ways:
        (x, y), (to_x, to_y) = at[way.start], at[way.end]
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, int(steps)):
            point = round(x + (to_x - x) * step / steps), round(y + (to_y - y) * step / steps)
            if point in free:
                yield free[point], pointing(to_x - x, to_y - y)


def pointing(dx: float, dy: float) -> str:
    """The arrow for a direction on the screen, where down is positive.

    >>> pointing(3, 0), pointing(2, 2), pointing(0, -1), pointing(5, 1)
    ('→', '↘', '↑', '→')
    """
    across, down = (0 if abs(one) * 2 <= abs(other) else (one > 0) - (one < 0) for one, other in ((dx, dy), (dy, dx)))
    return {(1, 0): "→", (1, 1): "↘", (0, 1): "↓", (-1, 1): "↙", (-1, 0): "←", (-1, -1): "↖", (0, -1): "↑"}.get(
        (across, down), "↗"
    )
