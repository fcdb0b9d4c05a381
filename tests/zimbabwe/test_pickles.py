"""A pickled or copied position keeps its state, not the caches of its board."""

import pickle
from copy import copy, deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zimbabwe.random_play import Recipe, beginning_events, play, recipes
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import Board, bits
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.planner import best_raises
from zimcore.games.zimbabwe.state import State

MAX_BYTES = 16_000
"""Bytes: three times what a full board for five takes."""


def state_after(recipe: Recipe, move_count: int) -> State:
    """The position after so many moves, made of its events alone: the caches of its board are empty."""
    state: State = GAME.evolution.initial()
    for event in (
        *beginning_events(recipe),
        *(event for move in play(recipe, move_count) for event in move.outcome.events),
    ):
        GAME.evolution.evolve(state, event)
    return state


def fill_caches(state: State) -> None:
    """Asks all questions that a bot asks, so that the caches are filled."""
    LegalCommands(state).count()
    for seat in state.seats:
        best_raises(state, seat)
    for square in bits(state.board.existing_squares):
        state.board.ball(square, 3, state.monument_squares)
    assert state.board._balls


@settings(max_examples=10)
@given(recipes(), st.integers(0, 150))
def test_a_state_is_pickled_as_if_it_had_never_been_used(recipe: Recipe, move_count: int) -> None:
    state = state_after(recipe, move_count)
    pickled_state = pickle.dumps(state)
    fill_caches(state)
    assert pickle.dumps(state) == pickled_state == pickle.dumps(state_after(recipe, move_count))
    assert len(pickled_state) < MAX_BYTES


@settings(max_examples=10)
@given(recipes(), st.integers(0, 150))
def test_a_state_read_back_or_deeply_copied_is_the_same_and_plays_on(recipe: Recipe, move_count: int) -> None:
    state = state_after(recipe, move_count)
    fill_caches(state)
    for copied_state in (pickle.loads(pickle.dumps(state)), deepcopy(state)):
        assert not copied_state.board._balls
        assert GAME.evolution.canonical(copied_state) == GAME.evolution.canonical(state)
        assert pickle.dumps(copied_state) == pickle.dumps(state)
        commands = list(LegalCommands(state))
        assert list(LegalCommands(copied_state)) == commands
        assert [bytes_after(copied_state, command) for command in commands[:3]] == [
            bytes_after(state, command) for command in commands[:3]
        ]


def bytes_after(state: State, command: AnyCommand) -> bytes:
    """The position that follows."""
    outcome = GAME.rules.decide(state, state.actor or "", command)
    assert isinstance(outcome, Accepted)
    return GAME.evolution.canonical(outcome.state)


def test_a_copied_board_has_the_same_squares_without_the_caches() -> None:
    board = Board.from_rows([". ~~.", ".....", ".... "]).with_water(["a1", "a2"])
    board.ball(board.square["b2"], 1)
    for copied_board in (copy(board), deepcopy(board), pickle.loads(pickle.dumps(board))):
        for attribute in ("width", "height", "stride", "existing_squares", "water", "lakes", "square", "name"):
            assert getattr(copied_board, attribute) == getattr(board, attribute)
        assert not copied_board._balls
