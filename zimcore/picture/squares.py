"""Finds squares of a board: which ones a text names, and where they are."""

from __future__ import annotations

import re
from collections.abc import Collection

from zimcore.commits import Position
from zimcore.game import Board
from zimcore.toolkit.outline import Point
from zimcore.toolkit.svg import SIDE

WORD = re.compile(r"\w+")
NO_GROUND = ("void", "place")
"""The roles of cells that are not drawn as squares."""


def squares_of_last_move(position: Position, board: Board | None) -> frozenset[str]:
    """The squares that the last command names."""
    return squares_in(position.commit.text, board)


def squares_in(text: str, board: Board | None) -> frozenset[str]:
    """The squares of a board that a text names."""
    words = set(WORD.findall(text))
    cells = (cell for row in board.cells for cell in row) if board else ()
    return frozenset(cell.square for cell in cells if cell.square in words)


def points_of_squares(board: Board, squares: Collection[str]) -> dict[str, Point]:
    """The column and row of each square."""
    cells = ((cell.square, (x, y)) for y, row in enumerate(board.cells) for x, cell in enumerate(row))
    return {square: point for square, point in cells if square in squares}


def squares_of_pieces(board: Board) -> dict[str, tuple[Point, ...]]:
    """For each square, the columns and rows of all squares of the piece on it; of the square alone if there is none."""
    points_by_piece: dict[str, list[Point]] = {}
    named_cells = [(cell, (x, y)) for y, row in enumerate(board.cells) for x, cell in enumerate(row) if cell.square]
    for cell, point in named_cells:
        points_by_piece.setdefault(cell.piece or cell.square, []).append(point)
    return {cell.square: tuple(points_by_piece[cell.piece or cell.square]) for cell, _ in named_cells}


def middles_of_pieces(board: Board) -> dict[str, tuple[float, float]]:
    """For each square, the middle of the piece on it, in units."""
    points_by_square = squares_of_pieces(board).items()
    return {
        square: (_middle([x for x, _ in points]), _middle([y for _, y in points]))
        for square, points in points_by_square
    }


def _middle(coordinates: Collection[int]) -> float:
    return (min(coordinates) + max(coordinates) + 1) / 2 * SIDE


def ground_of(board: Board) -> dict[Point, str]:
    """The squares of a board with their roles; empty on a map of places."""
    cells = (((x, y), cell) for y, row in enumerate(board.cells) for x, cell in enumerate(row))
    return {point: cell.role for point, cell in cells if cell.square and cell.role not in NO_GROUND}
