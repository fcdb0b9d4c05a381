"""Shared code of the benchmarks: measures a thing in turn with a peer, in the same run, and prints one line.

Machines are noisy, so the figures are medians and ratios to the peer; pure computation is measured in CPU seconds.
Where there is no peer, the yardstick is one: it says how fast the machine is just now. A goal is what we want to reach,
and at least 0.7 of what we measured, so that what gets much slower falls short. If it turned out to be out of reach, a
floor near the measured value replaces it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any, NamedTuple

from zimcore.game import Accepted, Command, Event, Game, Seat
from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

ROOT = Path(__file__).parents[2]

POSTGRES_URL = os.environ.get("ZIM_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
ZIM = str(Path(sys.executable).with_name("zim"))
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""The processors that this run may use: `taskset` limits them."""

Task = Callable[[], object]


def reason_for_floor(goal: str) -> str:
    """The reason for a floor."""
    return f"the goal of {goal} was shown to be out of reach in plain Python"


def wall_seconds() -> float:
    """Seconds of the clock: what a user waits, including for disks and other processes."""
    return time.perf_counter()


def cpu_seconds() -> float:
    """CPU seconds of this process and of the children it has waited for. Other processes do not count."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


Clock = Callable[[], float]


def seconds(task: Task, clock: Clock = wall_seconds) -> float:
    """How long one call takes."""
    start = clock()
    task()
    return clock() - start


def medians(tasks: Mapping[Any, Task], rounds: int, clock: Clock = wall_seconds) -> dict[Any, float]:
    """Median seconds of several things that are measured in turn. The first round is not counted."""
    times = [{name: seconds(task, clock) for name, task in tasks.items()} for _ in range(rounds + 1)]
    return {name: median(times_by_name[name] for times_by_name in times[1:]) for name in tasks}


def yardstick() -> None:
    """A fixed piece of plain Python: small objects are made, copied, looked up and sorted, as in a game."""
    entries = {str(number): number for number in range(40)}
    for number in range(2_000):
        copied_entries = entries.copy()
        copied_entries[str(number % 40)] += number
        max(copied_entries, key=copied_entries.__getitem__)


YARDSTICK_SECONDS = 0.0028
"""CPU seconds of the yardstick on the machine for which goals are written, when it was quiet."""


def scaled_seconds(task: Task, rounds: int = 7) -> float:
    """Median CPU seconds of a task as that machine would need them: measured in turn with the yardstick."""
    our_time, yardstick_time = paired_medians(task, yardstick, rounds, cpu_seconds)
    return our_time * YARDSTICK_SECONDS / yardstick_time


def paired_medians(our_task: Task, peer_task: Task, rounds: int, clock: Clock = wall_seconds) -> tuple[float, float]:
    """Median seconds of two things that are measured in turn."""
    times = medians({"ours": our_task, "peers": peer_task}, rounds, clock)
    return times["ours"], times["peers"]


def expect_at_least(title: str, details: str, value: float, goal: float, floor: str = "") -> None:
    """Prints a figure, and whether it reaches the goal. A `floor` says why the goal is not higher."""
    _print_figure(title, details, value, f">= {goal:,g}", value >= goal, floor)


def expect_at_most(title: str, details: str, value: float, goal: float, floor: str = "") -> None:
    """The same for a figure that should be low."""
    _print_figure(title, details, value, f"<= {goal:,g}", value <= goal, floor)


def _print_figure(title: str, details: str, value: float, goal: str, is_met: bool, floor: str) -> None:
    verdict = "" if is_met else "   FALLS SHORT"
    print(f"{title:44} {details:42} {value:>10,.2f}   {'floor' if floor else 'goal'} {goal}{verdict}", flush=True)
    if floor:
        print(f"{'':44} a floor: {floor}", flush=True)


def print_rate(title: str, task: Task, count: int, goal: float, rounds: int = 7) -> None:
    """Prints how many times per second something is done; `task` does it `count` times."""
    duration = scaled_seconds(task, rounds)
    expect_at_least(title, f"{duration / count * 1e6:.2f} us each, {count:,} of them", count / duration, goal)


def compare_times(
    name: str, our_task: Task, peer: str, peer_task: Task, goal: float, floor: str = "", rounds: int = 20
) -> None:
    """Prints how many times as long as a peer we take."""
    our_time, peer_time = paired_medians(our_task, peer_task, rounds, cpu_seconds)
    expect_at_most(
        f"{name}, times {peer}", f"{our_time * 1e3:.3g} ms, {peer_time * 1e3:.3g} ms", our_time / peer_time, goal, floor
    )


def environment(**variables: str) -> dict[str, str]:
    """The environment of a user, where Python may store its bytecode."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | variables


def program_task(*words: str) -> Task:
    """Runs a program as a user does."""
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment())


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty store on the server at ZIM_TEST_POSTGRES, dropped at the end; "" if there is no server."""
    from event_store import EventStore

    try:
        from tests.postgres import temporary_schema, why_unusable
    except ImportError:
        yield ""
        return
    if reason := why_unusable(POSTGRES_URL):
        print(reason.splitlines()[0])
        yield ""
        return
    with temporary_schema(POSTGRES_URL) as url:
        with EventStore.open(url) as store:
            store.create()
        yield url


def recording_files() -> list[str]:
    """The files of recorded games in ZIM_RECORDINGS (`games_bot.jsonl:games_mixed.jsonl`)."""
    return [path for path in os.environ.get("ZIM_RECORDINGS", "").split(":") if path]


def demo_moves() -> tuple[dict[str, str], list[str]]:
    """The options and the moves of the demo's game."""
    lines = [line for line in GAME.texts.demo().partition("\nboard")[0].splitlines() if line[:1] not in ("#", "")]
    options = dict(word.split("=") for word in lines[0].split()[2:])
    return options, [line for line in lines[1:] if not line.startswith("expect")]


def play_demo(url: str) -> str:
    """Plays the demo's game in a store, as `demo`. Returns the stream of its line."""
    options, moves = demo_moves()
    with (service := open_service(url)).store:
        service.new(GAME.name, options, name="demo", by="bench")
        for move in moves:
            service.play("demo", move, by="bench")
        (stream,) = {entry.stream for entry in service.store.all_entries() if entry.is_commit}
    return stream


class Move(NamedTuple):
    """A command, the position before it, and its facts."""

    state: Any
    seat: Seat
    command: Any
    facts: Sequence[Event]


def decide_legal(game: Game, state: Any, seat: Seat, command: Command) -> Accepted:
    """The result of a legal command."""
    outcome = game.rules.decide(state, seat, command)
    assert isinstance(outcome, Accepted), (seat, game.notation.format(command), outcome)
    return outcome


def audit(game: Game, moves: Sequence[Move]) -> None:
    """Decides every command again and compares its facts, as an audit does."""
    for move in moves:
        assert tuple(decide_legal(game, move.state, move.seat, move.command).events) == tuple(move.facts)


def fold(game: Game, games: Sequence[Sequence[Move]]) -> None:
    """Folds the facts of whole games, as opening a line does."""
    for moves in games:
        state = moves[0].state.copy()
        for move in moves:
            for fact in move.facts:
                game.evolution.evolve(state, fact)


def time_each(task: Callable[[Any], object], states: Sequence[Any]) -> list[float]:
    """Scaled CPU seconds for each position, after a warm-up that is not counted."""
    task(states[0])
    times = [seconds(partial(task, state), cpu_seconds) for state in states]
    scale = YARDSTICK_SECONDS / medians({"": yardstick}, 9, cpu_seconds)[""]
    return [each * scale for each in times]


def print_median_and_worst(
    title: str, task: Callable[[Any], object], states: Sequence[Any], goal: float, worst_goal: float
) -> None:
    """Prints the median milliseconds per position, and the slowest."""
    times = time_each(task, states)
    expect_at_most(f"{title}, median ms", f"{len(states)} positions", median(times) * 1e3, goal)
    expect_at_most(f"{title}, slowest ms", "", max(times) * 1e3, worst_goal)
