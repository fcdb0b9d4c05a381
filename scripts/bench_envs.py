"""Benchmarks The Great Zimbabwe as an environment: random play through PettingZoo, and the action masks it needs; and
many matches a call."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median

import numpy as np
from measure import at_least, at_most, out_of_reach, processor

from zimcore.envs import zim_zimbabwe_v0
from zimcore.envs.env_match import EnvMatch
from zimcore.envs.vector import VectorEnv

SECONDS = 10.0
"""CPU seconds of random play."""
CALLS = 200


def bench(folder: Path) -> None:
    """Measures steps per second on one core, and how long a mask takes."""
    del folder
    start = time.process_time()
    steps = matches = 0
    while time.process_time() - start < SECONDS:
        steps, matches = steps + sum(1 for _ in steps_of(matches)), matches + 1
    alone = steps / (time.process_time() - start)
    at_least("steps a second through PettingZoo", f"{matches} matches", alone, 3_000)
    for observes, floor in ((True, 2.2), (False, 3.2)):
        what = "with observations" if observes else "masks alone"
        reached = bulk_steps(observes) * 2 / alone
        at_least("matches in bulk, two cores, by PettingZoo", what, reached, floor, out_of_reach("5: half is the mask"))
    masks = [microseconds(match) for seed in range(20) for match in steps_of(seed)]
    at_most("a mask, us", f"median {median(masks):.0f} of {len(masks)}", fmean(masks), 300)


def steps_of(seed: int) -> Iterator[EnvMatch]:
    """The match after each step of random play."""
    env, chance = zim_zimbabwe_v0.env(players=4), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
        yield env.unwrapped.match


def bulk_steps(observes: bool) -> float:
    """Steps a second of a processor in worker processes, in random play of 64 matches. The choice is not counted."""
    chance, calls, start = np.random.default_rng(7), 0, processor()
    with VectorEnv("zimbabwe", 64, players=4, observes=observes) as env:
        env.reset(seed=7)
        here = time.process_time()
        while calls < CALLS:
            env.step([int(chance.choice(np.flatnonzero(mask))) for mask in env.masks])
            calls += 1
        here = time.process_time() - here
    return 64 * calls / (processor() - start - here)


def microseconds(match: EnvMatch) -> float:
    """How long the mask of a position takes, in microseconds."""
    vars(match).pop("mask", None)
    start = time.process_time_ns()
    _ = match.mask
    return (time.process_time_ns() - start) / 1e3
