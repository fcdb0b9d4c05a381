"""What is laid over a board: an overlay of the game, what is legal now, and where the last move was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from zimcore.game import Board, Overlay
from zimcore.service import Position

MOST = 3000
"""Legal commands that are looked at: monuments can be raised in very many ways."""
WORD = re.compile(r"\w+")


def overlay(position: Position, name: str, words: Sequence[str]) -> Overlay:
    """An overlay of the game, or `legal`. Raises `NotationError`."""
    if name == "legal":
        return legal(position, " ".join(words))
    return position.game.display.overlay(position.state, name, words)


def legal(position: Position, beginning: str) -> Overlay:
    """The squares of the legal commands that begin so, each with how many there are, from 10 on `+`."""
    texts = list(islice(position.legal().texts(beginning), MOST))
    board = position.board
    counts = Counter(square for text in texts for square in squares_in(text, board))
    found = f"{len(texts)} commands" if len(texts) != 1 else "1 command"
    shown = {square: str(count) if count < 10 else "+" for square, count in counts.items()}
    return Overlay(f"legal {beginning}".rstrip() + f": {found}", shown)


def last_move(position: Position, board: Board | None) -> frozenset[str]:
    """The squares that the last command names."""
    return squares_in(position.commit.text, board)


def squares_in(text: str, board: Board | None) -> frozenset[str]:
    """The squares of a board that a text names."""
    cells = (cell for row in board.cells for cell in row) if board else ()
    return frozenset(WORD.findall(text)) & {cell.square for cell in cells}
