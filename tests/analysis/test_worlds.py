"""Hidden cards: what a seat does not know changes no judgement for it, and luck is measured."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from zimcore.analysis.judgement import judge_position
from zimcore.analysis.judging import judge_turn
from zimcore.analysis.worlds import check_cards_open, luck_by_seat, play_in_world, sample_world, state_seen_by
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import QuickBot
from zimcore.chances import chance_features, chances, load_model
from zimcore.game import Command, GameError, Seat
from zimcore.games.africana import GAME
from zimcore.games.africana import secrets as SECRETS  # noqa: N812
from zimcore.games.africana.commands import Draw, EndTurn


@cache
def moves_of_match(max_commands: int = 60) -> tuple[tuple[Seat, Command], ...]:
    return tuple(play_bots(GAME, [(QuickBot(), 0)] * 3, {"players": "3"}, 7, max_commands).moves)


def state_after(moves: Sequence[tuple[Seat, Command]]) -> Any:
    state = GAME.rules.apply(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "3"}, 7)).state
    for seat, command in moves:
        state = GAME.rules.apply(state, seat, command).state
    return state


def test_chances_add_up_to_one_for_every_viewer() -> None:
    state = state_after(moves_of_match())
    for state_seen in (state, *(SECRETS.conceal(state, seat) for seat in (*state.seats, ""))):
        chances_by_seat = chances(GAME, state_seen)
        assert sum(chance.mean for chance in chances_by_seat.values()) == pytest.approx(1)
        assert all(0 < chance.mean < 1 for chance in chances_by_seat.values())


def test_terms_are_made_of_features() -> None:
    chance_model = chance_features(GAME)
    assert {name for names in chance_model.TERMS.values() for name in names} <= set(chance_model.FEATURES)
    assert len(load_model(chance_model).nets) > 1


def test_hidden_cards_change_no_turn_that_is_found() -> None:
    state = state_after(moves_of_match())
    seat = state.turn.seat
    other_state = GAME.rules.apply(SECRETS.conceal(state, seat), "", SECRETS.redeal(seat, 99)).state
    assert GAME.evolution.canonical(other_state) != GAME.evolution.canonical(state)
    ranked_turns, other_ranked_turns = (
        judge_position(GAME, state_seen_by(GAME, position_state, seat), seat, 600).ranked_turns
        for position_state in (state, other_state)
    )
    assert [(ranked_turn.turn.commands, ranked_turn.chances) for ranked_turn in ranked_turns] == [
        (ranked_turn.turn.commands, ranked_turn.chances) for ranked_turn in other_ranked_turns
    ]
    assert max(ranked_turn.playouts for ranked_turn in ranked_turns) > 1
    for ranked_turn in ranked_turns:
        assert ranked_turn.turn.commands
        play_in_world(GAME, sample_world(GAME, state, seat, 1, 0), seat, ranked_turn.turn.commands)


def test_worlds_agree_with_what_the_seat_knows() -> None:
    state = state_after(moves_of_match())
    seat = state.turn.seat
    worlds = [sample_world(GAME, state, seat, number, 0) for number in range(4)]
    views = {GAME.evolution.canonical(SECRETS.conceal(world, seat)) for world in worlds}
    assert len(views) == 1
    assert len({GAME.evolution.canonical(world) for world in worlds}) > 1


def test_luck_is_nothing_on_average_and_nothing_without_cards() -> None:
    """In worlds of the same kind the luck of drawing a card goes both ways."""
    state = next(
        candidate
        for candidate in map(state_after, (moves_of_match()[:move_count] for move_count in range(20, 60)))
        if not candidate.turn.action
    )
    seat, commands = state.turn.seat, [Draw()]
    differences = []
    for number in range(40):
        world = sample_world(GAME, state, seat, number, 5)
        differences.append(
            luck_by_seat(GAME, world, seat, commands, play_in_world(GAME, world, seat, commands), seed=1)[seat]
        )
    assert max(differences) > 0 > min(differences)
    assert abs(sum(differences) / len(differences)) < 0.03
    luck_without_cards = tuple(
        luck_by_seat(GAME, state, seat, [EndTurn()], play_in_world(GAME, state, seat, [EndTurn()]), seed=1).values()
    )
    assert luck_without_cards == pytest.approx((0, 0, 0), abs=1e-9)


def test_a_turn_is_judged_in_worlds_of_its_own() -> None:
    state = state_after(moves_of_match())
    seat = state.turn.seat
    end_state = play_in_world(GAME, state, seat, [EndTurn()])
    first_judgement, second_judgement = (
        judge_turn(GAME, state, seat, [EndTurn()], end_state, 60, seed) for seed in (1, 1)
    )
    assert first_judgement == second_judgement
    assert set(first_judgement.luck) == set(state.seats)


def test_a_concealed_position_is_not_analysed() -> None:
    state = state_after(moves_of_match())
    check_cards_open(GAME, state)
    with pytest.raises(GameError, match="cards are hidden in Africana"):
        check_cards_open(GAME, SECRETS.conceal(state, "italy"))
