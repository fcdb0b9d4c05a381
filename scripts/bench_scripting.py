"""Benchmarks random play by programs: through `zim pipe` and through the library, on SQLite and in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from measure import at_least, in_turn, out_of_reach, rate

from zimcore.games.zimbabwe import GAME
from zimcore.history import parse, sweep
from zimcore.service import GameService, Position, open_service

MOVES = 400
OPTIONS = {"players": "3", "seed": "7"}
numbers = count()


def bench(folder: Path) -> None:
    """Measures moves per second each way, and a sweep."""
    for name, url in {"SQLite": f"sqlite:///{folder}/games.db", "memory": "memory:"}.items():
        service, pipe = open_service(url), Pipe(url)
        library, pipe_time = in_turn(partial(by_library, service), partial(by_pipe, pipe), 5)
        pipe.close()
        figures = f"library {MOVES / library:,.0f}, pipe {MOVES / pipe_time:,.0f} moves a second"
        if name == "SQLite":
            reason = out_of_reach("0.8")
            at_least("random play by pipe on SQLite, times library", figures, library / pipe_time, 0.5, reason)
        else:
            at_least("random moves a second by pipe in memory", figures, MOVES / pipe_time, 600)
            at_least("random moves a second by library in memory", figures, MOVES / library, 2_000)
    sweeps()


def by_library(service: GameService) -> None:
    """Plays random moves, each drawn at the position after the one before. Starts a new game when one is over."""
    position, chance = new(service), Random(7)
    for _ in range(MOVES):
        position = (
            play_random_move(service, position, chance) or play_random_move(service, new(service), chance) or position
        )


def new(service: GameService) -> Position:
    """A new game."""
    return service.new(GAME.name, OPTIONS, name=f"l{next(numbers)}", by="bench")


def play_random_move(service: GameService, position: Position, chance: Random) -> Position | None:
    """The position after a random move; None if the game is over."""
    command = position.legal().sample(chance)
    if command is None:
        return None
    answer = service.play(position.place, command, by="bench", expected=position.commit.digest)
    assert isinstance(answer, Position)
    return answer


class Pipe:
    """`zim pipe` as a child process."""

    def __init__(self, url: str) -> None:
        words = [sys.executable, "-m", "zimcli", "--store", url, "--by", "bench", "pipe"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **request: object) -> dict[str, Any]:
        """Sends a request. Returns the answer."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert reply["code"] == 0, reply
        return reply["answer"]  # type: ignore[no-any-return]

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def by_pipe(pipe: Pipe) -> None:
    """Plays random moves: one request plays a move and draws the next."""
    place, move = begin_game(pipe)
    for number in range(MOVES):
        if move is None:
            place, move = begin_game(pipe)
        move = pipe.ask(do=move, place=place, sample=number).get("drawn")


def begin_game(pipe: Pipe) -> tuple[str, object]:
    """The line of a new game, and a first move."""
    position = pipe.ask(new=f"p{next(numbers)}", **OPTIONS)["position"]
    place = f"{position['game']}/{position['line']}"
    (move,) = pipe.ask(legal={"place": place, "sample": 0})["legal"]
    return place, move


def sweeps() -> None:
    """Measures all legal commands in positions of a random game, each for one figure."""
    service, chance = open_service("memory:"), Random(7)
    position, most = new(service), list[tuple[int, Position]]()
    for _ in range(150):
        position = play_random_move(service, position, chance) or position
        most.append((position.legal().count(), position))
    number, widest = max(most, key=lambda each: each[0])
    expressions = [parse(f"{widest.mover}.margin")]
    rate("a sweep, commands a second", lambda: sweep(widest, expressions), number, 1_765, 3)
