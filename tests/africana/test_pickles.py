"""A position that is pickled or copied is the same again, whatever was asked before."""

import pickle
from copy import deepcopy

from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.africana.random_play import Recipe, play, recipes, set_up
from zimcore.games.africana import GAME
from zimcore.games.africana.legal import LegalCommands
from zimcore.games.africana.planner import ways
from zimcore.games.africana.state import State

SMALL = 20_000
"""Bytes; all components are among them."""


def position(recipe: Recipe, moves: int) -> State:
    """The position after so many moves."""
    state: State = set_up(recipe).outcome.state
    for move in play(recipe, moves):
        state = move.outcome.state
    return state


@settings(max_examples=10)
@for_all(recipes, st.integers(0, 150))
def test_a_state_is_pickled_as_if_it_had_never_been_used(recipe: Recipe, moves: int) -> None:
    state = position(recipe, moves)
    fresh = pickle.dumps(state)
    LegalCommands(state).count()
    ways(state, state.turn.seat)
    assert pickle.dumps(state) == fresh == pickle.dumps(position(recipe, moves))
    assert len(fresh) < SMALL


@settings(max_examples=10)
@for_all(recipes, st.integers(0, 150))
def test_a_state_read_back_or_deeply_copied_is_the_same_and_plays_on(recipe: Recipe, moves: int) -> None:
    state = position(recipe, moves)
    for twin in (pickle.loads(pickle.dumps(state)), deepcopy(state)):
        assert GAME.evolution.canonical(twin) == GAME.evolution.canonical(state)
        assert list(LegalCommands(twin)) == list(LegalCommands(state))
        assert ways(twin, "italy") == ways(state, "italy")
