"""OpenSpiel's own tests pass, and its playthroughs equal the stored ones.

`ZIM_PLAYTHROUGHS=write` stores them again.
"""

from __future__ import annotations

import os
import unittest
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyspiel
import pytest
from numpy.random import RandomState
from open_spiel.integration_tests import api_test
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr, ismcts, mcts
from open_spiel.python.algorithms.generate_playthrough import playthrough

from zimcore.envs.env_match import Setting
from zimcore.envs.spiel import SpielGame, SpielState, register_game
from zimcore.game import GameError

PLAYTHROUGHS = Path(__file__).parents[1] / "data" / "playthroughs"
TABLES = [*[("zimbabwe", players) for players in (2, 3, 4, 5)], *[("africana", players) for players in (2, 3, 4)]]


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_random_simulation(kind: str, players: int) -> None:
    game = pyspiel.load_game(f"zim_{kind}(players={players},max_actions=150)")
    pyspiel.random_sim_test(game, num_sims=1, serialize=players == 2, verbose=False)


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_a_game_has_the_interface_of_open_spiel(kind: str) -> None:
    name = f"zim_{kind}(players=2)"
    members = {"game_name": name, "game": pyspiel.load_game(name)}
    test_case = type("Interface", (api_test.EnforceAPIOnPartialTreeBase,), members)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(test_case).run(result)
    assert result.testsRun >= 5
    assert not result.errors + result.failures


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_a_playthrough_equals_the_stored_one(kind: str) -> None:
    file = PLAYTHROUGHS / f"{kind}.txt"
    text = playthrough(f"zim_{kind}(players=2,deals=1,max_actions=3)", [], seed=1)
    if os.environ.get("ZIM_PLAYTHROUGHS") == "write":
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


class AllWinState(SpielState):
    """A state in which every player wins."""

    def returns(self) -> list[float]:
        return [1.0] * len(super().returns())


class AllWinGame(SpielGame):
    """The game of such states."""

    kind = "zimbabwe"

    def new_initial_state(self) -> SpielState:
        return AllWinState(self)


def test_the_simulation_rejects_a_broken_game() -> None:
    with pytest.raises(pyspiel.SpielError):
        pyspiel.random_sim_test(
            AllWinGame({"players": 2, "max_actions": 5}), num_sims=1, serialize=False, verbose=False
        )


def test_an_open_game_has_one_chance_move_the_deal() -> None:
    game = pyspiel.load_game("zim_zimbabwe(players=3,deals=4,seed=9)")
    state = game.new_initial_state()
    assert state.chance_outcomes() == [(deal, 0.25) for deal in range(4)]
    boards = set()
    for deal in range(4):
        boards.add(str(state.child(deal)))
    assert len(boards) == 4
    assert game.max_chance_nodes_in_history() == 1


def test_a_command_is_applied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    state, apply = (
        deal_cards("players=2"),
        Mock(side_effect=partial(Setting.apply, deal_cards("players=2").match.setting)),
    )
    monkeypatch.setattr(Setting, "apply", apply)
    state.apply_action(state.legal_actions()[-1])
    assert (state.is_chance_node(), apply.call_count) == (False, 2), "once, and once on what all seats know together"


def test_a_copy_is_independent() -> None:
    state = pyspiel.load_game("zim_zimbabwe(players=2)").new_initial_state()
    state.apply_action(3)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(copy) != str(state)
    assert len(state.history()) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("players=7", "players=7"),
        ("deals=0", "deals=0"),
        ("options=gods:thor", "thor"),
        ("max_actions=0", "max_actions=0"),
    ],
)
def test_wrong_parameters_are_reported(parameters: str, message: str) -> None:
    with pytest.raises((GameError, pyspiel.SpielError), match=message):
        pyspiel.load_game(f"zim_zimbabwe({parameters})")


def test_the_public_observer_sees_less_than_a_player() -> None:
    game = pyspiel.load_game("zim_africana(players=2)")
    state: Any = game.new_initial_state()
    state.apply_action(0)
    own_observer = game.make_py_observer()
    public_observer = game.make_py_observer(
        pyspiel.IIGObservationType(public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    )
    assert own_observer.string_from(state, 0) != public_observer.string_from(state, 0)
    own_observer.set_from(state, 0)
    public_observer.set_from(state, 0)
    assert own_observer.tensor.sum() > public_observer.tensor.sum()


def deal_cards(parameters: str, deal: int = 3) -> Any:
    state = pyspiel.load_game(f"zim_africana({parameters})").new_initial_state()
    state.apply_action(deal)
    return state


def hands(state: Any) -> dict[str, tuple[Any, ...]]:
    return {seat: tuple(hand) for seat, hand in state.match.state.hands.items()}


def test_resampling_deals_again_what_a_player_does_not_know() -> None:
    state = deal_cards("players=3")
    for _ in range(12):
        state.apply_action(state.legal_actions()[-1])
    player = state.current_player()
    own_seat, *other_seats = sorted(range(3), key=lambda other_player: other_player != player)
    resampled_states = [state.resample_from_infostate(player, iter([number / 8]).__next__) for number in range(8)]
    assert {resampled_state.information_state_string(own_seat) for resampled_state in resampled_states} == {
        state.information_state_string(own_seat)
    }
    assert {str(hands(resampled_state)[state.match.seats[own_seat]]) for resampled_state in resampled_states} == {
        str(hands(state)[state.match.seats[own_seat]])
    }
    assert (
        len({str(hands(resampled_state)[state.match.seats[other_seats[0]]]) for resampled_state in resampled_states})
        > 2
    ), "and one card that all have seen"
    assert all(resampled_state.legal_actions() == state.legal_actions() for resampled_state in resampled_states)


def test_an_information_state_depends_on_known_cards_alone() -> None:
    first_state, second_state = (deal_cards("players=2,deals=100", deal) for deal in (1, 2))
    assert first_state.information_state_string(0) != second_state.information_state_string(0), "the own hands differ"
    resampled_state = first_state.resample_from_infostate(0, iter([0.5]).__next__)
    assert hands(resampled_state)[first_state.match.seats[1]] != hands(first_state)[first_state.match.seats[1]]
    assert resampled_state.information_state_string(0) == first_state.information_state_string(0)
    assert resampled_state.information_state_string(1) != first_state.information_state_string(1), (
        "of the hand dealt again"
    )
    string_before = first_state.information_state_string(0)
    first_state.apply_action(first_state.legal_actions()[0])
    assert first_state.information_state_string(0).startswith(string_before), "nothing is forgotten"


def test_ismcts_plays_africana() -> None:
    state = deal_cards("players=2,max_actions=40")
    evaluator = mcts.RandomRolloutEvaluator(1, RandomState(1))
    bot = ismcts.ISMCTSBot(state.get_game(), evaluator, 1.4, 6, random_state=RandomState(1))
    for _ in range(3):
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


def test_mccfr_learns_africana() -> None:
    solver = external_sampling_mccfr.ExternalSamplingSolver(
        pyspiel.load_game("zim_africana(players=2,deals=2,max_actions=2)")
    )
    solver.iteration()
    state = deal_cards("players=2,deals=2,max_actions=2", 0)
    probabilities = solver.average_policy().action_probabilities(state)
    assert set(probabilities) == set(state.legal_actions())


def test_a_draw_is_a_chance_move_that_shuffles_what_no_player_knows() -> None:
    state = deal_cards("players=2,deals=50,seed=7")
    seat, known_hands, state_before = state.match.seats[state.current_player()], hands(state), state.match.state
    draw_action = next(action for action in state.legal_actions() if state.action_to_string(action) == "draw")
    state.apply_action(draw_action)
    assert state.is_chance_node()
    assert hands(state) == known_hands, "nothing is drawn yet"
    states_after = [state.child(deal) for deal in range(50)]
    hands_after = {tuple(sorted(hands(state_after)[seat])) for state_after in states_after}
    assert len(hands_after) > 5
    other_seat = state.match.seats[1 - state.match.player]
    assert {str(hands(state_after)[other_seat]) for state_after in states_after} == {str(known_hands[other_seat])}, (
        "hands are not dealt again"
    )
    all_cards = {
        tuple(sorted((*hands(state_after)[seat], *hands(state_after)[other_seat], *state_after.match.state.pile)))
        for state_after in states_after
    }
    assert all_cards == {tuple(sorted((*known_hands[seat], *known_hands[other_seat], *state_before.pile)))}, (
        "no card comes or goes"
    )


def test_an_action_that_reveals_nothing_is_no_chance_move() -> None:
    state = deal_cards("players=2,seed=7")
    other_actions = [
        action for action in state.legal_actions() if not state.action_to_string(action).startswith("draw")
    ]
    assert other_actions
    for action in other_actions:
        name, state_after = state.action_to_string(action), state.child(action)
        assert state_after.is_chance_node() == name.startswith("turn"), name


@pytest.fixture
def other_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of other packages."""
    references = {"four": "tests.connect_four:GAME"} | {name: f"tests.{name}:GAME" for name in ("kuhn", "nim", "plots")}
    monkeypatch.setattr("zimcore.games.registry.installed_games", lambda: references)


@pytest.mark.usefixtures("other_games")
@pytest.mark.parametrize("kind", ["four", "kuhn", "nim", "plots"])
def test_a_game_without_an_encoding_is_an_open_spiel_game_too(kind: str) -> None:
    register_game(kind)
    game = pyspiel.load_game(f"zim_{kind}")
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    members = {"game_name": f"zim_{kind}", "game": game}
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(
        type("Interface", (api_test.EnforceAPIOnPartialTreeBase,), members)
    ).run(result)
    assert not result.errors + result.failures


@pytest.mark.usefixtures("other_games")
def test_the_top_of_a_deck_is_a_chance_move_and_a_sealed_bid_is_none() -> None:
    register_game("plots")
    state = pyspiel.load_game("zim_plots(players=3,deals=20)").new_initial_state()
    state.apply_action(1)
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
        assert not state.is_chance_node()
    state.apply_action(state.legal_actions()[0])
    assert state.is_chance_node()
    assert len({state.child(deal).match.state.plot for deal in range(20)}) > 5
    assert {str(state.child(deal).match.state.plans) for deal in range(20)} == {str(state.match.state.plans)}


@pytest.mark.usefixtures("other_games")
def test_regret_matching_solves_poker_on_information_states() -> None:
    register_game("kuhn")
    game = pyspiel.load_game("zim_kuhn(deals=60)")
    solver = cfr.CFRSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    distance = exploitability.exploitability(game, solver.average_policy())
    assert distance < 0.03
    assert exploitability.exploitability(game, policy.UniformRandomPolicy(game)) > 0.2


@pytest.mark.usefixtures("other_games")
def test_ismcts_calls_a_bet_with_the_best_card() -> None:
    register_game("kuhn")
    game = pyspiel.load_game("zim_kuhn(deals=60)")
    states = [game.new_initial_state() for _ in range(12)]
    for deal, state in enumerate(states):
        state.apply_action(deal)
    states_with_best_card = [candidate for candidate in states if candidate.match.state.hands["two"] == 3]
    assert len(states_with_best_card) > 2
    for state in states_with_best_card:
        state.apply_action(
            next(action for action in state.legal_actions() if state.action_to_string(action) == "say b")
        )
        evaluator = mcts.RandomRolloutEvaluator(1, RandomState(1))
        bot = ismcts.ISMCTSBot(game, evaluator, 1.4, 60, random_state=RandomState(1))
        assert state.action_to_string(bot.step(state)) == "say c"
