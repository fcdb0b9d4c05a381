"""How things are measured: in turn with a peer in the same run, and told in one line. Machines are noisy: medians."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service


def in_turn(ours: Callable[[], object], peers: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds of each of two things that are done in turn; a first pair is not counted."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for thing, taken in zip((ours, peers), times, strict=True):
            start = time.perf_counter()
            thing()
            taken.append(time.perf_counter() - start)
    return median(times[0][1:]), median(times[1][1:])


def report(what: str, figures: str, reached: float, goal: float, *, at_most: bool = False) -> None:
    """One line: what was measured, and whether the goal is reached."""
    met = reached <= goal if at_most else reached >= goal
    sign = "<=" if at_most else ">="
    verdict = "" if met else "   FALLS SHORT"
    print(f"{what:44} {figures:42} {reached:>10,.2f}   goal {sign} {goal:,g}{verdict}", flush=True)


def compared(name: str, ours: Callable[[], object], peer: str, peers: Callable[[], object], goal: float) -> None:
    """Reports how many times as long as a peer we take."""
    mine, others = in_turn(ours, peers, 20)
    figures = f"{mine * 1e3:.0f} ms, {peer} {others * 1e3:.0f} ms"
    report(f"cold {name}, times {peer}", figures, mine / others, goal, at_most=True)


def run(*words: str) -> Callable[[], object]:
    """Runs a program as a user does, whose Python may keep its bytecode."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment)


def demo_game(folder: Path) -> tuple[Path, str, str]:
    """A store with the demonstration's game in it: its file, the game's name, the stream of its line."""
    path = folder / "games.db"
    service = open_service(f"sqlite:///{path}")
    options, moves = demo_moves()
    service.new(GAME.name, options, name="demo", by="bench")
    for move in moves:
        service.play("demo", move, by="bench")
    service.store.close()
    with sqlite3.connect(path) as db:
        (stream,) = db.execute("SELECT originator_id FROM stored_events GROUP BY 1 ORDER BY count(*) DESC").fetchone()
    return path, "demo", stream


def demo_moves() -> tuple[dict[str, str], list[str]]:
    """The options and the moves of the demonstration's game."""
    lines = [line for line in GAME.texts.demo().partition("\nboard")[0].splitlines() if line[:1] not in ("#", "")]
    options = dict(word.split("=") for word in lines[0].split()[2:])
    return options, [line for line in lines[1:] if not line.startswith("expect")]
