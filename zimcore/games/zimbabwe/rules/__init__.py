"""The rules: which commands are legal, why others are not, and which events follow.

Each module is a part of the game; importing it registers its guards and decisions.
"""

from __future__ import annotations

from zimcore.game import Accepted, Legal, Played, Refused, Seat
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.rules import cards, craftsmen, generosity, monuments, prices, rituals, setup, turn
from zimcore.games.zimbabwe.rules.rule import RULEBOOK
from zimcore.games.zimbabwe.rules.setup import OPTIONS, flip_house_rule
from zimcore.games.zimbabwe.rules.setup import set_up_command as set_up
from zimcore.games.zimbabwe.state import State

__all__ = [
    "OPTIONS",
    "apply",
    "are_independent",
    "cards",
    "craftsmen",
    "decide",
    "generosity",
    "guarded",
    "legal",
    "monuments",
    "prices",
]
__all__ += ["flip_house_rule", "rituals", "set_up", "setup", "turn"]

apply, guarded = RULEBOOK.apply, RULEBOOK.commands_by_rule


def decide(state: State, seat: Seat, command: AnyCommand) -> Accepted | Refused:
    """The events and state after a command, or the rules that it breaks with hints."""
    decision = RULEBOOK.decide(state, seat, command)
    if isinstance(decision, Accepted):
        return decision
    from zimcore.games.zimbabwe.hints import add_hints  # a cycle: it imports the rules

    return add_hints(state, seat, command, decision)


def legal(state: State, seat: Seat) -> Legal:
    """The legal commands of a player."""
    from zimcore.games.zimbabwe.legal import LegalCommands  # a cycle: it imports the rules

    return LegalCommands(state, seat)


def are_independent(state: State, one: Played, other: Played) -> bool:
    """Returns False: players act in turn."""
    return False
