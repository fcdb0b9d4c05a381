"""Positions and commands as numbers, for learning programs."""

from zimcore.games.zimbabwe.encoding.numbering import actions, command, mask
from zimcore.games.zimbabwe.encoding.positions import figures, observe, planes, shape

__all__ = ["actions", "command", "figures", "mask", "observe", "planes", "shape"]
