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


def last_move(position: Position, board: Board | None) -> frozenset[str]:
    """The squares that the last command names."""
    return squares_in(position.commit.text, board)


def squares_in(text: str, board: Board | None) -> frozenset[str]:
    """The squares of a board that a text names."""
    words = set(WORD.findall(text))
    cells = (cell for row in board.cells for cell in row) if board else ()
    return frozenset(cell.square for cell in cells if cell.square in words)


def places(board: Board, squares: Collection[str]) -> dict[str, Point]:
    """The column and row of each square."""
    cells = ((cell.square, (x, y)) for y, row in enumerate(board.cells) for x, cell in enumerate(row))
    return {square: point for square, point in cells if square in squares}


def together(board: Board) -> dict[str, tuple[Point, ...]]:
    """For each square, the columns and rows of all squares of the piece on it; of the square alone if there is none."""
    pieces: dict[str, list[Point]] = {}
    at = [(cell, (x, y)) for y, row in enumerate(board.cells) for x, cell in enumerate(row) if cell.square]
    for cell, point in at:
        pieces.setdefault(cell.piece or cell.square, []).append(point)
    return {cell.square: tuple(pieces[cell.piece or cell.square]) for cell, _ in at}


def middles(board: Board) -> dict[str, tuple[float, float]]:
    """For each square, the middle of the piece on it, in units."""
    groups = together(board).items()
    return {square: (_middle([x for x, _ in at]), _middle([y for _, y in at])) for square, at in groups}


def _middle(places: Collection[int]) -> float:
    return (min(places) + max(places) + 1) / 2 * SIDE


def ground_of(board: Board) -> dict[Point, str]:
    """The squares of a board with their roles; empty on a map of places."""
    cells = (((x, y), cell) for y, row in enumerate(board.cells) for x, cell in enumerate(row))
    return {point: cell.role for point, cell in cells if cell.square and cell.role not in NO_GROUND}
