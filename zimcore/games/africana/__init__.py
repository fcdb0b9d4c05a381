"""Africana: the game itself is in `game`, its parts beside it."""

from zimcore.games.africana.game import GAME

__all__ = ["GAME"]
