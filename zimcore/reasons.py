"""The reason for a turn: the effects of each of its commands, in the words of the game's advice.

Used by hints, analyses and comments on a bot's move: `+4 VP, -6 cattle, pays Lozi 2`, or `wins by force; +4 VP`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zimcore.chances import WINS_BY_FORCE, wins_by_force
from zimcore.game import Accepted, Command, Event, Game, HiddenError, Seat


def reason_for_turn(game: Game, state: Any, seat: Seat, commands: Sequence[Command]) -> str:
    """The effects of consecutive commands of a seat, up to the first illegal or hidden one; "" if there are none."""
    effects, summaries = list[str](), list[str]()
    for command in commands:
        try:
            answer = game.rules.decide(state, seat, command)
            if not isinstance(answer, Accepted):
                break
            command_effects = game.questions.describe_effects(state, seat, command)
        except HiddenError:
            break
        effects += [", ".join(command_effects)] if command_effects else []
        summaries += _result_texts(game, seat, command, answer)
        state = answer.state
    force_note = [WINS_BY_FORCE] if wins_by_force(game, state, seat) else []
    return "; ".join(force_note + (effects or summaries))


def _result_texts(game: Game, seat: Seat, command: Command, answer: Accepted) -> Sequence[str]:
    """The result of a command as in a log, for a game without such advice: `-2 cattle, +1 VP`."""
    played_type: type[Event] = game.evolution.EVENTS[0]
    summary = game.notation.summary((played_type(seat=seat, command=command), *answer.events))
    return [summary] if summary else []
