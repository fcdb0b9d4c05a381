"""A pickled or copied position equals the original, whatever caches were filled before."""

import pickle
from copy import deepcopy

from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.africana.random_play import Recipe, play, recipes, set_up
from zimcore.games.africana import GAME
from zimcore.games.africana.legal import LegalCommands
from zimcore.games.africana.planner import cheapest_ways
from zimcore.games.africana.state import State

MAX_BYTES = 20_000
"""Bytes; all components are among them."""


def state_after(recipe: Recipe, move_count: int) -> State:
    """The position after so many moves."""
    state: State = set_up(recipe).outcome.state
    for move in play(recipe, move_count):
        state = move.outcome.state
    return state


@settings(max_examples=10)
@for_all(recipes, st.integers(0, 150))
def test_a_state_is_pickled_as_if_it_had_never_been_used(recipe: Recipe, move_count: int) -> None:
    state = state_after(recipe, move_count)
    pickled_state = pickle.dumps(state)
    LegalCommands(state).count()
    cheapest_ways(state, state.turn.seat)
    assert pickle.dumps(state) == pickled_state == pickle.dumps(state_after(recipe, move_count))
    assert len(pickled_state) < MAX_BYTES


@settings(max_examples=10)
@for_all(recipes, st.integers(0, 150))
def test_a_state_read_back_or_deeply_copied_is_the_same_and_plays_on(recipe: Recipe, move_count: int) -> None:
    state = state_after(recipe, move_count)
    for copied_state in (pickle.loads(pickle.dumps(state)), deepcopy(state)):
        assert GAME.evolution.canonical(copied_state) == GAME.evolution.canonical(state)
        assert list(LegalCommands(copied_state)) == list(LegalCommands(state))
        assert cheapest_ways(copied_state, "italy") == cheapest_ways(state, "italy")
