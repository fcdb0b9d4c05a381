"""What can be asked of a position, answered in tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zimcore.game import NotationError, Table
from zimcore.games.zimbabwe.questions.cards import cards
from zimcore.games.zimbabwe.questions.gains import preview
from zimcore.games.zimbabwe.questions.plans import plan
from zimcore.games.zimbabwe.questions.sights import reach
from zimcore.games.zimbabwe.state import State

QUESTIONS: dict[str, Callable[[State, Sequence[str]], Sequence[Table]]] = {
    "plan": plan,
    "reach": reach,
    "preview": preview,
    "cards": cards,
}


def ask(state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
    """The answer to a question. Raises `NotationError`."""
    if question not in QUESTIONS:
        raise NotationError(question, "the questions are " + ", ".join(QUESTIONS), tuple(QUESTIONS))
    return QUESTIONS[question](state, [word.lower() for word in words])
