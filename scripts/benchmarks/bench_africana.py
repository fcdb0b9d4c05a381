"""Benchmarks Africana in memory and on one core: random games, and the waiting times of a player at the prompt.

The yardstick is msgspec, which encodes and decodes the same events: storing them costs at least that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

import msgspec

from scripts.shared.measure import (
    Move,
    Task,
    audit,
    cpu_seconds,
    decide_legal,
    expect_at_least,
    expect_at_most,
    fold,
    paired_medians,
    print_median_and_worst,
    scaled_seconds,
    time_each,
)
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.planner import cheapest_ways
from zimcore.games.africana.secrets import conceal
from zimcore.games.africana.state import State

ROUNDS = 7
WEIGHTS = {"draw": 4, "turn": 1, "buy": 10, "move": 6, "join": 20, "end": 40, "discard": 1}
"""How likely a random player is to choose each kind of command. `end` is `end CARD`; a bare `end` has 1."""


def bench(folder: Path) -> None:
    """Runs all measurements."""
    del folder
    games = [random_game(players, seed) for players in (2, 3, 4) for seed in range(3)]
    moves = [move for game in games for move in game]
    fact_count = sum(len(move.facts) for move in moves)
    compare_with_storing("decide", partial(audit, GAME, moves), moves, len(moves), 9)
    compare_with_storing("evolve", partial(fold, GAME, games), moves, fact_count, 1.5)
    timed_games = list[Sequence[Move]]()
    duration = scaled_seconds(lambda: timed_games.extend(random_game(4, 100 + seed) for seed in range(6)), 1)
    details = f"{sum(map(len, timed_games)) / len(timed_games):.0f} moves a game"
    expect_at_least("random games for four a second", details, 6 / duration, 3.8)
    positions = [move.state for move in moves[::40]]
    print_median_and_worst(
        "all legal commands", lambda state: GAME.rules.legal(state, state.actor or "").count(), positions, 0.1, 1
    )
    print_median_and_worst(
        "planner",
        lambda state: cheapest_ways(state, state.turn.seat),
        [state for state in positions if state.actor],
        0.1,
        600,
    )
    time_copying(positions[:20])
    time_concealing([state for state in positions if state.seats])


def random_game(players: int, seed: int) -> Sequence[Move]:
    """The moves of a random game, the set-up first."""
    command = GAME.rules.set_up({"players": str(players)}, seed)
    state, moves, rng = GAME.evolution.initial(), list[Move](), Random(seed)
    while True:
        decision = decide_legal(GAME, state, state.actor or "", command)
        moves.append(Move(state, state.actor or "", command, decision.events))
        state = decision.state
        commands = list(GAME.rules.legal(state, state.actor or ""))
        if not commands:
            return moves
        (command,) = rng.choices(commands, [weight(each) for each in commands])


def weight(command: AnyCommand) -> int:
    text = GAME.notation.format(command)
    return 1 if text == "end" else WEIGHTS[text.partition(" ")[0]]


def compare_with_storing(title: str, task: Task, moves: Sequence[Move], count: int, limit: float) -> None:
    """Prints how many times as long as storing and reading their facts something takes that is done `count` times."""
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder()

    def store_and_read() -> None:
        for move in moves:
            for fact in move.facts:
                decoder.decode(encoder.encode(fact))

    own_time, storing_time = paired_medians(task, store_and_read, ROUNDS, cpu_seconds)
    details = f"{count / own_time:,.0f} a second, {own_time * 1e3:.1f} and {storing_time * 1e3:.1f} ms"
    expect_at_most(f"{title}, times storing the facts", details, own_time / storing_time, limit)


def time_copying(states: Sequence[State]) -> None:
    """Times copying states, against `copy.deepcopy`."""

    def copy_task(copy_state: Callable[[State], State]) -> Task:
        return lambda: [copy_state(state) for state in states].clear()

    own_time, deepcopy_time = paired_medians(copy_task(State.copy), copy_task(deepcopy), ROUNDS, cpu_seconds)
    details = f"{own_time * 1e3:.1f} ms, the other {deepcopy_time * 1e3:.1f} ms"
    expect_at_least("copy of a state, times faster than deepcopy", details, deepcopy_time / own_time, 100)


def time_concealing(states: Sequence[State]) -> None:
    """Times concealing a state for a seat, and rendering it: every answer at the prompt needs both."""
    times = time_each(lambda state: conceal(state, "italy"), states)
    expect_at_most("conceal, median us", f"{len(states)} positions", median(times) * 1e6, 36)
    times = time_each(lambda state: display_of(conceal(state, "italy")), states)
    expect_at_most("view for a seat, median ms", f"{len(states)} positions", median(times) * 1e3, 0.9)


def display_of(state: State) -> object:
    """Everything that is shown of a position."""
    display = GAME.display
    return display.status(state), display.tables(state), display.board(state), display.colours(state)
