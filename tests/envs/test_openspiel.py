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
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms.generate_playthrough import playthrough

import zimcore.envs.spiel  # noqa: F401 - which registers the games
from zimcore.envs.spiel import SpielState, Zimbabwe
from zimcore.game import GameError

KEPT = Path(__file__).parents[1] / "data" / "playthroughs"
TABLES = [*[("zimbabwe", players) for players in (2, 3, 4, 5)], *[("africana", players) for players in (2, 3, 4)]]


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_random_simulation(kind: str, players: int) -> None:
    game = pyspiel.load_game(f"zim_{kind}(players={players},most=150)")
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
    text = playthrough(f"zim_{kind}(players=2,deals=1,most=3)", [], seed=1)
    if os.environ.get("ZIM_PLAYTHROUGHS") == "write":
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


class Generous(SpielState):
    """A state in which everybody wins."""

    def returns(self) -> list[float]:
        return [1.0] * len(super().returns())


class Giving(Zimbabwe):
    """The game of such states."""

    def new_initial_state(self) -> SpielState:
        return Generous(self)


def test_the_simulation_rejects_what_is_broken() -> None:
    with pytest.raises(pyspiel.SpielError):
        pyspiel.random_sim_test(Giving({"players": 2, "most": 5}), num_sims=1, serialize=False, verbose=False)


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
    [("players=7", "players=7"), ("deals=0", "deals=0"), ("options=gods:thor", "thor"), ("most=0", "most=0")],
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
