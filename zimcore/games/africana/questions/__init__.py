"""The questions about a position, answered in tables, and statistics of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Event, NotationError, Seat, Table
from zimcore.games.africana.questions.advice import advice, describe_effects
from zimcore.games.africana.questions.statistics import statistics
from zimcore.games.africana.questions.tables import ANSWERS
from zimcore.games.africana.questions.waste import waste
from zimcore.games.africana.state import State

__all__ = ["QUESTIONS", "advice", "ask", "describe_effects", "hindsight", "statistics", "waste"]

QUESTIONS: Mapping[str, str] = {
    "plan": "[PLAYER] [LOCATION]: the cheapest way to LOCATION, or the cost of each location within reach this turn",
    "preview": "the points of each player by source, if the game ended now",
    "cards": "[NAME]: what expeditions, adventures and locations are",
}


def ask(state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
    """The answer to a question. Raises `NotationError` for an unknown one."""
    if question not in ANSWERS:
        raise NotationError(question, "the questions are " + ", ".join(ANSWERS), tuple(ANSWERS))
    return ANSWERS[question](state, [word.lower() for word in words])


def hindsight(events: Sequence[Event], seat: Seat) -> Mapping[str, str]:
    """Returns no hindsight: a card's value depends on the way."""
    return {}
