"""The squares in which two boards differ, in words."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.documents.differences import SquareDifference
from zimcore.game import Board, Cell


def cells_by_square(board: Board | None) -> dict[str, Cell]:
    """The cells of a board by square; {} without a board."""
    return {cell.square: cell for row in board.cells for cell in row} if board else {}


def describe_square(cell: Cell) -> str:
    """A square in a few words.

    >>> describe_square(Cell("d7", "Ki2", "monument", "2", "kilwa", 2))
    "kilwa's monument 2"
    >>> describe_square(Cell("d7", "c*", "resource", "clay", marks=1))
    'clay, used 1'
    """
    piece_name = cell.kind.replace("_", " ")
    if cell.owner:
        role = cell.role if piece_name.isdigit() or not piece_name else ""
        return f"{cell.owner}'s " + " ".join(word for word in (role, piece_name) if word)
    return (piece_name or cell.role) + (f", used {cell.marks}" if cell.marks else "")


def board_differences(first_board: Board | None, second_board: Board | None) -> Iterator[SquareDifference]:
    """The squares that differ, in the order of the first board."""
    second_descriptions = {square: describe_square(cell) for square, cell in cells_by_square(second_board).items()}
    for square, cell in cells_by_square(first_board).items():
        first_description, second_description = describe_square(cell), second_descriptions.get(square, "")
        if first_description != second_description:
            yield SquareDifference(square, first_description, second_description)
