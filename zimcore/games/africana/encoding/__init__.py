"""Positions and commands as numbers, for learning programs; only for the components that come with the game."""

from zimcore.games.africana.encoding.numbering import actions, command, mask
from zimcore.games.africana.encoding.positions import figures, observe, planes, shape

__all__ = ["actions", "command", "figures", "mask", "observe", "planes", "shape"]
