"""Africana alone, in memory and on one core: random games, and what a player at the prompt waits for.

The anchor of this run is msgspec, which writes and reads the same facts: what storing them costs at the least.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import msgspec
from measure import in_turn, report

from zimcore.game import Accepted, Event
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.planner import ways
from zimcore.games.africana.secrets import conceal
from zimcore.games.africana.state import State

ROUNDS = 7
WEIGHTS = {"draw": 4, "turn": 1, "buy": 10, "move": 6, "join": 20, "end": 40, "discard": 1}
"""How readily a random player chooses a kind of command; ending a turn as readily as turning a page."""


class Move(NamedTuple):
    """A command, the position before it, and the facts that followed."""

    before: State
    command: Any
    facts: tuple[Event, ...]


def bench(folder: Path) -> None:
    """All of it."""
    del folder
    games = [list(random_game(players, seed)) for players in (2, 3, 4) for seed in range(3)]
    moves = [move for game in games for move in game]
    decide_again(moves)
    replay_facts(games)
    self_play()
    positions = [move.before for move in moves[::40]]
    enumerate_all(positions)
    plan_ways(positions)
    copy_states(positions)
    conceal_states(positions)


def random_game(players: int, seed: int) -> Sequence[Move]:
    """The moves of a game to its end, the set-up first."""
    command = GAME.rules.set_up({"players": str(players)}, seed)
    state, moves, chance = GAME.evolution.initial(), [], Random(seed)
    while True:
        outcome = GAME.rules.decide(state, state.actor or "", command)
        assert isinstance(outcome, Accepted)
        moves.append(Move(state, command, outcome.events))
        state = outcome.state
        commands = list(GAME.rules.legal(state, state.actor or ""))
        if not commands:
            return moves
        (command,) = chance.choices(commands, [weight(each) for each in commands])


def weight(command: AnyCommand) -> int:
    text = GAME.notation.format(command)
    return 1 if text == "end" else WEIGHTS[text.partition(" ")[0]]


def decide_again(moves: Sequence[Move]) -> None:
    """Deciding all commands again, which is what an audit and an amended line do."""

    def again() -> None:
        for before, command, _ in moves:
            GAME.rules.decide(before, before.actor or "", command)

    ours, anchor = in_turn(again, stored_and_read([move.facts for move in moves]), ROUNDS)
    report("decide, commands a second", f"{len(moves)} commands", len(moves) / ours, 50_000)
    report("decide, times storing the facts", seconds(ours, anchor), ours / anchor, 15, at_most=True)


def replay_facts(games: Sequence[Sequence[Move]]) -> None:
    """Folding the facts of whole games, which is what opening a line does."""
    facts = [[fact for move in game for fact in move.facts] for game in games]
    total = sum(map(len, facts))

    def again() -> None:
        for game in facts:
            state = GAME.evolution.initial()
            for fact in game:
                GAME.evolution.evolve(state, fact)

    ours, anchor = in_turn(again, stored_and_read(facts), ROUNDS)
    report("evolve, facts a second", f"{total} facts of {len(games)} games", total / ours, 1_000_000)
    report("evolve, times storing the facts", seconds(ours, anchor), ours / anchor, 2, at_most=True)


def stored_and_read(facts: Sequence[Sequence[Event]]) -> Callable[[], None]:
    """The anchor: the same facts to msgpack and back."""
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder()

    def once() -> None:
        for some in facts:
            for fact in some:
                decoder.decode(encoder.encode(fact))

    return once


def self_play() -> None:
    """Random games from the set-up to the end: listing what is legal, choosing, deciding."""
    start, moves = time.perf_counter(), 0
    for seed in range(6):
        moves += len(random_game(4, 100 + seed))
    taken = time.perf_counter() - start
    report("random games for four a second", f"{moves / 6:.0f} moves a game", 6 / taken, 2)


def enumerate_all(positions: Sequence[State]) -> None:
    """Every legal command, and only whether there is one."""
    times = timed(lambda state: GAME.rules.legal(state, state.actor or "").count(), positions)
    report("all legal commands, median ms", f"{len(positions)} positions", median(times) * 1e3, 1, at_most=True)
    report("all legal commands, slowest ms", "", max(times) * 1e3, 5, at_most=True)


def plan_ways(positions: Sequence[State]) -> None:
    """The planner, for whoever is to act."""
    states = [state for state in positions if state.actor]
    times = timed(lambda state: ways(state, state.turn.seat), states)
    report("planner, median ms", f"{len(states)} positions", median(times) * 1e3, 10, at_most=True)
    report("planner, slowest ms", "", max(times) * 1e3, 1000, at_most=True)


def copy_states(positions: Sequence[State]) -> None:
    """Copies of positions, against `copy.deepcopy`."""

    def copies(copy: Callable[[State], State]) -> Callable[[], None]:
        return lambda: [copy(state) for state in positions[:20]].clear()

    ours, theirs = in_turn(copies(State.copy), copies(deepcopy), ROUNDS)
    report("copy of a state, times faster than deepcopy", seconds(ours, theirs), theirs / ours, 100)


def conceal_states(positions: Sequence[State]) -> None:
    """A position as a seat knows it, and its view, which is what every answer at the prompt needs."""
    states = [state for state in positions if state.seats]
    times = timed(lambda state: conceal(state, "italy"), states)
    report("conceal, median us", f"{len(states)} positions", median(times) * 1e6, 100, at_most=True)
    times = timed(lambda state: shown(conceal(state, "italy")), states)
    report("view for a seat, median ms", f"{len(states)} positions", median(times) * 1e3, 5, at_most=True)


def shown(state: State) -> object:
    """All that is to be seen of a position."""
    display = GAME.display
    return display.status(state), display.tables(state), display.board(state), display.colours(state)


def timed(thing: Callable[[State], Any], states: Sequence[State]) -> list[float]:
    """Seconds for each position, after a first one that is not counted."""
    thing(states[0])
    times = []
    for state in states:
        start = time.perf_counter()
        thing(state)
        times.append(time.perf_counter() - start)
    return times


def seconds(ours: float, anchor: float) -> str:
    return f"{ours * 1e3:.1f} ms, the other {anchor * 1e3:.1f} ms"
