"""A vector environment plays the same matches as single ones."""

from __future__ import annotations

import multiprocessing

import numpy as np
import numpy.typing as npt
import pytest

from zimcore.envs.env_match import EnvMatch
from zimcore.envs.vector import VectorEnv
from zimcore.game import GameError


def first_or_last_actions(masks: npt.NDArray[np.int8], number: int) -> list[int]:
    return [int(np.flatnonzero(mask)[-(number % 2)]) for mask in masks]


@pytest.mark.parametrize(("kind", "workers"), [("zimbabwe", 0), ("africana", 2)])
def test_rows_are_the_matches_one_by_one(kind: str, workers: int) -> None:
    with VectorEnv(kind, 3, players=2, workers=workers, max_actions=6) as environment:
        environment.reset(seed=7)
        with VectorEnv(kind, 3, players=2, workers=0, max_actions=6) as same_env:
            same_env.reset(seed=7)
            assert same_env._local_matches
            single_matches = [EnvMatch(environment.setting, match.seed) for match in same_env._local_matches.matches]
        assert len({match.seed for match in single_matches}) == 3
        for number in range(5):
            for row, match in enumerate(single_matches):
                assert environment.players[row] == match.player
                assert np.array_equal(environment.masks[row], environment.setting.mask_array(match.mask))
                assert np.array_equal(environment.observations[row], match.observe(match.player or 0))
            actions = first_or_last_actions(environment.masks, number)
            for action, match in zip(actions, single_matches, strict=True):
                match.act(action)
            environment.step(actions)
            assert not environment.ended.any()
        environment.step(first_or_last_actions(environment.masks, 0))
        assert environment.ended.all(), "cut off"
        assert not environment.rewards.any()
        assert environment.masks.any(axis=1).all(), "the next matches have begun"


def test_an_ended_match_has_its_rewards_and_the_next_one_another_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.games.registry.installed_games", lambda: {"nim": "tests.nim:GAME"})
    with VectorEnv("nim", 4, players=3, workers=0) as environment:
        environment.reset(seed=1)
        ended_matches = 0
        for number in range(60):
            environment.step(first_or_last_actions(environment.masks, number))
            assert np.allclose(environment.rewards.sum(axis=1), 0)
            assert (np.abs(environment.rewards).max(axis=1) == environment.ended).all()
            ended_matches += int(environment.ended.sum())
        assert ended_matches > 4


def test_an_illegal_action_is_refused_and_the_workers_go_on_and_end() -> None:
    with VectorEnv("africana", 2, players=2, workers=2) as environment:
        environment.reset(seed=1)
        with pytest.raises(GameError, match="no action now"):
            environment.step([-1, -1])
        environment.reset(seed=1)
        environment.step(first_or_last_actions(environment.masks, 0))
        assert len(multiprocessing.active_children()) == 2
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("count", "workers"), [(0, 1), (1, -1)])
def test_there_is_at_least_one_match(count: int, workers: int) -> None:
    with pytest.raises(GameError, match="count="):
        VectorEnv("africana", count, workers=workers)
