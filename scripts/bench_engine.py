"""The Great Zimbabwe alone, in memory and on one core: the recorded games of the tests, and random ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from measure import in_turn, report

from zimcore.game import Accepted, Command, Event
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import Board, bits
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    CraftsmanPlaced,
    MonumentBuilt,
    MonumentRaised,
    PriceSet,
    TechnologyTaken,
    TurnBegun,
)
from zimcore.games.zimbabwe.evolve import evolve
from zimcore.games.zimbabwe.legal import KINDS, LegalCommands
from zimcore.games.zimbabwe.planner import best_raises
from zimcore.games.zimbabwe.rules import apply
from zimcore.games.zimbabwe.rules.craftsmen import footprints
from zimcore.games.zimbabwe.rules.monuments import building_ground
from zimcore.games.zimbabwe.rules.setup import deal
from zimcore.games.zimbabwe.state import State

GAMES = Path(__file__).parents[1] / "tests" / "games"
ROUNDS = 7
WEIGHTS = {"start": 1, "bid": 3, "pass": 2, "raise": 24, "craft": 12, "adore": 3, "hire": 3, "use": 6, "build": 4}
WEIGHTS |= {"price": 1, "end": 16}
"""How readily a random player tries a kind of command."""
CANDIDATES = 8
"""Commands of one kind that a random player chooses from: the first ones."""


class Move(NamedTuple):
    """A recorded command, the position before it, and the facts that followed."""

    before: State
    seat: str
    command: AnyCommand
    facts: tuple[Event, ...]


def bench(folder: Path) -> None:
    """All of it."""
    del folder
    recorded = [recording(script) for script in sorted(GAMES.glob("*.zim"))]
    for players in (2, 3, 4, 5):
        games = [game for game in recorded if len(game[-1].before.seats) == players]
        decide_again(players, games)
        replay_facts(players, games)
    self_play()
    moves = [move for game in recorded for move in game]
    enumerate_all([move.before for move in moves[::5]])
    geometry()
    copy_states([move.before for move in moves[::7]])
    plan_rituals(moves[-1].before)


def recording(script: Path) -> list[Move]:
    """The moves of a recorded game."""
    lines = [line for line in script.read_text("utf-8").splitlines() if not line.startswith(("#", "expect"))]
    options = dict(word.split("=") for word in lines[0].split()[1:])
    seed = int(options.pop("seed", "0"))
    state, moves = played(GAME.evolution.initial(), "", GAME.rules.set_up(options, seed)).state, []
    for line in lines[1:]:
        named, command = GAME.notation.parse(line, state)
        seat = named or state.actor or ""
        outcome = played(state, seat, command)
        moves.append(Move(state, seat, command, tuple(outcome.events)))
        state = outcome.state
    return moves


def played(state: State, seat: str, command: Command) -> Accepted:
    """What follows from a command that is legal."""
    outcome = GAME.rules.decide(state, seat, command)
    assert isinstance(outcome, Accepted), (seat, GAME.notation.format(command), outcome)
    return outcome


def seconds(do: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median seconds that something takes."""
    return in_turn(do, lambda: None, rounds)[0]


def decide_again(players: int, games: Sequence[Sequence[Move]]) -> None:
    """An audit without a store: every recorded command is decided again, and its facts compared."""

    def audit() -> None:
        for game in games:
            state = game[0].before
            for move in game:
                outcome = played(state, move.seat, move.command)
                assert tuple(outcome.events) == move.facts
                state = outcome.state

    count = sum(map(len, games))
    taken = seconds(audit)
    report(f"commands audited a second, {players} players", f"{taken / count * 1e6:.1f} us each", count / taken, 60_000)


def replay_facts(players: int, games: Sequence[Sequence[Move]]) -> None:
    """Facts that happen to a state, without a store."""
    lines = [(game[0].before, [fact for move in game for fact in move.facts]) for game in games]

    def replay() -> None:
        for first, facts in lines:
            state = first.copy()
            for fact in facts:
                evolve(state, fact)

    count = sum(len(facts) for _, facts in lines)
    taken = seconds(replay)
    figures = f"{taken / count * 1e6:.2f} us each"
    report(f"facts replayed a second, {players} players", figures, count / taken, 250_000)


def self_play() -> None:
    """Random games of four, to the end: as a playing program goes about it, and by listing what is legal."""
    for what, move, goal in (("sample and apply", sampled, 250), ("list and decide", listed, 100)):
        start, actions, games = time.perf_counter(), 0, 40
        for seed in range(games):
            actions += random_game(seed, move)
        taken = time.perf_counter() - start
        figures = f"{what}: {actions / games:.0f} actions each, {actions / taken:,.0f} a second"
        report("random games of four a second", figures, games / taken, goal)


def random_game(seed: int, move: Callable[[State, Random], State]) -> int:
    """Plays a random game of four to its end; how many commands that took."""
    chance = Random(seed)
    state, count = played(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "4"}, seed)).state, 0
    while state.phase in KINDS:
        state, count = move(state, chance), count + 1
    return count


def sampled(state: State, chance: Random) -> State:
    """Plays a command that the game draws."""
    legal = LegalCommands(state)
    command = legal.sample(chance, WEIGHTS)
    assert command, f"nothing is legal in {state.phase}"
    return apply(state, legal.seat, command).state  # type: ignore[no-any-return]


def listed(state: State, chance: Random) -> State:
    """Plays a command that is drawn from a list."""
    return played(state, state.actor or "", random_command(state, chance)).state  # type: ignore[no-any-return]


def random_command(state: State, chance: Random) -> AnyCommand:
    """A legal command of a random kind."""
    kinds = KINDS[state.phase]
    for kind in sorted(kinds, key=lambda kind: chance.random() ** (1 / WEIGHTS[kind]), reverse=True):
        candidates = list(islice(kinds[kind](state), chance.randint(1, CANDIDATES)))
        if candidates:
            return candidates[-1]
    raise AssertionError(f"nothing is legal in {state.phase}")


def enumerate_all(positions: Sequence[State]) -> None:
    """All legal commands of positions of the recorded games; where it is a player's turn, the places alone."""
    turns = [state for state in positions if state.phase == "actions"]

    def places() -> None:
        for state in turns:
            for kind in ("craft", "build"):
                for _ in LegalCommands(state).of(kind):
                    pass

    def masks() -> None:
        for state in turns:
            LegalCommands(state).places()

    def commands() -> None:
        for state in positions:
            for _ in LegalCommands(state):
                pass

    for what, do, count, goal in (
        ("craftsman and monument places", places, len(turns), 400),
        ("all legal commands", commands, len(positions), 2_000),
    ):
        taken = seconds(do)
        figures = f"{taken / count * 1e3:.2f} ms each, {count} positions"
        report(f"{what}, positions a second", figures, count / taken, goal)
    taken = seconds(masks)
    report("masks of all legal places, us", f"{len(turns)} positions", taken / len(turns) * 1e6, 300, at_most=True)


def geometry() -> None:
    """Range-3 queries and hub queries on a board for four, which forgets before each what it was asked before."""
    board = Board.from_rows(deal(7, {}).rows)
    squares = list(bits(board.exists))
    monuments = sum(squares[7::16])
    pairs = [(zone, target) for zone in squares[::9] for target in squares[4::13]]

    def reach() -> None:
        for square in squares:
            board.reach(square, 3)

    def hubs() -> None:
        for zone, target in pairs:
            board._balls.clear()
            board.hubs(zone, target, 3, monuments)

    for what, do, count, goal in (("range-3", reach, len(squares), 300_000), ("hub", hubs, len(pairs), 50_000)):
        taken = seconds(do, 50)
        report(f"{what} queries a second", f"{taken / count * 1e6:.2f} us each", count / taken, goal)


def copy_states(positions: Sequence[State]) -> None:
    """Copies of states, against copies of one dict with 40 entries."""
    entries = dict.fromkeys(map(str, range(40)), 0)

    def states() -> None:
        for state in positions:
            state.copy()

    def dicts() -> None:
        for _ in positions:
            entries.copy()

    mine, peers = in_turn(states, dicts, 50)
    figures = f"{mine / len(positions) * 1e6:.2f} us, dict {peers / len(positions) * 1e6:.2f} us"
    report("copy of a state, times a dict of 40", figures, mine / peers, 40, at_most=True)
    report("states copied a second", "", len(positions) / mine, 100_000)


def plan_rituals(last: State) -> None:
    """The planner in end games as full as they can be: eight own monuments, three craftsmen of every type."""
    times, proven = [], 0
    for seed in range(25):
        state = crowded(last, Random(seed))
        start = time.perf_counter()
        proven += best_raises(state, state.turn.seat).proven
        times.append(time.perf_counter() - start)
    figures = f"median ms, {proven} of {len(times)} proven"
    report("best raises in a crowded end game of five", figures, median(times) * 1e3, 30, at_most=True)
    report("best raises in a crowded end game of five", "worst ms", max(times) * 1e3, 100, at_most=True)


def crowded(last: State, chance: Random) -> State:
    """A position made from another: all craftsmen, eight monuments of the player whose turn it is, 30 cattle."""
    state, seat = last.copy(), last.turn.seat

    def happen(*facts: Event) -> None:
        for fact in facts:
            evolve(state, fact)

    for type_ in CRAFTSMEN:
        owner = next(iter(state.owners(type_)), "") or chance.choice(state.seats)
        if not state.owners(type_):
            happen(TechnologyTaken(owner, type_, 1, 0), PriceSet(owner, type_, chance.randint(1, 3)))
        while len(state.of_type(type_)) < CONSTANTS.craftsmen_per_type and (places := list(footprints(state, type_))):
            happen(CraftsmanPlaced(owner, type_, chance.choice(places)))
    own = sum(monument.owner == seat for monument in state.monuments.values())
    while own < 8 and (ground := state.board.names(building_ground(state))):
        square, own = chance.choice(ground), own + 1
        levels = range(2, chance.randint(1, 4) + 1)
        happen(MonumentBuilt(seat, square), *(MonumentRaised(seat, square, level) for level in levels))
    # What was raised here must not count as raised in this turn: it begins only now.
    happen(CattlePaid(STOCK, seat, 30, "given"), TurnBegun(seat))
    return state
