"""What zim costs, as ratios to a peer that is measured in turn with it in the same run. Machines are noisy: medians.

Each part prints what was measured, the median of each side, the ratio and the goal, and says where the goal is missed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from event_store import EventStore
from event_store.lines import Line, advance
from zimcore.service import GameService, open_service
from zimcore.service.states import States
from zimcore.zimbabwe import GAME
from zimcore.zimbabwe.board import Board, bits
from zimcore.zimbabwe.events import EVENTS
from zimcore.zimbabwe.evolve import evolve
from zimcore.zimbabwe.rules.setup import deal
from zimcore.zimbabwe.state import State

INSERT = "INSERT INTO stored_events VALUES (?,?,?,?)"
SELECT = "SELECT originator_version, topic, state FROM stored_events WHERE originator_id=? ORDER BY originator_version"


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
    lines = [line for line in GAME.demo().partition("\nboard")[0].splitlines() if line[:1] not in ("#", "")]
    options = dict(word.split("=") for word in lines[0].split()[2:])
    return options, [line for line in lines[1:] if not line.startswith("expect")]


def replay(folder: Path) -> None:
    """The state of a line of 500 events from SQLite, against SELECT, decode and evolve written by hand."""
    path, _, stream = demo_game(folder)
    db = sqlite3.connect(path)
    decoders = {f"zimbabwe.{form.__struct_config__.tag}": msgspec.msgpack.Decoder(form).decode for form in EVENTS}
    seals = [version for version, topic, _ in db.execute(SELECT, (stream,)) if topic not in decoders]
    until = next(version for version in seals if version >= 500)

    with EventStore.open(f"sqlite:///{path}") as store:
        GameService(store)  # makes the events of the games known to the store

        def ours() -> State:
            line = Line(stream)
            for entry in store.read(stream, until=until):
                advance(line, entry)
            state: State = States(GAME, line).at(line.head)
            return state

        def by_hand() -> State:
            state = State()
            for version, topic, data in db.execute(SELECT, (stream,)):
                if version > until:
                    break
                if topic in decoders:
                    evolve(state, decoders[topic](data))
            return state

        assert GAME.canonical(ours()) == GAME.canonical(by_hand())
        mine, hand = in_turn(ours, by_hand, 60)
    report(
        f"replay of a line of {until + 1} rows, SQLite",
        f"{mine * 1e3:.2f} ms, by hand {hand * 1e3:.2f} ms",
        hand / mine,
        0.8,
    )


def append(folder: Path) -> None:
    """Appending a command's commit with synchronous=FULL, against raw inserts of the same rows."""
    path, _, stream = demo_game(folder)
    with sqlite3.connect(path) as db:
        rows = db.execute(SELECT, (stream,)).fetchall()
    source, target = f"sqlite:///{path}", folder / "append.db"
    raw = sqlite3.connect(folder / "raw.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    with sqlite3.connect(path) as db:
        (schema,) = db.execute("SELECT sql FROM sqlite_master WHERE name='stored_events'").fetchone()
    raw.execute(schema)
    with EventStore.open(source) as reading, EventStore.open(f"sqlite:///{target}") as store:
        GameService(reading), GameService(store)
        entries = [entry for entry in reading.read(stream) if entry.is_commit]
        commits = [(entry.seal, entry.events) for entry in entries]
        bundles = [
            [row for row in rows if entry.revision - len(entry.rows) <= row[0] <= entry.revision] for entry in entries
        ]
        ahead = iter(commits * 4)
        revision = -1

        def ours() -> None:
            nonlocal revision
            seal, events = next(ahead)
            appended = store.append(
                "line", revision, events, by=seal.by, at=seal.at, parent=seal.parent, state=seal.state
            )
            revision = appended.revision

        following = iter(bundles * 4)
        version = -1

        def raw_inserts() -> None:
            nonlocal version
            bundle = next(following)
            numbered = [("line", version + 1 + n, topic, data) for n, (_, topic, data) in enumerate(bundle)]
            version += len(bundle)
            raw.execute("BEGIN")
            raw.executemany(INSERT, numbered)
            raw.execute("COMMIT")

        mine, peers = in_turn(ours, raw_inserts, 500)
    report("append of a commit, SQLite FULL", f"{mine * 1e3:.3f} ms, raw {peers * 1e3:.3f} ms", peers / mine, 0.7)


def start(folder: Path) -> None:
    """Cold starts of zim, against a Python that does nothing, and against a litecli that asks one question."""
    path, game, _ = demo_game(folder)
    zim, store = str(Path(sys.executable).with_name("zim")), f"sqlite:///{path}"
    options, moves = demo_moves()
    service = open_service(store)
    service.new(GAME.name, options, name="cold", by="bench")
    service.store.close()
    move = iter(moves)
    nothing = run(sys.executable, "-c", "pass")
    starts: dict[str, tuple[Callable[[], object], float]] = {
        "zim --version": (run(zim, "--version"), 2.5),
        "zim show": (run(zim, "--store", store, "show", game), 5),
        "zim do": (lambda: run(zim, "--store", store, "do", "cold", next(move))(), 5),
    }
    litecli = shutil.which("litecli")
    for name, (ours, goal) in starts.items():
        compared(name, ours, "python -c pass", nothing, goal)
        if litecli and name != "zim --version":
            compared(name, ours, "litecli -e", run(litecli, "-e", "select 1", str(path)), 0.6)
    if not litecli:
        print("litecli is not installed: no comparison with it")


def run(*words: str) -> Callable[[], object]:
    """Runs a program as a user does, whose Python may keep its bytecode."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment)


def compared(name: str, ours: Callable[[], object], peer: str, peers: Callable[[], object], goal: float) -> None:
    """Reports how many times as long as a peer we take."""
    mine, others = in_turn(ours, peers, 20)
    figures = f"{mine * 1e3:.0f} ms, {peer} {others * 1e3:.0f} ms"
    report(f"cold {name}, times {peer}", figures, mine / others, goal, at_most=True)


def reach(folder: Path) -> None:
    """Range-3 queries, each square of a board for four in turn; nothing is remembered between them."""
    del folder
    board = Board.from_rows(deal(7, {}).rows)
    squares = list(bits(board.exists))

    def queries() -> Any:
        for square in squares:
            board.reach(square, 3)

    taken, _ = in_turn(queries, lambda: None, 100)
    rate = len(squares) / taken
    report("range-3 queries a second, one core", f"{taken / len(squares) * 1e6:.2f} us each", rate, 300_000)


PARTS: dict[str, Callable[[Path], None]] = {"replay": replay, "append": append, "start": start, "reach": reach}


def main() -> int:
    """Measures the parts that are named, or all."""
    parser = ArgumentParser("bench", description="Measures zim against peers in the same run.")
    parser.add_argument("part", nargs="*", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    chosen = parser.parse_args().part or list(PARTS)
    unknown = [part for part in chosen if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there is {', '.join(PARTS)}")
    for part in chosen:
        with tempfile.TemporaryDirectory(prefix="zim-bench-") as folder:
            PARTS[part](Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
