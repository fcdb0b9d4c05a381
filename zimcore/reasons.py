"""Why a turn is played, in sentences of the game: what each of its commands brings, as the game's advice says it.

Hints, analyses and what is said of a bot's move all come from here: `+4 VP, -6 cattle, pays Lozi 2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zimcore.game import Accepted, Command, Event, Game, HiddenError, Seat


def reason(game: Game, state: Any, seat: Seat, commands: Sequence[Command]) -> str:
    """What commands of a seat bring, one after the other, as far as that is known; "" where nothing has to be said."""
    said, logged = list[str](), list[str]()
    for command in commands:
        try:
            answer = game.rules.decide(state, seat, command)
            if not isinstance(answer, Accepted):
                break
            brings = game.questions.brings(state, seat, command)
        except HiddenError:
            break
        said += [", ".join(brings)] if brings else []
        logged += _result(game, seat, command, answer)
        state = answer.state
    return "; ".join(said or logged)


def _result(game: Game, seat: Seat, command: Command, answer: Accepted) -> Sequence[str]:
    """What a log would say of it, where the game has no other words: `-2 cattle, +1 VP`."""
    played: type[Event] = game.evolution.EVENTS[0]
    summary = game.notation.summary((played(seat=seat, command=command), *answer.events))
    return [summary] if summary else []
