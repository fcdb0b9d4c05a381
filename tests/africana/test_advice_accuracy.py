"""Advice predicts the effects of commands correctly, under every house rule and for two to four players."""

from __future__ import annotations

import re

from hypothesis import given as for_all
from hypothesis import settings

from tests.africana.random_play import Recipe, play, recipes
from zimcore.game import Accepted
from zimcore.games.africana import GAME
from zimcore.games.africana.cards import UNKNOWN
from zimcore.games.africana.commands import Buy, Move
from zimcore.games.africana.planner import ways_this_turn
from zimcore.games.africana.state import State


def decide_accepted(state: State, command: object) -> Accepted:
    answer = GAME.rules.decide(state, state.actor or "", command)
    assert isinstance(answer, Accepted), (GAME.notation.format(command), answer)
    return answer


def check_immediate_silver(state: State, text: str, effects: tuple[str, ...]) -> None:
    """Checks the silver that advice names for one join, one ending or one purchase."""
    seat = state.actor or ""
    command = GAME.notation.parse(text, state)[1]
    state_after = decide_accepted(state, command).state
    earned_silver = state_after.silver[seat] - state.silver[seat]
    if isinstance(command, Buy):
        assert f"{earned_silver} silver now" in effects
    elif text.startswith(("join", "end ")):
        amounts = re.findall(r"(\d+) silver", effects[0])
        assert earned_silver == (int(amounts[-1]) if amounts else 0), (text, effects)


@settings(max_examples=10)
@for_all(recipes)
def test_advice_predicts_the_silver_of_a_command(recipe: Recipe) -> None:
    for move_number, move in enumerate(play(recipe, 150)):
        state = move.state_before
        if move_number % 5:
            continue
        for advice in GAME.questions.advice(state, state.actor or ""):
            check_immediate_silver(state, advice.text, advice.brings)


@settings(max_examples=10)
@for_all(recipes)
def test_a_described_route_can_be_taken_at_its_cost(recipe: Recipe) -> None:
    for move_number, move in enumerate(play(recipe, 150)):
        state, seat = move.state_before, move.state_before.actor or ""
        if move_number % 2 or state.turn.over or state.turn.action not in ("", "move"):
            continue
        for way in ways_this_turn(state, seat).values():
            reached_state = state
            for command in way.commands:
                if isinstance(command, Move) and command.card == UNKNOWN:
                    break  # a card that is drawn on the way: nobody can say yet which it is
                reached_state = decide_accepted(reached_state, command).state
            else:
                assert reached_state.places[seat] == way.to
                assert way.steps == len(reached_state.table) - len(state.table)
