"""The rules: what stands, what does not and why, and what follows.

One module is one part of the game; importing them binds their guards and decisions to the commands.
"""

from __future__ import annotations

from zimcore.game import Accepted, Legal, Played, Refused, Seat
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.rules import cards, craftsmen, generosity, monuments, prices, rituals, setup, turn
from zimcore.games.zimbabwe.rules.rule import RULEBOOK
from zimcore.games.zimbabwe.rules.setup import OPTIONS, otherwise
from zimcore.games.zimbabwe.rules.setup import set_up_command as set_up
from zimcore.games.zimbabwe.state import State

__all__ = [
    "OPTIONS",
    "apply",
    "cards",
    "commute",
    "craftsmen",
    "decide",
    "generosity",
    "guarded",
    "legal",
    "monuments",
    "prices",
]
__all__ += ["otherwise", "rituals", "set_up", "setup", "turn"]

apply, guarded = RULEBOOK.apply, RULEBOOK.commands_by_rule


def decide(state: State, seat: Seat, command: AnyCommand) -> Accepted | Refused:
    """What follows, or which rules are broken."""
    answer = RULEBOOK.decide(state, seat, command)
    if isinstance(answer, Accepted):
        return answer
    from zimcore.games.zimbabwe.hints import add_hints  # which asks for what is legal, and so needs the rules

    return add_hints(state, seat, command, answer)


def legal(state: State, seat: Seat) -> Legal:
    """What a player can do now."""
    from zimcore.games.zimbabwe.legal import LegalCommands  # which needs the rules

    return LegalCommands(state, seat)


def commute(state: State, one: Played, other: Played) -> bool:
    """Never: players act in turn."""
    return False
