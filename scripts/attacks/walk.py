"""Walks at random over states and doors of games, until a state has no way on (see tests/states/walk.py)."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory

from tests.states.doors import a_world
from tests.states.served_walk import served_walk
from tests.states.walk import SETTINGS, Setting, ViolationError, walk


def take_walk(setting: Setting, seed: int, steps: int, *, is_served: bool) -> None:
    """Takes one walk. Raises `ViolationError`."""
    if is_served:
        with TemporaryDirectory() as folder:
            for _ in served_walk(Path(folder), seed, setting, steps):
                pass
        return
    with a_world() as world:
        for _ in walk(world, seed, setting, steps):
            pass


def main() -> int:
    """Takes walks until the time is over; returns how many found a violation."""
    parser = argparse.ArgumentParser(prog="scripts/walk", description=__doc__)
    parser.add_argument("--setting", choices=SETTINGS, help="the game and its programs (all in turn)")
    parser.add_argument("--served", action="store_true", help="walk around games on a server")
    parser.add_argument("--seed", type=int, help="repeat this walk")
    parser.add_argument("--steps", type=int, default=200, help="lines of a walk (200)")
    parser.add_argument("--minutes", type=float, default=5, help="how long to walk (5)")
    options = parser.parse_args()
    end, walk_count, violations = time.monotonic() + 60 * options.minutes, 0, 0
    first_seed = options.seed if options.seed is not None else SystemRandom().randrange(1_000_000)
    settings = [options.setting] if options.setting else [*SETTINGS]
    while walk_count == 0 or (options.seed is None and time.monotonic() < end):
        setting, seed = settings[walk_count % len(settings)], first_seed + walk_count
        walk_count += 1
        try:
            take_walk(SETTINGS[setting], seed, options.steps, is_served=options.served)
        except ViolationError as error:
            violations += 1
            served = " --served" if options.served else ""
            command = f"scripts/walk{served} --setting {setting!r} --seed {seed} --steps {options.steps}"
            print(f"{error}\n  {command}\n", flush=True)
    print(f"{walk_count} walks from seed {first_seed}: {violations} found a violation")
    return min(violations, 1)


if __name__ == "__main__":
    sys.exit(main())
