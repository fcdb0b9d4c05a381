"""Benchmarks The Great Zimbabwe in memory and on one core: the recorded games of the tests, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from scripts.shared.measure import (
    ROOT,
    Move,
    audit,
    cpu_seconds,
    decide_legal,
    expect_at_least,
    expect_at_most,
    fold,
    paired_medians,
    print_rate,
    reason_for_floor,
    scaled_seconds,
    seconds,
)
from tests.recordings import script_steps
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
    recordings = [recorded_moves(script) for script in sorted((ROOT / "tests" / "games").glob("*.zim"))]
    for players in (2, 3, 4, 5):
        games = [game for game in recordings if len(game[-1].state.seats) == players]
        moves = [move for game in games for move in game]
        fact_count = sum(len(move.facts) for move in moves)
        print_rate(f"commands audited a second, {players} players", partial(audit, GAME, moves), len(moves), 60_000)
        print_rate(f"facts replayed a second, {players} players", partial(fold, GAME, games), fact_count, 900_000)
    play_random_games(150, reason_for_floor("250"))
    moves = [move for game in recordings for move in game]
    list_all_commands([move.state for move in moves[::5]])
    measure_geometry()
    time_copying([move.state for move in moves[::7]])
    plan_rituals(moves[-1].state)


def recorded_moves(script: Path) -> list[Move]:
    """The moves of a recorded game."""
    moves, _ = script_steps(script.read_text("utf-8"))
    return [Move(*move, decide_legal(GAME, *move).events) for move in moves]


def play_random_games(goal: float, floor: str) -> None:
    """Random games of four players to the end, as a bot would play them."""
    action_counts, game_count = list[int](), 40
    duration = scaled_seconds(lambda: action_counts.extend(map(random_game, range(game_count))), 1)
    actions = sum(action_counts) / len(action_counts)
    details = f"{actions:.0f} actions each, {actions * game_count / duration:,.0f} a second"
    expect_at_least("random games of four a second", details, game_count / duration, goal, floor)


def random_game(seed: int) -> int:
    """Plays random legal commands to the end of a game. Returns their number."""
    state, rng, count = start_state(GAME, {"players": "4"}, seed), Random(seed), 0
    while state.phase in KINDS:
        legal_commands = LegalCommands(state)
        command = legal_commands.sample(rng, WEIGHTS)
        assert command, f"nothing is legal in {state.phase}"
        state, count = apply(state, legal_commands.seat, command).state, count + 1
    return count


def list_all_commands(positions: Sequence[State]) -> None:
    """Lists all legal commands in positions of the recorded games; only the places if it is a player's turn."""
    acting_states = [state for state in positions if state.phase == "actions"]

    def list_places() -> None:
        for state in acting_states:
            for kind in ("craft", "build"):
                for _ in LegalCommands(state).of_kind(kind):
                    pass

    def compute_masks() -> None:
        for state in acting_states:
            LegalCommands(state).places()

    def list_commands() -> None:
        for state in positions:
            for _ in LegalCommands(state):
                pass

    print_rate("craftsman and monument places, positions a second", list_places, len(acting_states), 4_200)
    print_rate("all legal commands, positions a second", list_commands, len(positions), 2_000)
    duration = scaled_seconds(compute_masks)
    expect_at_most(
        "masks of all legal places, us", f"{len(acting_states)} positions", duration / len(acting_states) * 1e6, 82
    )


def measure_geometry() -> None:
    """Range-3 queries and hub queries on a board for four players, with an empty cache."""
    board = Board.from_rows(deal(7, {}).rows)
    squares = list(bits(board.existing_squares))
    monuments = sum(squares[7::16])
    pairs = [(zone, target) for zone in squares[::9] for target in squares[4::13]]

    def query_ranges() -> None:
        for square in squares:
            board.reach(square, 3)

    def query_hubs() -> None:
        for zone, target in pairs:
            board._balls.clear()
            board.hubs(zone, target, 3, monuments)

    print_rate("range-3 queries a second", query_ranges, len(squares), 410_000, rounds=50)
    print_rate("hub queries a second", query_hubs, len(pairs), 115_000, rounds=50)


def time_copying(positions: Sequence[State]) -> None:
    """Times copying states, against copying a dict with 40 entries."""
    entries = dict.fromkeys(map(str, range(40)), 0)

    def copy_each_state() -> None:
        for state in positions:
            state.copy()

    def copy_dicts() -> None:
        for _ in positions:
            entries.copy()

    struct_time, dict_time = paired_medians(copy_each_state, copy_dicts, 50, cpu_seconds)
    details = f"{struct_time / len(positions) * 1e6:.2f} us, dict {dict_time / len(positions) * 1e6:.2f} us"
    expect_at_most("copy of a state, times a dict of 40", details, struct_time / dict_time, 3.3)


def plan_rituals(last_state: State) -> None:
    """The planner in very full end games: eight own monuments, three craftsmen of every type."""
    are_proven, states = list[bool](), [crowded_position(last_state, Random(seed)) for seed in range(25)]

    def plan(state: State) -> None:
        are_proven.append(best_raises(state, state.turn.seat).is_proven)

    times = [seconds(partial(plan, state), cpu_seconds) for state in states]
    details = f"median ms, {sum(are_proven)} of {len(times)} proven"
    expect_at_most("best raises in a crowded end game of five", details, median(times) * 1e3, 30)
    expect_at_most("best raises in a crowded end game of five", "worst ms", max(times) * 1e3, 100)


def crowded_position(last_state: State, rng: Random) -> State:
    """A position made from another: all craftsmen, eight monuments for the player to move, 30 cattle."""
    state, seat = last_state.copy(), last_state.turn.seat

    def apply_facts(*facts: Event) -> None:
        for fact in facts:
            evolve(state, fact)

    for type_ in CRAFTSMEN:
        owner = next(iter(state.owners_of(type_)), "") or rng.choice(state.seats)
        if not state.owners_of(type_):
            apply_facts(TechnologyTaken(owner, type_, 1, 0), PriceSet(owner, type_, rng.randint(1, 3)))
        while len(state.craftsmen_of_type(type_)) < CONSTANTS.craftsmen_per_type and (
            places := list(footprints(state, type_))
        ):
            apply_facts(CraftsmanPlaced(owner, type_, rng.choice(places)))
    monument_count = sum(monument.owner == seat for monument in state.monuments.values())
    while monument_count < 8 and (squares := state.board.names(building_ground(state))):
        square, monument_count = rng.choice(squares), monument_count + 1
        levels = range(2, rng.randint(1, 4) + 1)
        apply_facts(MonumentBuilt(seat, square), *(MonumentRaised(seat, square, level) for level in levels))
    # Begin a new turn, so that the monuments raised here do not count as raised in this turn.
    apply_facts(CattlePaid(STOCK, seat, 30, "given"), TurnBegun(seat))
    return state
