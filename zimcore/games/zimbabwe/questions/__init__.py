"""The questions about a position, answered in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from zimcore.game import Advice, Consequence, NotationError, Seat, Table
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.questions.hindsight import hindsight
from zimcore.games.zimbabwe.questions.statistics import statistics
from zimcore.games.zimbabwe.questions.waste import waste
from zimcore.games.zimbabwe.state import State

__all__ = ["QUESTIONS", "advice", "ask", "consequences", "describe_effects", "hindsight", "statistics", "waste"]

QUESTIONS: Mapping[str, str] = {
    "plan": "[PLAYER] [MONUMENT...]: the cheapest way to raise them, or all sets that are worth raising",
    "reach": "SQUARE: resources, craftsmen and monuments, in steps and in hubs",
    "preview": "[COMMAND]: what it would bring; without one all bids, the revenues and the ranking",
    "cards": "[NAME]: what gods, specialists and craftsmen cost and do",
}
MODULE_BY_QUESTION = {"plan": "plans", "reach": "reach", "preview": "gains", "cards": "cards"}
"""The module that answers each question, by a function of the question's name. Most moves need none of them."""


def ask(state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
    """The answer to a question. Raises `NotationError` for an unknown one."""
    if question not in MODULE_BY_QUESTION:
        raise NotationError(question, "the questions are " + ", ".join(MODULE_BY_QUESTION), tuple(MODULE_BY_QUESTION))
    module = import_module(f"{__name__}.{MODULE_BY_QUESTION[question]}")
    answer_question: Callable[[State, Sequence[str]], Sequence[Table]] = getattr(module, question)
    return answer_question(state, [word.lower() for word in words])


def advice(state: State, seat: Seat, beginning: str = "") -> Sequence[Advice]:
    """Commands worth a look, the best first."""
    from zimcore.games.zimbabwe.advice import advice as find_advice  # a cycle: it imports `questions.cards`

    return find_advice(state, seat, beginning)


def consequences(state: State, seat: Seat, command: AnyCommand) -> Sequence[Consequence]:
    """What a command claims, serves, shares and makes useless on the board."""
    from zimcore.games.zimbabwe.advice.consequences import find_consequences  # slow, and few ask

    return find_consequences(state, seat, command)


def describe_effects(state: State, seat: Seat, command: AnyCommand) -> tuple[str, ...]:
    """The effects of a command, its cost first."""
    from zimcore.games.zimbabwe.advice.effects import describe_effects as effects_of

    return effects_of(state, seat, command)
