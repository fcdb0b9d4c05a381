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
    'clay, used once'
    """
    kind_text = cell.kind.replace("_", " ")
    if cell.owner:
        role = cell.role if kind_text.isdigit() or not kind_text else ""
        return f"{cell.owner}'s " + " ".join(word for word in (role, kind_text) if word)
    use_text = "" if not cell.marks else ", used once" if cell.marks == 1 else f", used {cell.marks} times"
    return (kind_text or cell.role) + use_text


def board_differences(first_board: Board | None, second_board: Board | None) -> Iterator[SquareDifference]:
    """The squares that differ, in the order of the first board."""
    second_descriptions = {square: describe_square(cell) for square, cell in cells_by_square(second_board).items()}
    for square, cell in cells_by_square(first_board).items():
        first_description, second_description = describe_square(cell), second_descriptions.get(square, "")
        if first_description != second_description:
            yield SquareDifference(square, first_description, second_description)
