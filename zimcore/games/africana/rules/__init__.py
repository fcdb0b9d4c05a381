"""The rules: what stands, what does not and why, and what follows.

One module is one part of the game; importing them binds their guards and decisions to the commands. Those of `turn`
come first: a refusal begins with whose turn it is, and for what.
"""

from __future__ import annotations

from zimcore.game import Legal, Played, Seat

from zimcore.games.africana.rules import turn  # isort: skip
from zimcore.games.africana.rules import adventures, books, drawing, expeditions, limits, moving, redeal, setup
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.rules.setup import OPTIONS, otherwise
from zimcore.games.africana.rules.setup import set_up_command as set_up
from zimcore.games.africana.state import State

__all__ = [
    "OPTIONS",
    "adventures",
    "apply",
    "books",
    "commute",
    "decide",
    "drawing",
    "expeditions",
    "guarded",
    "legal",
    "limits",
]
__all__ += ["moving", "otherwise", "redeal", "set_up", "setup", "stands", "turn"]

decide, apply, guarded, stands = RULEBOOK.decide, RULEBOOK.apply, RULEBOOK.commands_by_rule, RULEBOOK.stands


def legal(state: State, seat: Seat) -> Legal:
    """What a player can do now."""
    from zimcore.games.africana.legal import LegalCommands  # which needs the rules

    return LegalCommands(state, seat)


def commute(state: State, one: Played, other: Played) -> bool:
    """Never: players act in turn."""
    return False
