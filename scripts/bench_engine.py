"""Benchmarks The Great Zimbabwe in memory and on one core: the recorded games of the tests, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from measure import (
    ROOT,
    Move,
    at_least,
    at_most,
    audit,
    decide_times,
    fold,
    in_turn,
    medians,
    out_of_reach,
    processor,
    rate,
    seconds,
)
from recordings import script_steps

from zimcore.bots.bot_match import start_state
from zimcore.game import Event
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import Board, bits
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

WEIGHTS = {"start": 1, "bid": 3, "pass": 2, "raise": 24, "craft": 12, "adore": 3, "hire": 3, "use": 6, "build": 4}
WEIGHTS |= {"price": 1, "end": 16}
"""How likely a random player is to try each kind of command."""


def bench(folder: Path) -> None:
    """Runs all measurements."""
    del folder
    recordings = [recording(script) for script in sorted((ROOT / "tests" / "games").glob("*.zim"))]
    for players in (2, 3, 4, 5):
        games = [game for game in recordings if len(game[-1].before.seats) == players]
        moves = [move for game in games for move in game]
        facts = sum(len(move.facts) for move in moves)
        rate(f"commands audited a second, {players} players", partial(audit, GAME, moves), len(moves), 60_000)
        rate(f"facts replayed a second, {players} players", partial(fold, GAME, games), facts, 250_000)
    self_play(150, out_of_reach("250"))
    moves = [move for game in recordings for move in game]
    enumerate_all([move.before for move in moves[::5]])
    geometry()
    copy_states([move.before for move in moves[::7]])
    plan_rituals(moves[-1].before)


def recording(script: Path) -> list[Move]:
    """The moves of a recorded game."""
    moves, _ = script_steps(script.read_text("utf-8"))
    return [Move(*move, decide_times(GAME, *move).events) for move in moves]


def self_play(goal: float, floor: str) -> None:
    """Random games of four players to the end, as a bot would play them."""
    actions, games = list[int](), 40
    duration = seconds(lambda: actions.extend(map(random_game, range(games))), processor)
    figures = f"{sum(actions) / games:.0f} actions each, {sum(actions) / duration:,.0f} a second"
    at_least("random games of four a second", figures, games / duration, goal, floor)


def random_game(seed: int) -> int:
    """Plays random legal commands to the end of a game. Returns their number."""
    state, chance, count = start_state(GAME, {"players": "4"}, seed), Random(seed), 0
    while state.phase in KINDS:
        legal = LegalCommands(state)
        command = legal.sample(chance, WEIGHTS)
        assert command, f"nothing is legal in {state.phase}"
        state, count = apply(state, legal.seat, command).state, count + 1
    return count


def enumerate_all(positions: Sequence[State]) -> None:
    """Lists all legal commands in positions of the recorded games; only the places if it is a player's turn."""
    turns = [state for state in positions if state.phase == "actions"]

    def places() -> None:
        for state in turns:
            for kind in ("craft", "build"):
                for _ in LegalCommands(state).of_kind(kind):
                    pass

    def masks() -> None:
        for state in turns:
            LegalCommands(state).places()

    def commands() -> None:
        for state in positions:
            for _ in LegalCommands(state):
                pass

    rate("craftsman and monument places, positions a second", places, len(turns), 400)
    rate("all legal commands, positions a second", commands, len(positions), 2_000)
    duration = medians({"": masks}, 7, processor)[""]
    at_most("masks of all legal places, us", f"{len(turns)} positions", duration / len(turns) * 1e6, 300)


def geometry() -> None:
    """Range-3 queries and hub queries on a board for four players, with an empty cache."""
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

    rate("range-3 queries a second", reach, len(squares), 300_000, rounds=50)
    rate("hub queries a second", hubs, len(pairs), 50_000, rounds=50)


def copy_states(positions: Sequence[State]) -> None:
    """Copies of states, against copies of a dict with 40 entries."""
    entries = dict.fromkeys(map(str, range(40)), 0)

    def states() -> None:
        for state in positions:
            state.copy()

    def dicts() -> None:
        for _ in positions:
            entries.copy()

    struct_time, peers = in_turn(states, dicts, 50, processor)
    figures = f"{struct_time / len(positions) * 1e6:.2f} us, dict {peers / len(positions) * 1e6:.2f} us"
    at_most("copy of a state, times a dict of 40", figures, struct_time / peers, 40)
    at_least("states copied a second", "", len(positions) / struct_time, 100_000)


def plan_rituals(last: State) -> None:
    """The planner in very full end games: eight own monuments, three craftsmen of every type."""
    proven, states = list[bool](), [crowded_position(last, Random(seed)) for seed in range(25)]

    def plan(state: State) -> None:
        proven.append(best_raises(state, state.turn.seat).proven)

    times = [seconds(partial(plan, state), processor) for state in states]
    figures = f"median ms, {sum(proven)} of {len(times)} proven"
    at_most("best raises in a crowded end game of five", figures, median(times) * 1e3, 30)
    at_most("best raises in a crowded end game of five", "worst ms", max(times) * 1e3, 100)


def crowded_position(last: State, chance: Random) -> State:
    """A position made from another: all craftsmen, eight monuments for the player to move, 30 cattle."""
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
    monument_count = sum(monument.owner == seat for monument in state.monuments.values())
    while monument_count < 8 and (squares := state.board.names(building_ground(state))):
        square, monument_count = chance.choice(squares), monument_count + 1
        levels = range(2, chance.randint(1, 4) + 1)
        happen(MonumentBuilt(seat, square), *(MonumentRaised(seat, square, level) for level in levels))
    # Begin a new turn, so that the monuments raised here do not count as raised in this turn.
    happen(CattlePaid(STOCK, seat, 30, "given"), TurnBegun(seat))
    return state
