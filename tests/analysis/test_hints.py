"""Found turns are legal, ranked by chance, and the same every time."""

from itertools import pairwise

import pytest

from tests.analysis.matches import quick_match
from zimcore.analysis.judgement import rank_turns
from zimcore.analysis.turns import Budget, CandidateTurn, is_same_turn, iter_turns
from zimcore.game import Accepted, GameError
from zimcore.games.zimbabwe import GAME

COMMANDS_PLAYED = 60


def ranked_turns(nodes: int = 300) -> list[CandidateTurn]:
    state = quick_match(COMMANDS_PLAYED).state
    seat = GAME.evolution.to_move(state)[0]
    return rank_turns([*iter_turns(GAME, state, seat, Budget(nodes), nodes)], seat)


def test_every_turn_can_be_played_to_its_end() -> None:
    start_state = quick_match(COMMANDS_PLAYED).state
    seat = GAME.evolution.to_move(start_state)[0]
    for turn in ranked_turns():
        state = start_state
        for command in turn.commands:
            assert is_same_turn(GAME, start_state, state)
            answer = GAME.rules.decide(state, seat, command)
            assert isinstance(answer, Accepted)
            state = answer.state
        assert not is_same_turn(GAME, start_state, state)
        assert GAME.evolution.canonical(state) == GAME.evolution.canonical(turn.end_state)


def test_the_best_turn_comes_first_and_none_comes_twice() -> None:
    turns, seat = ranked_turns(), GAME.evolution.to_move(quick_match(COMMANDS_PLAYED).state)[0]
    assert all(turn.chances[seat].mean >= next_turn.chances[seat].mean for turn, next_turn in pairwise(turns))
    assert len({frozenset(turn.commands) for turn in turns}) == len(turns) > 1


def test_the_same_budget_finds_the_same_turns() -> None:
    assert [turn.commands for turn in ranked_turns()] == [turn.commands for turn in ranked_turns()]


def test_there_is_a_turn_whatever_the_budget() -> None:
    assert len(ranked_turns(1)) == 1


def test_a_seat_that_is_not_to_move_gets_no_turns() -> None:
    with pytest.raises(GameError, match="not to move"):
        next(iter_turns(GAME, quick_match(COMMANDS_PLAYED).state, "nobody", Budget(10), 10))
