"""What is laid over a board: an overlay of the game, or what is legal now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zimcore.candidates import candidates
from zimcore.game import Overlay
from zimcore.picture.squares import squares_in
from zimcore.service import Position

FEW = 12
"""Commands that are named above a board."""


def overlay(position: Position, name: str, words: Sequence[str]) -> Overlay:
    """An overlay of the game, or `legal`. Raises `NotationError`."""
    if name == "legal":
        return legal(position, " ".join(words))
    return position.game.display.overlay(position.state, name, words)


def legal(position: Position, beginning: str) -> Overlay:
    """The squares that the legal commands which begin so name, and those commands, where they are few."""
    texts = list(candidates(position).texts(beginning))
    board, asked = position.board, f"legal {beginning}".rstrip()
    squares = {square for text in texts for square in squares_in(text, board)}
    if len(texts) > FEW:
        return Overlay(f"{asked}: {len(texts):,} commands; `{asked}` lists them", marked(squares))
    return Overlay(f"{asked}: {' · '.join(texts) or 'nothing'}", marked(squares))


def marked(squares: Iterable[str]) -> dict[str, str]:
    """Squares that are marked, and have no text of their own."""
    return dict.fromkeys(sorted(squares), "")
