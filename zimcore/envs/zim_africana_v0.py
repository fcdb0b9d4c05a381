"""Africana as a PettingZoo environment, for 2 to 4 players who do not see each other's cards.

    env = zim_africana_v0.env(players=3)

Other arguments are `scaled` (numbers from -1 to 1), and options of a new game, as texts.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from zimcore.envs.aec import GameEnv, Observation, enforce_order
from zimcore.envs.env_match import MAX_ACTIONS

__all__ = ["env", "raw_env"]


def env(
    players: int = 4, max_actions: int = MAX_ACTIONS, render_mode: str | None = None, **options: Any
) -> AECEnv[str, Observation, int]:
    """The environment. Raises `GameError` for wrong options, and for actions that are not in the mask."""
    return enforce_order(raw_env(players, max_actions, render_mode, **options))


def raw_env(
    players: int = 4, max_actions: int = MAX_ACTIONS, render_mode: str | None = None, **options: Any
) -> GameEnv:
    """The environment without a check of the order of calls."""
    return GameEnv("africana", players, max_actions, render_mode, **options)
