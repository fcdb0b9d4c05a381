"""A pickled or copied position keeps its state, not the caches of its board."""

import pickle
from copy import copy, deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zimbabwe.random_play import Recipe, beginning, play, recipes
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import Board, bits
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.planner import best_raises
from zimcore.games.zimbabwe.state import State

SMALL = 16_000
"""Bytes: three times what a full board for five takes."""


def position(recipe: Recipe, moves: int) -> State:
    """The position after so many moves, made of its facts alone: its board was asked nothing."""
    state: State = GAME.evolution.initial()
    for event in (*beginning(recipe), *(event for move in play(recipe, moves) for event in move.outcome.events)):
        GAME.evolution.evolve(state, event)
    return state


def used_heavily(state: State) -> None:
    """Asks whatever a playing program would ask, for hours."""
    LegalCommands(state).count()
    for seat in state.seats:
        best_raises(state, seat)
    for square in bits(state.board.exists):
        state.board.ball(square, 3, state.monument_squares)
    assert state.board._balls


@settings(max_examples=10)
@given(recipes(), st.integers(0, 150))
def test_a_state_is_pickled_as_if_it_had_never_been_used(recipe: Recipe, moves: int) -> None:
    state = position(recipe, moves)
    fresh = pickle.dumps(state)
    used_heavily(state)
    assert pickle.dumps(state) == fresh == pickle.dumps(position(recipe, moves))
    assert len(fresh) < SMALL


@settings(max_examples=10)
@given(recipes(), st.integers(0, 150))
def test_a_state_read_back_or_deeply_copied_is_the_same_and_plays_on(recipe: Recipe, moves: int) -> None:
    state = position(recipe, moves)
    used_heavily(state)
    for twin in (pickle.loads(pickle.dumps(state)), deepcopy(state)):
        assert not twin.board._balls
        assert GAME.evolution.canonical(twin) == GAME.evolution.canonical(state)
        assert pickle.dumps(twin) == pickle.dumps(state)
        commands = list(LegalCommands(state))
        assert list(LegalCommands(twin)) == commands
        assert [after(twin, command) for command in commands[:3]] == [after(state, command) for command in commands[:3]]


def after(state: State, command: AnyCommand) -> bytes:
    """The position that follows."""
    outcome = GAME.rules.decide(state, state.actor or "", command)
    assert isinstance(outcome, Accepted)
    return GAME.evolution.canonical(outcome.state)


def test_a_copied_board_is_the_same_ground_without_its_memory() -> None:
    board = Board.from_rows([". ~~.", ".....", ".... "]).with_water(["a1", "a2"])
    board.ball(board.square["b2"], 1)
    for twin in (copy(board), deepcopy(board), pickle.loads(pickle.dumps(board))):
        for part in ("width", "height", "stride", "exists", "water", "lakes", "square", "name"):
            assert getattr(twin, part) == getattr(board, part)
        assert not twin._balls
