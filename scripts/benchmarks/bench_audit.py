"""Benchmarks `zim audit --repair` on logs that were damaged on purpose, see `tests/transcripts/damaged_logs.py`.

The moves come from recorded games, in the files of ZIM_RECORDINGS (`a.jsonl:b.jsonl`), or else from tests/games.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from random import Random

from scripts.shared.measure import recording_files
from tests.transcripts.damaged_logs import (
    DAMAGES,
    TYPED_DAMAGES,
    RecordedGame,
    damaged_log,
    damaged_typed_log,
    judge_repairs,
    recorded_games,
)
from zimcore.games.registry import GAMES
from zimcore.service import game as load

LOG_COUNT, SEED = 400, 1601


def bench(folder: Path) -> None:
    """Damages and repairs logs, with and without the seats of the moves, and prints a table for each."""
    del folder
    paths = recording_files()
    for title, damages, has_seats in (
        ("with seats", DAMAGES, True),
        ("without seats", DAMAGES, False),
        ("by words", TYPED_DAMAGES, True),
    ):
        print(f"{LOG_COUNT} damaged logs, {title}")
        with ProcessPoolExecutor(os.cpu_count() or 1, initializer=load_games, initargs=(paths,)) as pool:
            repair_arguments = [
                (damage, SEED + number, has_seats)
                for number, damage in product(range(LOG_COUNT // len(damages)), damages)
            ]
            counters = list(pool.map(count_repair, *zip(*repair_arguments, strict=True), chunksize=4))
        sys.stdout.writelines(
            f"  {line}\n" for line in result_table([damage for damage, *_ in repair_arguments], counters)
        )


LOADED_GAMES: list[RecordedGame] = []
"""In a worker: the games from which logs are made."""


def load_games(paths: Sequence[str]) -> None:
    """Reads the games in a worker."""
    LOADED_GAMES[:] = recorded_games(load("zimbabwe", GAMES), paths)


def count_repair(damage: str, seed: int, has_seats: bool) -> Counter[str]:
    """The results for one log, as counts."""
    game, rng = load("zimbabwe", GAMES), Random(f"{damage}{seed}")
    if damage in TYPED_DAMAGES:
        return judge_repairs(game, damaged_typed_log(game, LOADED_GAMES, damage, rng))
    return judge_repairs(game, damaged_log(game, LOADED_GAMES, damage, rng, has_seats=has_seats))


def result_table(damages: Sequence[str], counters: Sequence[Counter[str]]) -> Iterator[str]:
    """One row for each kind of damage."""
    yield (
        f"{'damage':<10} {'logs':>5} {'cause first':>12} {'original first':>15} {'gap named':>10} "
        f"{'in first five':>14} {'seconds':>8} {'unseen':>7}"
    )
    for damage in dict.fromkeys(damages):
        sums: Counter[str] = sum(
            (counter for name, counter in zip(damages, counters, strict=True) if name == damage), Counter()
        )
        logs = max(sums["logs"], 1)
        shares = {name: f"{100 * sums[name] / logs:.0f} %" for name in ("cause", "first", "gap", "five")}
        gap_share, five_share = (shares["gap"], shares["five"]) if damage == "dropped" else ("", "")
        seconds = f"{sums['milliseconds'] / logs / 1000:.2f}"
        yield (
            f"{damage:<10} {sums['logs']:>5} {shares['cause']:>12} {shares['first']:>15} {gap_share:>10} "
            f"{five_share:>14} {seconds:>8} {sums['unseen']:>7}"
        )
