"""The questions about a position, answered in tables, and statistics of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Consequence, Event, NotationError, Seat, Table
from zimcore.games.africana.commands import AnyCommand, Buy, Move
from zimcore.games.africana.questions.advice import advice, describe_effects
from zimcore.games.africana.questions.statistics import statistics
from zimcore.games.africana.questions.tables import ANSWERS
from zimcore.games.africana.questions.waste import waste
from zimcore.games.africana.state import State

__all__ = ["QUESTIONS", "advice", "ask", "consequences", "describe_effects", "hindsight", "statistics", "waste"]

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


def consequences(state: State, seat: Seat, command: AnyCommand) -> Sequence[Consequence]:
    """What ends at the destination of a step, and where the expeditions that start there lead; the goal of a card."""
    match command:
        case Move(to=to):
            expeditions = [state.map.expeditions[card] for card in state.spaces if card in state.map.expeditions]
            own = [each for each in expeditions if seat in state.markers.get(each.id, ())]
            adventures = [state.map.adventures.get(card) for card in state.unfinished[seat]]
            goals = [each.target for each in (*own, *adventures) if each]
            ended = [Consequence("gains", to)] if to in goals else []
            begun = [Consequence("serves", each.target, to, f"{each.vp}") for each in expeditions if each.start == to]
            return (*ended, *begun)
        case Buy(book=book, half=half):
            cards = state.books[book].half(half)
            adventure = state.map.adventures.get(cards[-1]) if cards else None
            return (Consequence("gains", adventure.target),) if adventure else ()
        case _:
            return ()
