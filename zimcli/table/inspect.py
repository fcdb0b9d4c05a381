"""Inspects the square under the cursor: what is there, who owns it, and what the game says about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from zimcli.render.board import has_unowned_piece
from zimcli.render.palette import seat_style
from zimcli.render.spans import Block, Line, Sheet
from zimcore.commits import Position
from zimcore.game import Board, Cell, GameError, Overlay
from zimcore.picture.overlays import SQUARE_HELP_STARTS
from zimcore.picture.squares import points_of_squares
from zimcore.toolkit.words import spaced


def inspect_square(position: Position, square: str, board: Board | None) -> Sequence[Block]:
    """What is known of a square: what is there, what can be reached from it, and the cards of its piece."""
    cell = next((cell for row in board.cells for cell in row if cell.square == square), None) if board else None
    if cell is None:
        return ()
    blocks: list[Block] = [describe_square(position, cell)]
    questions = position.game.questions
    for question, words in (("reach", [square]), ("cards", [square, cell.kind])):
        help_text = questions.QUESTIONS.get(question, "")
        if not help_text or (question == "reach" and not help_text.startswith(SQUARE_HELP_STARTS)):
            continue
        try:
            tables = questions.ask(position.state, question, [word for word in words if word])
        except GameError:
            continue
        blocks += [Sheet(table, position.colours) for table in tables if table.rows]
    return blocks


def describe_square(position: Position, cell: Cell) -> Line:
    """What is on a square and who owns it: `craftsman potter, Zulu, 2 used`."""
    kind = spaced(cell.kind)
    has_no_owner = has_unowned_piece(cell)
    line: Line = [(kind if has_no_owner and kind else f"{cell.role} {kind}".strip(), "bold")]
    if cell.owner:
        line += [(" ", ""), (f" {cell.owner} ", seat_style(cell.owner, position.colours))]
    if cell.marks and has_no_owner:
        line.append((f" {cell.marks} used", ""))
    return line


def next_overlay(position: Position, square: str, current: Overlay | None) -> Overlay | None:
    """The next overlay for a square; None after the last."""
    overlays = list(_overlays(position, square))
    titles = [overlay.title for overlay in overlays]
    next_index = titles.index(current.title) + 1 if current and current.title in titles else 0
    return overlays[next_index] if next_index < len(overlays) else None


def _overlays(position: Position, square: str) -> Iterator[Overlay]:
    for name, help_text in position.game.display.OVERLAYS.items():
        if help_text.startswith(SQUARE_HELP_STARTS) and square:
            try:
                yield position.game.display.overlay(position.state, name, [square])
            except GameError:
                continue


def neighbour(board: Board, square: str, dx: int, dy: int, preferred: Collection[str] = ()) -> str:
    """The nearest square in a direction. If there is no current square, the one where the cursor starts.

    >>> cells = tuple(tuple(Cell(f"{c}{r}", ".", "land") for c in "ab") for r in "12")
    >>> board = Board(("a", "b"), ("1", "2"), cells)
    >>> [neighbour(board, square, 1, 0) for square in ("a1", "b1")]
    ['b1', 'b1']
    >>> [neighbour(board, "", 0, 0, first) for first in (["a2", "b1"], ["b1", "a2"])]
    ['a2', 'a2']
    """
    squares = {cell.square for row in board.cells for cell in row if cell.square and cell.role != "void"}
    points = points_of_squares(board, squares)
    if square not in points:
        candidates = [square_name for square_name in preferred if square_name in points] or list(points)
        centre = len(board.columns) / 2, len(board.rows) / 2
        return min(  # of those as near to the middle the leftmost: `first` may be a set, whose order changes
            candidates,
            key=lambda square_name: (
                abs(points[square_name][0] - centre[0]) + abs(points[square_name][1] - centre[1]),
                points[square_name],
            ),
            default="",
        )
    if not (dx or dy):
        return square
    x, y = points[square]

    def distance(square_name: str) -> tuple[float, float]:
        columns_along = (points[square_name][0] - x) * dx + (points[square_name][1] - y) * dy
        columns_across = abs((points[square_name][0] - x) * dy) + abs((points[square_name][1] - y) * dx)
        return columns_along + 2 * columns_across, columns_across

    squares_ahead = [
        square_name
        for square_name in points
        if (points[square_name][0] - x) * dx + (points[square_name][1] - y) * dy > 0
    ]
    nearly_straight = [
        square_name
        for square_name in squares_ahead
        if distance(square_name)[1] <= distance(square_name)[0] - 2 * distance(square_name)[1]
    ]
    return min(nearly_straight or squares_ahead, key=distance, default=square)
