"""Africana, for 2 to 4 players, who do not see each other's cards, as an environment of PettingZoo.

    env = zim_africana_v0.env(players=3)

Other arguments are those of a new game, as texts.
"""

from __future__ import annotations

from pettingzoo import AECEnv

from zimcore.envs.aec import GameEnv, Observation, enforce_order
from zimcore.envs.env_match import MAX_ACTIONS

__all__ = ["env", "raw_env"]


def env(
    players: int = 4, most: int = MAX_ACTIONS, render_mode: str | None = None, **options: str
) -> AECEnv[str, Observation, int]:
    """The environment. Raises `GameError` for options that can't be taken, and for actions that are not in the mask."""
    return enforce_order(raw_env(players, most, render_mode, **options))


def raw_env(players: int = 4, most: int = MAX_ACTIONS, render_mode: str | None = None, **options: str) -> GameEnv:
    """The same, which does not look whether it is called in order."""
    return GameEnv("africana", players, most, render_mode, **options)
