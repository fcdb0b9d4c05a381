"""Benchmarks The Great Zimbabwe as an environment: random play through PettingZoo, and the action masks it needs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median

import numpy as np
from measure import at_least, at_most

from zimcore.envs import zim_zimbabwe_v0
from zimcore.envs.env_match import EnvMatch

SECONDS = 10.0
"""CPU seconds of random play."""


def bench(folder: Path) -> None:
    """Measures steps per second on one core, and how long a mask takes."""
    del folder
    begun = time.process_time()
    steps = matches = 0
    while time.process_time() - begun < SECONDS:
        steps, matches = steps + sum(1 for _ in steps_of(matches)), matches + 1
    at_least("steps a second through PettingZoo", f"{matches} matches", steps / (time.process_time() - begun), 3_000)
    masks = [microseconds(match) for seed in range(20) for match in steps_of(seed)]
    at_most("a mask, us", f"median {median(masks):.0f} of {len(masks)}", fmean(masks), 300)


def steps_of(seed: int) -> Iterator[EnvMatch]:
    """The match after each step of random play."""
    env, chance = zim_zimbabwe_v0.env(players=4), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(seen["action_mask"]))))
        yield env.unwrapped.match


def microseconds(match: EnvMatch) -> float:
    """How long the mask of a position takes, in microseconds."""
    vars(match).pop("mask", None)
    begun = time.process_time_ns()
    _ = match.mask
    return (time.process_time_ns() - begun) / 1e3
