"""Africana: the game itself is in `game`, its parts beside it."""

from zimcore.africana.game import GAME

__all__ = ["GAME"]
