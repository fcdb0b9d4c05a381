"""The Great Zimbabwe (Splotter, 2012), for 2 to 5 players."""

from zimcore.games.zimbabwe.game import GAME

__all__ = ["GAME"]
