"""Benchmarks random play by programs: through `zim pipe` and through the library, on SQLite and in memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from scripts.shared.measure import expect_at_least, paired_medians, print_rate
from zimcore.games.zimbabwe import GAME
from zimcore.history import parse, sweep
from zimcore.service import GameService, Position, open_service

MOVES = 400
PIPE_GOALS = {"SQLite": 0.7, "memory": 0.5}
OPTIONS = {"players": "3", "seed": "7"}
game_numbers = count()


def bench(folder: Path) -> None:
    """Measures moves per second each way, and a sweep."""
    for name, url in {"SQLite": f"sqlite:///{folder}/games.db", "memory": "memory:"}.items():
        service, pipe = open_service(url), Pipe(url)
        tasks = partial(play_by_library, service), partial(play_by_pipe, pipe)
        library_time, pipe_time = paired_medians(*tasks, 5, pipe.cpu_seconds)
        pipe.close()
        details = f"library {MOVES / library_time:,.0f}, pipe {MOVES / pipe_time:,.0f} moves a second"
        expect_at_least(
            f"random play by pipe, {name}, times library", details, library_time / pipe_time, PIPE_GOALS[name]
        )
    measure_sweep()


def play_by_library(service: GameService) -> None:
    """Plays random moves, each drawn at the position after the one before. Starts a new game when one is over."""
    position, rng = new_game(service), Random(7)
    for _ in range(MOVES):
        position = (
            play_random_move(service, position, rng) or play_random_move(service, new_game(service), rng) or position
        )


def new_game(service: GameService) -> Position:
    """A new game."""
    return service.new(GAME.name, OPTIONS, name=f"l{next(game_numbers)}", by="bench")


def play_random_move(service: GameService, position: Position, rng: Random) -> Position | None:
    """The position after a random move; None if the game is over."""
    command = position.legal().sample(rng)
    if command is None:
        return None
    answer = service.play(position.place, command, by="bench", expected=position.commit.digest)
    assert isinstance(answer, Position)
    return answer


class Pipe:
    """`zim pipe` as a child process."""

    def __init__(self, url: str) -> None:
        command = [sys.executable, "-m", "zimcli", "--store", url, "--by", "bench", "pipe"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **request: object) -> dict[str, Any]:
        """Sends a request. Returns the answer."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert reply["code"] == 0, reply
        return reply["answer"]  # type: ignore[no-any-return]

    def cpu_seconds(self) -> float:
        """CPU seconds of this process and of the child so far, also while it runs (Linux)."""
        return time.process_time() + time.clock_gettime((~self.process.pid << 3) | 2)

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def play_by_pipe(pipe: Pipe) -> None:
    """Plays random moves: one request plays a move and draws the next."""
    place, move = begin_game(pipe)
    for number in range(MOVES):
        if move is None:
            place, move = begin_game(pipe)
        move = pipe.ask(do=move, place=place, sample=number).get("drawn")


def begin_game(pipe: Pipe) -> tuple[str, object]:
    """The line of a new game, and a first move."""
    position = pipe.ask(new=f"p{next(game_numbers)}", **OPTIONS)["position"]
    place = f"{position['game']}/{position['line']}"
    (move,) = pipe.ask(legal={"place": place, "sample": 0})["legal"]
    return place, move


def measure_sweep() -> None:
    """Measures all legal commands in positions of a random game, each for one figure."""
    service, rng = open_service("memory:"), Random(7)
    position, positions_by_count = new_game(service), list[tuple[int, Position]]()
    for _ in range(150):
        position = play_random_move(service, position, rng) or position
        positions_by_count.append((position.legal().count(), position))
    legal_count, widest_position = max(positions_by_count, key=lambda count_and_position: count_and_position[0])
    expressions = [parse(f"{widest_position.mover}.margin")]
    print_rate("a sweep, commands a second", lambda: sweep(widest_position, expressions), legal_count, 14_000, 3)
