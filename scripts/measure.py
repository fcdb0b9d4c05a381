"""Shared code of the benchmarks: measures a thing in turn with a peer, in the same run, and prints one line.

Machines are noisy, so the figures are medians and ratios to the peer; pure computation is measured in CPU seconds. A
goal is what we want to reach. If it turned out to be out of reach, a floor near the measured value replaces it: it is
missed only if something got slower.
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

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for code shared with the tests

POSTGRES = os.environ.get("ZIM_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
ZIM = str(Path(sys.executable).with_name("zim"))
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
"""The processors that this run may use: `taskset` limits them."""

Do = Callable[[], object]


def out_of_reach(goal: str) -> str:
    """The reason for a floor."""
    return f"the goal of {goal} was shown to be out of reach in plain Python"


def wall() -> float:
    """Seconds of the clock: what a user waits, including for disks and other processes."""
    return time.perf_counter()


def processor() -> float:
    """CPU seconds of this process and of the children it has waited for. Other processes do not count."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


Clock = Callable[[], float]


def seconds(do: Do, clock: Clock = wall) -> float:
    """How long one call takes."""
    start = clock()
    do()
    return clock() - start


def medians(tasks: Mapping[Any, Do], rounds: int, clock: Clock = wall) -> dict[Any, float]:
    """Median seconds of several things that are measured in turn. The first round is not counted."""
    times = [{name: seconds(do, clock) for name, do in tasks.items()} for _ in range(rounds + 1)]
    return {name: median(each[name] for each in times[1:]) for name in tasks}


def in_turn(our_task: Do, peers: Do, rounds: int, clock: Clock = wall) -> tuple[float, float]:
    """Median seconds of two things that are measured in turn."""
    times = medians({"ours": our_task, "peers": peers}, rounds, clock)
    return times["ours"], times["peers"]


def at_least(figure: str, figures: str, value: float, goal: float, floor: str = "") -> None:
    """Prints a figure, and whether it reaches the goal. A `floor` says why the goal is not higher."""
    _print_figure(figure, figures, value, f">= {goal:,g}", value >= goal, floor)


def at_most(figure: str, figures: str, value: float, goal: float, floor: str = "") -> None:
    """The same for a figure that should be low."""
    _print_figure(figure, figures, value, f"<= {goal:,g}", value <= goal, floor)


def _print_figure(figure: str, figures: str, value: float, goal: str, met: bool, floor: str) -> None:
    verdict = "" if met else "   FALLS SHORT"
    print(f"{figure:44} {figures:42} {value:>10,.2f}   {'floor' if floor else 'goal'} {goal}{verdict}", flush=True)
    if floor:
        print(f"{'':44} a floor: {floor}", flush=True)


def rate(figure: str, do: Do, count: int, goal: float, rounds: int = 7) -> None:
    """Prints how many times per second something is done; `do` does it `count` times."""
    duration = medians({figure: do}, rounds, processor)[figure]
    at_least(figure, f"{duration / count * 1e6:.2f} us each, {count:,} of them", count / duration, goal)


def times_as_long(
    name: str, our_task: Do, peer: str, peers: Do, goal: float, floor: str = "", rounds: int = 20
) -> None:
    """Prints how many times as long as a peer we take."""
    our_time, peer_time = in_turn(our_task, peers, rounds, processor)
    at_most(
        f"{name}, times {peer}", f"{our_time * 1e3:.3g} ms, {peer_time * 1e3:.3g} ms", our_time / peer_time, goal, floor
    )


def environment(**details: str) -> dict[str, str]:
    """The environment of a user, where Python may store its bytecode."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | details


def program_run(*words: str) -> Do:
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
    if reason := why_unusable(POSTGRES):
        print(reason.splitlines()[0])
        yield ""
        return
    with temporary_schema(POSTGRES) as url:
        with EventStore.open(url) as store:
            store.create()
        yield url


def recordings() -> list[str]:
    """The files of recorded games in ZIM_RECORDINGS (`games_bot.jsonl:games_mixed.jsonl`)."""
    return [path for path in os.environ.get("ZIM_RECORDINGS", "").split(":") if path]


def demo_moves() -> tuple[dict[str, str], list[str]]:
    """The options and the moves of the demo's game."""
    lines = [line for line in GAME.texts.demo().partition("\nboard")[0].splitlines() if line[:1] not in ("#", "")]
    options = dict(word.split("=") for word in lines[0].split()[2:])
    return options, [line for line in lines[1:] if not line.startswith("expect")]


def demo_game(url: str) -> str:
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

    before: Any
    seat: Seat
    command: Any
    facts: Sequence[Event]


def decide_times(game: Game, state: Any, seat: Seat, command: Command) -> Accepted:
    """The result of a legal command."""
    outcome = game.rules.decide(state, seat, command)
    assert isinstance(outcome, Accepted), (seat, game.notation.format(command), outcome)
    return outcome


def audit(game: Game, moves: Sequence[Move]) -> None:
    """Decides every command again and compares its facts, as an audit does."""
    for move in moves:
        assert tuple(decide_times(game, move.before, move.seat, move.command).events) == tuple(move.facts)


def fold(game: Game, games: Sequence[Sequence[Move]]) -> None:
    """Folds the facts of whole games, as opening a line does."""
    for moves in games:
        state = moves[0].before.copy()
        for move in moves:
            for fact in move.facts:
                game.evolution.evolve(state, fact)


def times_of(do: Callable[[Any], object], states: Sequence[Any]) -> list[float]:
    """Seconds for each position, after a warm-up that is not counted."""
    do(states[0])
    return [seconds(partial(do, state), processor) for state in states]


def median_and_worst(
    figure: str, do: Callable[[Any], object], states: Sequence[Any], goal: float, worst: float
) -> None:
    """Prints the median milliseconds per position, and the slowest."""
    times = times_of(do, states)
    at_most(f"{figure}, median ms", f"{len(states)} positions", median(times) * 1e3, goal)
    at_most(f"{figure}, slowest ms", "", max(times) * 1e3, worst)
