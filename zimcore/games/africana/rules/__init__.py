"""The rules: which commands are legal, why others are not, and which events follow.

Each module is a part of the game; importing it registers its guards and decisions. `turn` is imported first, so that
refusals begin with whose turn it is.
"""

from __future__ import annotations

from zimcore.game import Legal, Played, Seat

from zimcore.games.africana.rules import turn  # isort: skip
from zimcore.games.africana.rules import adventures, books, drawing, expeditions, limits, moving, redeal, setup
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.rules.setup import OPTIONS, flip_house_rule
from zimcore.games.africana.rules.setup import set_up_command as set_up
from zimcore.games.africana.state import State

__all__ = [
    "OPTIONS",
    "adventures",
    "apply",
    "are_independent",
    "books",
    "decide",
    "drawing",
    "expeditions",
    "guarded",
    "legal",
    "limits",
]
__all__ += ["flip_house_rule", "is_legal", "moving", "redeal", "set_up", "setup", "turn"]

decide, apply, guarded, is_legal = RULEBOOK.decide, RULEBOOK.apply, RULEBOOK.commands_by_rule, RULEBOOK.is_legal


def legal(state: State, seat: Seat) -> Legal:
    """The legal commands of a player."""
    from zimcore.games.africana.legal import LegalCommands  # a cycle: it imports the rules

    return LegalCommands(state, seat)


def are_independent(state: State, one: Played, other: Played) -> bool:
    """Returns False: players act in turn."""
    return False
