"""The rules: what stands, what does not and why, and what follows.

One module is one part of the game; importing them binds their guards and decisions to the commands. Those of `turn`
come first: a refusal begins with whose turn it is, and for what.
"""

from __future__ import annotations

from zimcore.games.africana.rules import turn  # isort: skip
from zimcore.games.africana.rules import adventures, books, drawing, expeditions, limits, moving, redeal, setup
from zimcore.games.africana.rules.rule import RULEBOOK

__all__ = [
    "adventures",
    "books",
    "decide",
    "drawing",
    "expeditions",
    "guarded",
    "limits",
    "moving",
    "redeal",
    "setup",
    "stands",
    "turn",
]

decide, guarded, stands = RULEBOOK.decide, RULEBOOK.guarded, RULEBOOK.stands
