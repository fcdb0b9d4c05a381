"""Benchmarks The Great Zimbabwe as an environment: random play through PettingZoo, its action masks, and `VectorEnv`,
which plays many matches per call."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median

import numpy as np

from scripts.shared.measure import cpu_seconds, expect_at_least, expect_at_most, reason_for_floor
from zimcore.envs import zim_zimbabwe_v0
from zimcore.envs.env_match import EnvMatch
from zimcore.envs.vector import VectorEnv

SECONDS = 10.0
"""CPU seconds of random play."""
VECTOR_STEPS = 200
"""How often the matches of a `VectorEnv` are stepped."""


def bench(folder: Path) -> None:
    """Measures steps per second on one core, and how long a mask takes."""
    del folder
    start = time.process_time()
    steps = matches = 0
    while time.process_time() - start < SECONDS:
        steps, matches = steps + sum(1 for _ in random_play(matches)), matches + 1
    step_rate = steps / (time.process_time() - start)
    expect_at_least("steps a second through PettingZoo", f"{matches} matches", step_rate, 3_000)
    for observes, floor in ((True, 2.2), (False, 3.2)):
        variant = "with observations" if observes else "masks alone"
        ratio = bulk_step_rate(observes) * 2 / step_rate
        expect_at_least(
            "steps a second in bulk on two cores, times PettingZoo's",
            variant,
            ratio,
            floor,
            f"{reason_for_floor('5')}; half of the time is the mask",
        )
    mask_times = [mask_microseconds(match) for seed in range(20) for match in random_play(seed)]
    expect_at_most("a mask, us", f"median {median(mask_times):.0f} of {len(mask_times)}", fmean(mask_times), 160)


def random_play(seed: int) -> Iterator[EnvMatch]:
    """The match after each step of random play."""
    environment, rng = zim_zimbabwe_v0.env(players=4), np.random.default_rng(seed)
    environment.reset(seed=seed)
    for _ in environment.agent_iter():
        observation, _, terminated, truncated, _ = environment.last()
        is_over = terminated or truncated
        environment.step(None if is_over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        yield environment.unwrapped.match


def bulk_step_rate(observes: bool) -> float:
    """Steps per CPU second of 64 random matches in worker processes, without the time to choose actions."""
    rng, step_count, start = np.random.default_rng(7), 0, cpu_seconds()
    with VectorEnv("zimbabwe", 64, players=4, observes=observes) as environment:
        environment.reset(seed=7)
        choosing_start = time.process_time()
        while step_count < VECTOR_STEPS:
            environment.step([int(rng.choice(np.flatnonzero(mask))) for mask in environment.masks])
            step_count += 1
        choosing_seconds = time.process_time() - choosing_start
    return 64 * step_count / (cpu_seconds() - start - choosing_seconds)


def mask_microseconds(match: EnvMatch) -> float:
    """How long the mask of a position takes, in microseconds."""
    vars(match).pop("mask", None)  # a cached property: it must be computed anew
    start = time.process_time_ns()
    _ = match.mask
    return (time.process_time_ns() - start) / 1e3
