"""A game that brings only rules is an environment: actions, masks and observations come from its fields."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from tests import connect_four, kuhn
from zimcore.envs.aec import GameEnv, env
from zimcore.envs.env_match import EnvMatch, Setting
from zimcore.game import GameError
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.encoding import FieldEncoding

PLAYERS_BY_GAME = {"four": 2, "kuhn": 2, "nim": 3}


@pytest.fixture(autouse=True)
def _install_test_games(monkeypatch: pytest.MonkeyPatch) -> None:
    references = {"four": "tests.connect_four:GAME", "kuhn": "tests.kuhn:GAME", "nim": "tests.nim:GAME"}
    monkeypatch.setattr("zimcore.games.registry.installed_games", lambda: references)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", PLAYERS_BY_GAME)
def test_the_suite_of_pettingzoo_passes(kind: str) -> None:
    api_test(env(kind, PLAYERS_BY_GAME[kind], scaled=True), num_cycles=60)
    seed_test(lambda: env(kind, PLAYERS_BY_GAME[kind]), num_cycles=40)


@pytest.mark.parametrize("kind", PLAYERS_BY_GAME)
def test_the_mask_has_exactly_the_legal_commands(kind: str) -> None:
    setting, rng = Setting(kind, PLAYERS_BY_GAME[kind]), Random(7)
    for seed in range(6):
        match = EnvMatch(setting, seed)
        while match.player is not None:
            seat = match.seats[match.player]
            actions = [action for action in range(setting.action_count) if match.mask >> action & 1]
            commands = [setting.encoding.command(match.state, seat, (action,)) for action in actions]
            assert sorted(map(repr, commands)) == sorted(map(repr, setting.game.rules.legal(match.state, seat)))
            match.act(rng.choice(actions))


def test_figures_are_the_fields_by_name() -> None:
    setting = Setting("four", 2)
    match = EnvMatch(setting, 1)
    assert dict(setting.encoding.actions(2)) == {"drop": 7}
    match.act(3)
    values = dict(zip(setting.encoding.figures(2), match.observe(1), strict=True))
    assert (values["columns 003 000 = seat 1"], values["columns 003 000 = seat 0"]) == (1, 0), "the other's stone"
    assert (values["columns 003 length"], values["columns 002 length"]) == (np.float32(1 / 6), 0)


def test_observations_have_no_hidden_cards() -> None:
    setting, rows = Setting("kuhn", 2), set[tuple[Any, ...]]()
    for seed in range(40):
        match = EnvMatch(setting, seed)
        if match.state.hands["one"] == 2:
            rows.add((match.state.hands["two"], tuple(match.observe(0))))
    assert {hand for hand, _ in rows} == {1, 3}
    assert len({row for _, row in rows}) == 1


def test_numbers_between_those_that_were_seen_are_actions_too() -> None:
    commands = FieldEncoding(kuhn.GAME)._fill_number_gaps(
        [connect_four.Drop(6), connect_four.Drop(0), connect_four.Drop(2)]
    )
    assert [*commands] == [connect_four.Drop(column) for column in range(7)]


def test_options_that_were_not_seen_are_refused() -> None:
    with pytest.raises(GameError, match="2 players"):
        Setting("four", 3)


def test_scores_are_in_the_infos_and_all_observations_in_the_state() -> None:
    environment = GameEnv("zimbabwe", 2, 100, None, scaled=True)
    environment.reset(seed=1)
    observation, _, _, _, info = environment.last()
    assert {*info["scores"]} == {"player_0", "player_1"}
    assert np.abs(observation["observation"]).max() <= 1
    assert environment.state().shape == environment.state_space.shape == (2 * environment.setting.observation_size,)
    unscaled_environment = GameEnv("zimbabwe", 2, 100, None)
    unscaled_environment.reset(seed=1)
    assert np.abs(unscaled_environment.observe("player_0")["observation"]).max() > 1


def test_a_bundle_has_a_field_encoding() -> None:
    assert isinstance(Bundle("tests.connect_four", "four", "Four", "1").encoding, FieldEncoding)
