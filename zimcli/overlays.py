"""What is laid over a board: an overlay of the game, or what is legal now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from zimcli.candidates import candidates
from zimcore.game import Overlay
from zimcore.picture.squares import squares_in
from zimcore.service import Position


def overlay(position: Position, name: str, words: Sequence[str]) -> Overlay:
    """An overlay of the game, or `legal`. Raises `NotationError`."""
    if name == "legal":
        return legal(position, " ".join(words))
    return position.game.display.overlay(position.state, name, words)


def legal(position: Position, beginning: str) -> Overlay:
    """The squares of the legal commands that begin so, each with their number; `+` for 10 or more."""
    texts = list(candidates(position).texts(beginning))
    board = position.board
    counts = Counter(square for text in texts for square in squares_in(text, board))
    found = f"{len(texts)} commands" if len(texts) != 1 else "1 command"
    shown = {square: str(count) if count < 10 else "+" for square, count in counts.items()}
    return Overlay(f"legal {beginning}".rstrip() + f": {found}", shown)
