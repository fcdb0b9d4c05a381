"""Benchmarks Africana in memory and on one core: random games, and the waiting times of a player at the prompt.

The peer is msgspec encoding and decoding the same facts: the least that storing them costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

import msgspec
from measure import (
    Do,
    Move,
    at_least,
    at_most,
    audit,
    decide_times,
    fold,
    in_turn,
    median_and_worst,
    processor,
    seconds,
    times_of,
)

from zimcore.games.africana import GAME
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.planner import ways
from zimcore.games.africana.secrets import conceal
from zimcore.games.africana.state import State

ROUNDS = 7
WEIGHTS = {"draw": 4, "turn": 1, "buy": 10, "move": 6, "join": 20, "end": 40, "discard": 1}
"""How likely a random player is to choose each kind of command."""


def bench(folder: Path) -> None:
    """Runs all measurements."""
    del folder
    games = [random_game(players, seed) for players in (2, 3, 4) for seed in range(3)]
    moves = [move for game in games for move in game]
    facts = sum(len(move.facts) for move in moves)
    beside_storing("decide, commands a second", partial(audit, GAME, moves), moves, len(moves), 50_000, 15)
    beside_storing("evolve, facts a second", partial(fold, GAME, games), moves, facts, 1_000_000, 2)
    results = list[Sequence[Move]]()
    duration = seconds(lambda: results.extend(random_game(4, 100 + seed) for seed in range(6)), processor)
    at_least("random games for four a second", f"{sum(map(len, results)) / 6:.0f} moves a game", 6 / duration, 2)
    positions = [move.before for move in moves[::40]]
    median_and_worst("all legal commands", lambda at: GAME.rules.legal(at, at.actor or "").count(), positions, 1, 5)
    median_and_worst("planner", lambda at: ways(at, at.turn.seat), [at for at in positions if at.actor], 10, 1000)
    copy_states(positions[:20])
    conceal_states([state for state in positions if state.seats])


def random_game(players: int, seed: int) -> Sequence[Move]:
    """The moves of a random game, the set-up first."""
    command = GAME.rules.set_up({"players": str(players)}, seed)
    state, moves, chance = GAME.evolution.initial(), list[Move](), Random(seed)
    while True:
        outcome = decide_times(GAME, state, state.actor or "", command)
        moves.append(Move(state, state.actor or "", command, outcome.events))
        state = outcome.state
        commands = list(GAME.rules.legal(state, state.actor or ""))
        if not commands:
            return moves
        (command,) = chance.choices(commands, [weight(each) for each in commands])


def weight(command: AnyCommand) -> int:
    text = GAME.notation.format(command)
    return 1 if text == "end" else WEIGHTS[text.partition(" ")[0]]


def beside_storing(figure: str, do: Do, moves: Sequence[Move], count: int, goal: float, most: float) -> None:
    """Prints how often per second, and how many times as long as encoding the same facts to msgpack and back."""
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder()

    def stored_and_read() -> None:
        for move in moves:
            for fact in move.facts:
                decoder.decode(encoder.encode(fact))

    own_time, storing_time = in_turn(do, stored_and_read, ROUNDS, processor)
    at_least(figure, f"{count:,} of them", count / own_time, goal)
    figures = f"{own_time * 1e3:.1f} ms, the other {storing_time * 1e3:.1f} ms"
    at_most(f"{figure.partition(',')[0]}, times storing the facts", figures, own_time / storing_time, most)


def copy_states(states: Sequence[State]) -> None:
    """Copies of states, against `copy.deepcopy`."""

    def copies(copy: Callable[[State], State]) -> Do:
        return lambda: [copy(state) for state in states].clear()

    own_time, deepcopy_time = in_turn(copies(State.copy), copies(deepcopy), ROUNDS, processor)
    figures = f"{own_time * 1e3:.1f} ms, the other {deepcopy_time * 1e3:.1f} ms"
    at_least("copy of a state, times faster than deepcopy", figures, deepcopy_time / own_time, 100)


def conceal_states(states: Sequence[State]) -> None:
    """A state as a seat knows it, and its rendering, which every answer at the prompt needs."""
    times = times_of(lambda state: conceal(state, "italy"), states)
    at_most("conceal, median us", f"{len(states)} positions", median(times) * 1e6, 100)
    times = times_of(lambda state: display_of(conceal(state, "italy")), states)
    at_most("view for a seat, median ms", f"{len(states)} positions", median(times) * 1e3, 5)


def display_of(state: State) -> object:
    """Everything that is shown of a position."""
    display = GAME.display
    return display.status(state), display.tables(state), display.board(state), display.colours(state)
