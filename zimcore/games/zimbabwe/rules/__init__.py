"""The rules: what stands, what does not and why, and what follows.

One module is one part of the game; importing them binds their guards and decisions to the commands.
"""

from __future__ import annotations

from zimcore.games.zimbabwe.rules import cards, craftsmen, generosity, monuments, prices, rituals, setup, turn
from zimcore.games.zimbabwe.rules.rule import RULEBOOK

__all__ = ["cards", "craftsmen", "decide", "generosity", "guarded", "monuments", "prices", "rituals", "setup", "turn"]

decide, guarded = RULEBOOK.decide, RULEBOOK.guarded
