"""Chances add up to 1, do not depend on the order of seats, and beat a uniform guess."""

import sys
from collections.abc import Callable
from math import log
from random import Random
from statistics import fmean
from typing import Any

import msgspec
import pytest

import zimcore.chances
from tests import nim
from tests.analysis.matches import quick_match
from tests.zimbabwe.random_play import Recipe, play
from zimcore.bots.bot import View, view_for
from zimcore.bots.bot_match import play_bots
from zimcore.bots.deep import DeepBot
from zimcore.bots.levels import QuickBot, StrongBot
from zimcore.chances import Model, chance_features, chances, load_model
from zimcore.game import Game, GameError
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import bits
from zimcore.games.zimbabwe.chances.features import PLANNER_CACHE, _costs_and_vp, features
from zimcore.games.zimbabwe.commands import AnyCommand, Start
from zimcore.games.zimbabwe.house import HOUSE_RULES
from zimcore.games.zimbabwe.rules.monuments import free_starts
from zimcore.games.zimbabwe.strategy.candidates import MAX_STARTS, candidates


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_chances_of_all_seats_add_up_to_one(players: int) -> None:
    state = quick_match(30, players).state
    chances_by_seat = chances(GAME, state)
    assert tuple(chances_by_seat) == state.seats
    assert sum(chance.mean for chance in chances_by_seat.values()) == pytest.approx(1)
    assert all(0 <= chance.mean <= 1 and 0 <= chance.error < 0.5 for chance in chances_by_seat.values())


def test_chances_do_not_depend_on_the_order_of_seats() -> None:
    features_by_seat = chance_features(GAME).features(quick_match(40).state)
    model = load_model(chance_features(GAME))
    chances_in_order, chances_reversed = (
        model.chances(features_by_seat),
        model.chances(dict(reversed(list(features_by_seat.items())))),
    )
    for seat, chance in chances_in_order.items():
        assert chances_reversed[seat].mean == pytest.approx(chance.mean)


def test_the_chance_of_the_winner_is_1_at_the_end() -> None:
    finished_match = quick_match()
    chances_by_seat = chances(GAME, finished_match.state)
    assert {seat: chance.mean for seat, chance in chances_by_seat.items()} == {
        seat: float(seat == finished_match.outcome.winner) for seat in finished_match.seats
    }


def test_until_all_have_a_monument_no_seat_is_ahead() -> None:
    state = GAME.rules.apply(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "3"}, 7)).state
    first_seat = GAME.evolution.to_move(state)[0]
    start_command = next(iter(candidates(state, first_seat)))[0]
    for position_state in (state, GAME.rules.apply(state, first_seat, start_command).state):
        assert [chance.mean for chance in chances(GAME, position_state).values()] == pytest.approx([1 / 3] * 3)


def test_start_areas_are_offered_the_richest_first() -> None:
    state = GAME.rules.apply(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "3"}, 7)).state
    seat = GAME.evolution.to_move(state)[0]
    areas = {square: state.board.ball(square, state.range_in_steps) for square in bits(free_starts(state))}
    resources_by_start: dict[AnyCommand, int] = {
        Start(state.board.name[square]): sum(bool(ball & resource) for resource in state.resources.values())
        for square, ball in areas.items()
    }
    starts = [start for (start,) in candidates(state, seat)]
    assert len(starts) == len(set(starts)) == MAX_STARTS
    assert [resources_by_start[start] for start in starts] == sorted(resources_by_start.values(), reverse=True)[
        :MAX_STARTS
    ]
    assert resources_by_start[starts[0]] > min(resources_by_start.values()), "not all are alike, or this shows nothing"
    assert QuickBot().choose(View(GAME, state, seat), 0, Random(1)).command == starts[0]


def test_chances_do_not_change_the_state() -> None:
    state = quick_match(40).state
    canonical_before = GAME.evolution.canonical(state)
    chances(GAME, state)
    assert GAME.evolution.canonical(state) == canonical_before


def test_late_in_a_match_chances_beat_equal_chances() -> None:
    finished_match = quick_match()
    state = GAME.rules.apply(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "3"}, 7)).state
    losses = []
    for seat, command in finished_match.moves:
        if state.round >= finished_match.state.round - 1:
            losses.append(-log(chances(GAME, state)[finished_match.outcome.winner or ""].mean))
        state = GAME.rules.apply(state, seat, command).state
    assert fmean(losses) < log(3)


def test_every_feature_is_given_for_every_seat() -> None:
    chance_model = chance_features(GAME)
    for row in chance_model.features(quick_match(40).state).values():
        assert len(row) == len(chance_model.FEATURES) == len(set(chance_model.FEATURES))


def test_the_model_names_the_runs_that_made_it() -> None:
    model = load_model(chance_features(GAME))
    assert "--seed" in model.made_by
    assert len(model.nets) > 1


def test_a_card_that_no_training_game_had_changes_nothing() -> None:
    chance_model = chance_features(GAME)
    features_by_seat = chance_model.features(quick_match(40).state)
    for card in ("nomads", "rain_ceremony"):
        index = chance_model.FEATURES.index(card)
        (seat, row), *other_rows = features_by_seat.items()
        row_with_card = [*row[:index], 1.0, *row[index + 1 :]]
        chances_before, chances_after = (
            load_model(chance_model).chances({seat: changed_row, **dict(other_rows)})
            for changed_row in (row, row_with_card)
        )
        assert chances_after[seat].mean == pytest.approx(chances_before[seat].mean, abs=1e-3)


def test_scores_are_multiplied_by_players_and_round_for_chances_and_not_for_values() -> None:
    chance_model, states = chance_features(GAME), [quick_match(commands).state for commands in (30, 60)]
    early_features, late_features = (chance_model.features(state) for state in states)
    model = msgspec.structs.replace(load_model(chance_model), score_factors={}, family_nets=[], expert_nets=[])
    scaled_model = msgspec.structs.replace(model, score_factors={3: [0.5] * states[0].round + [0.0], 4: [0.0]})
    early_chances, unscaled_chances = scaled_model.chances(early_features), model.chances(early_features)
    ranked_seats, even_chance = sorted(unscaled_chances, key=lambda seat: unscaled_chances[seat].mean), 1 / 3
    assert sorted(early_chances, key=lambda seat: early_chances[seat].mean) == ranked_seats
    assert even_chance < early_chances[ranked_seats[-1]].mean < unscaled_chances[ranked_seats[-1]].mean
    assert early_chances[ranked_seats[-1]].error < unscaled_chances[ranked_seats[-1]].error
    assert sum(chance.mean for chance in early_chances.values()) == pytest.approx(1)
    assert states[1].round > states[0].round
    assert {chance.mean for chance in scaled_model.chances(late_features).values()} == {round(even_chance, 9)}
    for features_by_seat in (early_features, late_features):
        assert (
            scaled_model.values(features_by_seat)
            == model.values(features_by_seat)
            == {seat: chance.mean for seat, chance in model.chances(features_by_seat).items()}
        )
    indifferent_net = msgspec.structs.replace(model.nets[0], out=[0.0] * len(model.nets[0].out))
    expert_model = msgspec.structs.replace(model, expert_nets=[indifferent_net])
    assert {*expert_model.values(early_features).values()} == {round(even_chance, 9)}
    assert expert_model.chances(early_features) == unscaled_chances


def test_nets_of_families_change_chances_and_their_errors_and_no_values() -> None:
    chance_model = chance_features(GAME)
    features_by_seat = chance_model.features(quick_match(45).state)
    shipped_model = msgspec.structs.replace(load_model(chance_model), score_factors={})
    assert len(shipped_model.family_nets) > 1
    model_without_families = msgspec.structs.replace(shipped_model, family_nets=[])
    assert shipped_model.values(features_by_seat) == model_without_families.values(features_by_seat)
    chances_by_seat, own_chances = (
        shipped_model.chances(features_by_seat),
        model_without_families.chances(features_by_seat),
    )
    assert fmean(chance.error for chance in chances_by_seat.values()) > fmean(
        chance.error for chance in own_chances.values()
    ), "families disagree more than nets of the same games"
    assert all(chances_by_seat[seat].mean != own_chances[seat].mean for seat in own_chances)
    assert sum(chance.mean for chance in chances_by_seat.values()) == pytest.approx(1)


def test_score_factors_change_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    state = quick_match(45).state
    view = view_for(GAME, state, GAME.evolution.to_move(state)[0])
    nets = load_model(chance_features(GAME))
    choices = list[object]()
    for score_factors in ({}, {3: [0.0]}):
        scaled_nets = msgspec.structs.replace(nets, score_factors=score_factors)
        monkeypatch.setattr(zimcore.chances, "_load_model", lambda data, features, nets=scaled_nets: nets)
        assert len({chance.mean for chance in chances(GAME, state).values()}) == (1 if score_factors else 3)
        choices.append((StrongBot().choose(view, 0, Random(1)), DeepBot().choose(view, 200, Random(1)).command))
    assert choices[0] == choices[1]


def test_a_game_without_a_model_has_no_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(nim.GAME), "chances", None)
    with pytest.raises(GameError, match="there are no chances"):
        chances(nim.GAME, nim.GAME.rules.apply(nim.GAME.evolution.initial(), "", nim.GAME.rules.set_up({}, 1)).state)


def test_there_are_no_chances_before_the_set_up() -> None:
    with pytest.raises(GameError, match="no chances yet"):
        chances(GAME, GAME.evolution.initial())


@pytest.mark.parametrize("game", [GAME, AFRICANA], ids=lambda game: game.name)
def test_chances_are_the_same_with_numpy_and_without(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    model, chance_model = load_model(chance_features(game)), chance_features(game)
    states = [
        play_bots(game, [(QuickBot(), 0)] * 3, {"players": "3"}, 5, commands).state for commands in range(9, 90, 9)
    ]
    features_by_state = [chance_model.features(state) for state in states]
    monkeypatch.setattr(zimcore.chances, "EVALUATIONS_BEFORE_NUMPY", 0)
    chances_with_numpy = [model.chances(state_features) for state_features in features_by_state]
    nets = model.shown_nets
    assert any(
        nets.arrays.scores([*state_features.values()]) != nets.scores([*state_features.values()])
        for state_features in features_by_state
        if nets.arrays
    )
    monkeypatch.setattr(zimcore.chances, "EVALUATIONS_BEFORE_NUMPY", sys.maxsize)
    assert [model.chances(state_features) for state_features in features_by_state] == chances_with_numpy


def test_without_numpy_the_nets_are_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    features_by_seat = chance_features(GAME).features(quick_match(40).state)
    loaded_chances = load_model(chance_features(GAME)).chances(features_by_seat)  # without numpy it would stay without
    monkeypatch.setattr(zimcore.chances, "EVALUATIONS_BEFORE_NUMPY", 0)
    monkeypatch.setitem(sys.modules, "numpy", None)
    model = msgspec.json.decode(chance_features(GAME).MODEL, type=Model)
    assert model.shown_nets.arrays is None
    assert model.chances(features_by_seat) == loaded_chances


def test_raises_are_the_same_whatever_was_planned_before() -> None:
    """Planners are kept: what a seat could raise depends on the position alone, under all house rules."""
    house_options = {option: rule.other for option, rule in HOUSE_RULES.items()}
    recipes = [Recipe({"players": "3", "gods": "all", **options}, 12, 5) for options in ({}, house_options)]
    states = [move.outcome.state for recipe in recipes for move in play(recipe, 160)]
    states = [state for state in states if state.phase != "setup"]
    states_without_caches = [
        msgspec.structs.replace(state.copy(), used_markers={}, used_markers_by_seat={}) for state in states
    ]
    turns = [
        (state.in_turn_of(seat), seat)
        for pair in zip(states, states_without_caches, strict=True)
        for state in pair
        for seat in state.seats
    ]
    results_before = [*map(features, states)], [_costs_and_vp(state, seat, 30) for state, seat in turns]
    results_without_cache = (
        [without_planners(features, state) for state in states],
        [without_planners(_costs_and_vp, *turn, 30) for turn in turns],
    )
    assert results_before == results_without_cache
    assert any(state.adores for state in states)
    assert any(state.used_markers for state in states)


def without_planners(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function when no planner is cached."""
    PLANNER_CACHE.planners.clear()
    return function(*arguments)
