"""Games as PettingZoo environments in which agents act in turn (AEC): `zim_zimbabwe_v0` and `zim_africana_v0`."""

from __future__ import annotations

from random import Random
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from zimcore.envs.env_match import MAX_ACTIONS, EnvMatch, Floats, Setting

Observation: TypeAlias = dict[str, Any]
"""`observation`, a row of numbers, and `action_mask`."""
SEED_COUNT = 2**62
SCALE = 8
"""What the inverse hyperbolic sine of a figure is divided by, so that up to 1,490 is at most 1."""


class GameEnv(AECEnv[str, Observation, int], EzPickle):  # type: ignore[misc]
    """A game as an environment. `player_0` has the first seat, and is not always the first to act.

    `observe` returns a row as `Setting` describes it, and a mask, which is empty unless it is the agent's turn. Rewards
    come at the end, as `EnvMatch.returns` has them; `infos` of the agent that acts have the points. A match that
    goes on after `max_actions` is truncated. With `scaled` all numbers are from -1 to 1. Raises `GameError` for wrong
    options.
    """

    def __init__(
        self,
        kind: str,
        players: int,
        max_actions: int,
        render_mode: str | None,
        *,
        scaled: bool = False,
        **options: str,
    ) -> None:
        EzPickle.__init__(self, kind, players, max_actions, render_mode, scaled=scaled, **options)
        super().__init__()
        self.metadata = {"name": f"zim_{kind}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self.is_scaled = scaled
        self.setting = Setting(kind, players, options, max_actions)
        players = self.setting.players
        self.possible_agents = [f"player_{place}" for place in range(players)]
        self.observation_spaces: dict[str, Space[Observation]] = {
            agent: self._space() for agent in self.possible_agents
        }
        self.state_space = Box(-np.inf, np.inf, (players * self.setting.observation_size,), np.float32)
        self.action_spaces = {agent: Discrete(self.setting.action_count) for agent in self.possible_agents}
        self._rng = Random()

    def _space(self) -> Dict:
        """The space of observations. Without a scale numbers have no useful bounds."""
        bound = 1.0 if self.is_scaled else np.inf
        return Dict(
            observation=Box(-bound, bound, (self.setting.observation_size,), np.float32),
            action_mask=Box(0, 1, (self.setting.action_count,), np.int8),
        )

    def observation_space(self, agent: str) -> Space[Observation]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new match. A seed fixes the deal, and those of later resets without a seed."""
        if seed is not None:
            self._rng = Random(int(seed))  # NumPy's integers, too
        self.match = EnvMatch(self.setting, self._rng.randrange(SEED_COUNT))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select_agent()

    def _select_agent(self) -> None:
        player = self.match.player
        self.agent_selection = self.possible_agents[player or 0]
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.possible_agents}
        for agent in [self.agent_selection] if player is not None else self.possible_agents:
            self.infos[agent]["scores"] = self._scores(self.possible_agents.index(agent))

    def _scores(self, player: int) -> dict[str, int | None]:
        """The points of all agents, as far as a player knows them."""
        return {self.possible_agents[index]: score for index, score in self.match.scores(player).items()}

    def observe(self, agent: str) -> Observation:
        """The observation and the action mask of an agent."""
        player = self.possible_agents.index(agent)
        mask = self.match.mask if player == self.match.player else 0
        return {"observation": self._scale(self.match.observe(player)), "action_mask": self.setting.mask_array(mask)}

    def state(self) -> Floats:
        """The observations of all agents, one after the other: for a critic that sees more than its agents."""
        return self._scale(self.match.all_observations())

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent. Raises `GameError` if it is not in the mask."""
        agent = self.agent_selection
        if action is None or self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.match.act(int(action))
        self._cumulative_rewards[agent] = 0.0
        if self.match.player is None:
            self.rewards = dict(zip(self.possible_agents, self.match.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.match.is_truncated:
            self.truncations = dict.fromkeys(self.agents, True)
        self._select_agent()
        self._accumulate_rewards()

    def _scale(self, row: Floats) -> Floats:
        return np.clip(np.arcsinh(row) / SCALE, -1, 1, dtype=np.float32) if self.is_scaled else row

    def render(self) -> str | None:
        """The public position as text, if `render_mode` is `ansi`."""
        return self.match.board_text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing: there is nothing to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])


def enforce_order(env: GameEnv) -> AECEnv[str, Observation, int]:
    """Wraps the environment so that calls in a wrong order raise an error."""
    return wrappers.OrderEnforcingWrapper(env)


def env(
    kind: str, players: int = 2, max_actions: int = MAX_ACTIONS, render_mode: str | None = None, **options: Any
) -> AECEnv[str, Observation, int]:
    """The environment of any game, by its name. Raises `GameError` for wrong options and for illegal actions."""
    return enforce_order(GameEnv(kind, players, max_actions, render_mode, **options))
