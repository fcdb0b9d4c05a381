"""How things grow: times over sizes, with the exponent that fits them; 1 is as the size itself, 0 does not grow at all.

What a user waits for is measured as a user meets it: `zim games` and `zim lines` as processes of their own.
"""

from __future__ import annotations

import gc
import math
import os
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from measure import report, run

from zimcli.output import Output
from zimcli.session import Session
from zimcore.games.zimbabwe import GAME
from zimcore.service import GameService, open_service

ROUNDS = 5
SIZES: dict[str, tuple[int, ...]] = {
    "games": (20, 200, 2000),
    "lines": (100, 300, 1200),
    "moves": (100, 400, 1600),
    "memory": (100, 1000, 10_000),
}
if os.environ.get("ZIM_BENCH_SHORT"):
    SIZES = {"games": (5, 50), "lines": (10, 40), "moves": (20, 80), "memory": (20, 80)}

ZIM = str(Path(sys.executable).with_name("zim"))


def exponent(times: Mapping[int, float]) -> float:
    """The slope of a line through the logarithms of sizes and times, by least squares.

    >>> round(exponent({1: 3.0, 10: 30.0, 100: 300.0}), 3)
    1.0
    """
    points = [(math.log(size), math.log(taken)) for size, taken in times.items()]
    x, y = (sum(each) / len(points) for each in zip(*points, strict=True))
    slope: float = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
    return slope


def bench(folder: Path) -> None:
    """All of it."""
    games(folder)
    lines(folder)
    moves(folder)
    memory(folder)


def times_of(things: Mapping[int, Callable[[], object]]) -> dict[int, float]:
    """Median seconds by size, measured in turn; a first round is not counted."""
    taken: dict[int, list[float]] = {size: [] for size in things}
    for _ in range(ROUNDS + 1):
        for size, do in things.items():
            start = time.perf_counter()
            do()
            taken[size].append(time.perf_counter() - start)
    return {size: median(each[1:]) for size, each in taken.items()}


def told(what: str, times: Mapping[int, float], most: float = 1.1) -> None:
    """Reports the exponent of times."""
    figures = ", ".join(f"{size}: {taken * 1e3:.4g} ms" for size, taken in times.items())
    report(f"{what}, exponent", figures, exponent(times), most, at_most=True)


def store_of(folder: Path, name: str) -> tuple[str, GameService]:
    url = f"sqlite:///{folder}/{name}.db"
    return url, open_service(url)


def games(folder: Path) -> None:
    """A store of many games, each with a few moves."""
    urls: dict[int, str] = {}
    for size in SIZES["games"]:
        url, service = store_of(folder, f"games-{size}")
        with service.store:
            for number in range(size):
                service.new(GAME.name, {"players": "2", "seed": "7"}, name=f"g{number}", by="bench")
                service.play(f"g{number}", next(iter(service.position(f"g{number}").legal().texts())), by="bench")
        urls[size] = url
    few, many = min(urls), max(urls)
    times = times_of({size: run(ZIM, "--store", url, "games") for size, url in urls.items()})
    told("zim games", times)
    figures = f"{times[many] * 1e3:.0f} ms, with {few} {times[few] * 1e3:.0f} ms"
    report(f"zim games with {many}, times with {few}", figures, times[many] / times[few], 2, at_most=True)
    services = {size: open_service(url) for size, url in urls.items()}
    told("games() in a service", times_of({size: service.games for size, service in services.items()}))
    sessions = {size: Session(Output(), service=service) for size, service in services.items()}
    for session in sessions.values():
        session.enter(session.service.position("g0"))
    times = times_of({size: partial(session.knows, "pass") for size, session in sessions.items()})
    told("a word in a session", times, 0.3)
    for service in services.values():
        service.store.close()


def lines(folder: Path) -> None:
    """Forks of forks, each of the one before."""
    urls: dict[int, str] = {}
    for size in SIZES["lines"]:
        url, service = store_of(folder, f"lines-{size}")
        with service.store:
            service.new(GAME.name, {"players": "2", "seed": "7"}, name="k", by="bench")
            for number in range(size):
                service.fork("k", f"f{number}", by="bench")
        urls[size] = url
    few, many = min(urls), max(urls)
    times = times_of({size: run(ZIM, "--store", url, "lines", "k") for size, url in urls.items()})
    told("zim lines, forks of forks", times)
    figures = f"{times[many] * 1e3:.0f} ms, with {few} {times[few] * 1e3:.0f} ms"
    report(f"zim lines with {many}, times with {few}", figures, times[many] / times[few], 12, at_most=True)


def moves(folder: Path) -> None:
    """A long line: opened anew, and one move more on it."""
    opened: dict[int, Callable[[], object]] = {}
    played: dict[int, Callable[[], object]] = {}
    for size in SIZES["moves"]:
        url, service = store_of(folder, f"moves-{size}")
        service.new(GAME.name, {"players": "2"}, name="k", by="bench")
        for _ in range(2):
            service.play("k", next(iter(service.position("k").legal().texts())), by="bench")
        for _ in range(size):
            service.play("k", passed(service), by="bench")
        opened[size] = partial(_open, url)
        played[size] = partial(_play, service)
    told("a line is opened", times_of(opened))
    told("a move, in a service", times_of(played), 0.3)


def passed(service: GameService) -> str:
    """A move that does nothing much."""
    return "pass" if service.position("k").state.phase == "bidding" else "end"


def _open(url: str) -> None:
    with (service := open_service(url)).store:
        service.position("k")


def _play(service: GameService) -> None:
    service.play("k", passed(service), by="bench")


def memory(folder: Path) -> None:
    """What a service keeps of games that it has opened, one after the other."""
    del folder
    sizes: Sequence[int] = SIZES["memory"]
    kept: dict[int, float] = {}
    url, service = "memory:", open_service("memory:")
    del url
    with service.store:
        for number in range(max(sizes)):
            service.new(GAME.name, {"players": "2", "seed": "7"}, name=f"g{number}", by="bench")
        other = GameService(service.store)
        tracemalloc.start()
        for size in sizes:
            for number in range(size):
                other.position(f"g{number}")
            gc.collect()
            kept[size] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    few, many = min(kept), max(kept)
    figures = ", ".join(f"{size}: {each / 1e6:.1f} MB" for size, each in kept.items())
    report(f"memory of a service with {many} games, MB", figures, kept[many] / 1e6, 64, at_most=True)
    report("a game more, bytes kept", "", (kept[many] - kept[few]) / (many - few), 2000, at_most=True)
