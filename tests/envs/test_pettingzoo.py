"""PettingZoo's own suite passes, and would not pass for environments that are broken."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test
from pettingzoo.utils import wrappers

from zimcore.envs import zim_africana_v0, zim_zimbabwe_v0
from zimcore.envs.aec import GameEnv
from zimcore.game import GameError

MakeEnvironment = Callable[..., Any]
ENVIRONMENTS = [
    *[(zim_zimbabwe_v0.env, players) for players in (2, 3, 4, 5)],
    *[(zim_africana_v0.env, players) for players in (2, 3, 4)],
]


@pytest.mark.filterwarnings("ignore:Observation:UserWarning", "ignore:The environment:UserWarning")
@pytest.mark.parametrize(("make_environment", "players"), ENVIRONMENTS)
def test_the_suite_of_pettingzoo_passes(make_environment: MakeEnvironment, players: int) -> None:
    api_test(make_environment(players=players), num_cycles=120)
    seed_test(lambda: make_environment(players=players), num_cycles=60)


def test_the_benchmark_of_pettingzoo_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Clock:
        seconds = count(0, 0.1)

        def time(self) -> float:
            return next(self.seconds)

    monkeypatch.setitem(performance_benchmark.__globals__, "time", Clock())  # the function hides its module
    performance_benchmark(zim_zimbabwe_v0.env(players=2))
    assert "turns per second" in capsys.readouterr().out


class OversizedEnv(GameEnv):
    """An environment whose observations exceed its declared space."""

    def observe(self, agent: str) -> dict[str, Any]:
        observation = super().observe(agent)
        return {**observation, "observation": np.append(observation["observation"], np.float32(0))}


class UnseededEnv(GameEnv):
    """An environment that deals differently for the same seed."""

    deals = count()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(next(self.deals), options)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_suite_rejects_broken_environments() -> None:
    with pytest.raises(AssertionError):
        api_test(wrappers.OrderEnforcingWrapper(OversizedEnv("zimbabwe", 2, 100, None)), num_cycles=20)
    with pytest.raises(AssertionError, match="Incorrect"):
        seed_test(lambda: UnseededEnv("zimbabwe", 2, 100, None), num_cycles=20)


def play_to_end(environment: Any, seed: int) -> tuple[int, dict[str, float]]:
    """Plays to the end at random. Returns the number of steps, and the rewards of each agent."""
    environment.reset(seed=seed)
    rng, rewards, steps = np.random.default_rng(seed), dict.fromkeys(environment.possible_agents, 0.0), 0
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, _ = environment.last()
        rewards[agent] += reward
        is_over = terminated or truncated
        environment.step(None if is_over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        steps += not is_over
    return steps, rewards


def test_a_match_ends_with_a_winner() -> None:
    steps, rewards = play_to_end(zim_zimbabwe_v0.env(players=3), seed=4)
    assert steps > 50
    assert sorted(rewards.values()) == [-0.5, -0.5, 1.0]


def test_a_truncated_match_gives_no_rewards() -> None:
    steps, rewards = play_to_end(zim_zimbabwe_v0.env(players=3, max_actions=25), seed=4)
    assert steps == 25
    assert set(rewards.values()) == {0.0}


def test_options_are_those_of_a_new_game() -> None:
    environment = zim_zimbabwe_v0.raw_env(players=2, gods="beginner", max_rounds="1", render_mode="ansi")
    environment.reset(seed=1)
    assert set(environment.match.state.setup.gods) >= {"xango", "gu"}
    assert "Round" in str(environment.render()) or "set-up" in str(environment.render())
    with pytest.raises(GameError, match="thor"):
        zim_zimbabwe_v0.env(players=2, gods="thor")


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    environment = zim_zimbabwe_v0.env(players=2)
    environment.reset(seed=1)
    mask = environment.last()[0]["action_mask"]
    with pytest.raises(GameError, match="no action now"):
        environment.step(int(np.flatnonzero(mask == 0)[0]))
    assert (environment.last()[0]["action_mask"] == mask).all()


def test_an_environment_can_be_pickled() -> None:
    environment = zim_africana_v0.raw_env(players=2, score="hidden")
    copied_env = pickle.loads(pickle.dumps(environment))
    copied_env.reset(seed=1)
    environment.reset(seed=1)
    assert (copied_env.last()[0]["observation"] == environment.last()[0]["observation"]).all()


def test_numbers_of_numpy_and_texts_are_numbers() -> None:
    make_environment: MakeEnvironment = zim_zimbabwe_v0.env
    deals = []
    for players, seed in ((2, 7), ("2", np.int64(7)), (np.int32(2), np.uint8(7))):
        env = make_environment(players=players)
        env.reset(seed=seed)
        deals.append((env.agents, env.observe(env.agent_selection)["observation"].tobytes()))
    assert deals[0] == deals[1] == deals[2]
