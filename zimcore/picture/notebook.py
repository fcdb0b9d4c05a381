"""The picture of a position in a notebook, with the last move marked."""

from __future__ import annotations

from zimcore.commits import Position
from zimcore.picture.sheet import draw_picture
from zimcore.picture.squares import squares_of_last_move


def notebook_svg(position: Position) -> str:
    """The SVG that a notebook shows."""
    return draw_picture(position, touched_squares=squares_of_last_move(position, position.board))
