"""OpenSpiel's own tests pass, and its playthroughs are those that are kept.

`ZIM_PLAYTHROUGHS=write` keeps them anew.
"""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from numpy.random import RandomState
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import external_sampling_mccfr, ismcts, mcts
from open_spiel.python.algorithms.generate_playthrough import playthrough

from zimcore.envs.spiel import SpielGame, SpielState, register
from zimcore.game import GameError

KEPT = Path(__file__).parents[1] / "data" / "playthroughs"
TABLES = [*[("zimbabwe", players) for players in (2, 3, 4, 5)], *[("africana", players) for players in (2, 3, 4)]]


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_random_simulation(kind: str, players: int) -> None:
    game = pyspiel.load_game(f"zim_{kind}(players={players},max_actions=150)")
    pyspiel.random_sim_test(game, num_sims=1, serialize=players == 2, verbose=False)


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_the_interface(kind: str) -> None:
    name = f"zim_{kind}(players=2)"
    members = {"game_name": name, "game": pyspiel.load_game(name)}
    case = type("Interface", (api_test.EnforceAPIOnPartialTreeBase,), members)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert not result.errors + result.failures


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_a_playthrough_is_the_one_that_is_kept(kind: str) -> None:
    file = KEPT / f"{kind}.txt"
    text = playthrough(f"zim_{kind}(players=2,deals=1,max_actions=3)", [], seed=1)
    if os.environ.get("ZIM_PLAYTHROUGHS") == "write":
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


class Generous(SpielState):
    """A state in which everybody wins."""

    def returns(self) -> list[float]:
        return [1.0] * len(super().returns())


class Giving(SpielGame):
    """The game of such states."""

    kind = "zimbabwe"

    def new_initial_state(self) -> SpielState:
        return Generous(self)


def test_the_simulation_rejects_what_is_broken() -> None:
    with pytest.raises(pyspiel.SpielError):
        pyspiel.random_sim_test(Giving({"players": 2, "max_actions": 5}), num_sims=1, serialize=False, verbose=False)


def test_chance_deals_and_nothing_else() -> None:
    game = pyspiel.load_game("zim_zimbabwe(players=3,deals=4,seed=9)")
    state = game.new_initial_state()
    assert state.chance_outcomes() == [(deal, 0.25) for deal in range(4)]
    boards = set()
    for deal in range(4):
        boards.add(str(state.child(deal)))
    assert len(boards) == 4
    assert game.max_chance_nodes_in_history() == 1


def test_a_copy_goes_its_own_way() -> None:
    state = pyspiel.load_game("zim_zimbabwe(players=2)").new_initial_state()
    state.apply_action(3)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(copy) != str(state)
    assert len(state.history()) == 1


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ("players=7", "players=7"),
        ("deals=0", "deals=0"),
        ("options=gods:thor", "thor"),
        ("max_actions=0", "max_actions=0"),
    ],
)
def test_what_can_t_be_taken_is_said(parameters: str, what: str) -> None:
    with pytest.raises((GameError, pyspiel.SpielError), match=what):
        pyspiel.load_game(f"zim_zimbabwe({parameters})")


def test_what_everybody_sees_is_less_than_what_a_player_sees() -> None:
    game = pyspiel.load_game("zim_africana(players=2)")
    state: Any = game.new_initial_state()
    state.apply_action(0)
    own = game.make_py_observer()
    everybody = game.make_py_observer(
        pyspiel.IIGObservationType(public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    )
    assert own.string_from(state, 0) != everybody.string_from(state, 0)
    own.set_from(state, 0)
    everybody.set_from(state, 0)
    assert own.tensor.sum() > everybody.tensor.sum()


def dealt(parameters: str, deal: int = 3) -> Any:
    state = pyspiel.load_game(f"zim_africana({parameters})").new_initial_state()
    state.apply_action(deal)
    return state


def hands(state: Any) -> dict[str, tuple[Any, ...]]:
    return {seat: tuple(hand) for seat, hand in state.match.state.hands.items()}


def test_what_a_player_does_not_know_is_dealt_again() -> None:
    state = dealt("players=3")
    for _ in range(12):
        state.apply_action(state.legal_actions()[-1])
    player = state.current_player()
    own, *others = sorted(range(3), key=lambda each: each != player)
    again = [state.resample_from_infostate(player, iter([at / 8]).__next__) for at in range(8)]
    assert {each.information_state_string(own) for each in again} == {state.information_state_string(own)}
    assert {str(hands(each)[state.match.seats[own]]) for each in again} == {str(hands(state)[state.match.seats[own]])}
    assert len({str(hands(each)[state.match.seats[others[0]]]) for each in again}) > 2, (
        "and one card that all have seen"
    )
    assert all(each.legal_actions() == state.legal_actions() for each in again)


def test_an_information_state_is_the_same_where_only_hidden_cards_differ_and_else_not() -> None:
    one, other = (dealt("players=2,deals=100", deal) for deal in (1, 2))
    assert one.information_state_string(0) != other.information_state_string(0), "the own hands differ"
    again = one.resample_from_infostate(0, iter([0.5]).__next__)
    assert hands(again)[one.match.seats[1]] != hands(one)[one.match.seats[1]]
    assert again.information_state_string(0) == one.information_state_string(0)
    assert again.information_state_string(1) != one.information_state_string(1), "of the hand dealt again"
    before = one.information_state_string(0)
    one.apply_action(one.legal_actions()[0])
    assert one.information_state_string(0).startswith(before), "nothing is forgotten"


def test_ismcts_plays_africana() -> None:
    state = dealt("players=2,max_actions=40")
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
    state = dealt("players=2,deals=2,max_actions=2", 0)
    policy = solver.average_policy().action_probabilities(state)
    assert set(policy) == set(state.legal_actions())


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of other packages."""
    installed = {name: f"tests.{name}:GAME" for name in ("four", "kuhn", "nim")}
    monkeypatch.setattr("zimcore.games.registry.installed_games", lambda: installed)


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize("kind", ["four", "kuhn", "nim"])
def test_a_game_without_an_encoding_is_here_too(kind: str) -> None:
    register(kind)
    game = pyspiel.load_game(f"zim_{kind}")
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    members = {"game_name": f"zim_{kind}", "game": game}
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(
        type("Interface", (api_test.EnforceAPIOnPartialTreeBase,), members)
    ).run(result)
    assert not result.errors + result.failures
