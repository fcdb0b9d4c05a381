"""A forced win in the last round is proven, not guessed; chances, hints, analyses and bots use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from random import Random

from hypothesis import given
from msgspec.structs import replace

from tests.recordings import script_steps
from tests.zimbabwe.random_play import Recipe, play, recipes
from zimcore.analysis.judgement import judge_position
from zimcore.bots.bot import view_for
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import QuickBot, StrongBot
from zimcore.chances import WINS_BY_FORCE, chances
from zimcore.game import Seat
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.chances.last_round import forced_winner, most_standing, winning_turn
from zimcore.games.zimbabwe.chances.last_turn import solve_turn, standing
from zimcore.games.zimbabwe.commands import SetPrices
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, NO_SQUARES
from zimcore.games.zimbabwe.planner import best_raises
from zimcore.games.zimbabwe.rules.monuments import may_raise
from zimcore.games.zimbabwe.rules.rule import RULEBOOK, is_legal
from zimcore.games.zimbabwe.state import State
from zimcore.reasons import reason_for_turn

GAMES_FOLDER = Path(__file__).parents[1] / "games"

States = list[State]


@cache
def recorded_positions() -> dict[str, States]:
    """All positions of the recorded games."""
    steps_by_name = {path.stem: script_steps(path.read_text("utf-8")) for path in sorted(GAMES_FOLDER.glob("*.zim"))}
    return {
        name: [*(state for state, _, _ in moves), last_state] for name, (moves, last_state) in steps_by_name.items()
    }


def seats_yet_to_act(state: State) -> tuple[Seat, ...]:
    """The seats that have yet to act in this round, or to finish their turn."""
    return state.order[state.order.index(state.turn.seat) :] if state.phase == "actions" else ()


def turns_and_round_ends(states: States) -> Iterator[tuple[State, State]]:
    """Each position where a turn begins, with the position when its round is over."""
    for index, state in enumerate(states):
        if state.phase == "actions" and not (state.turn.action or state.turn.card or state.turn.used):
            round_end = next(
                (
                    later_state
                    for later_state in states[index:]
                    if (later_state.round, later_state.phase) != (state.round, "actions")
                ),
                None,
            )
            if round_end:
                yield state, round_end


def assert_is_within_bound(round_end: State, state: State, seat: Seat) -> None:
    bound, vp = most_standing(state, seat), round_end.vp[seat]
    assert (vp <= bound.vp, vp - round_end.vr[seat] <= bound.overshoot) == (True, True)
    assert round_end.god_modifiers(seat).wins_ties <= bound.wins_ties


def test_no_recorded_player_gained_more_than_the_bound() -> None:
    checked_count = 0
    for states in recorded_positions().values():
        for state, round_end in turns_and_round_ends(states):
            for seat in seats_yet_to_act(state):
                assert_is_within_bound(round_end, state, seat)
                checked_count += 1
    assert checked_count > 100


@given(recipes())
def test_no_random_player_gains_more_than_the_bound(recipe: Recipe) -> None:
    options = {name: recipe.options[name] for name in ("players", "gods")}  # other rules: nothing is proven
    for state, round_end in turns_and_round_ends(
        [move.outcome.state for move in play(recipe._replace(options=options), 60)]
    ):
        for seat in seats_yet_to_act(state):
            assert_is_within_bound(round_end, state, seat)


def test_a_seat_that_wins_by_force_has_won_in_recorded_games() -> None:
    forced_win_count = 0
    for states in recorded_positions().values():
        for state in states:
            if (winner := forced_winner(state)) and winner not in seats_yet_to_act(state):
                assert winner == states[-1].winner
                forced_win_count += 1
    assert forced_win_count > 10


def test_no_turn_is_better_than_a_solved_one() -> None:
    """The best of turns at random and of raises after each preparation: the solver must not rule it out."""
    rng, checked_counts = Random(5), Counter[str]()
    for number, state in enumerate(islice(played_positions(), 40, None, 2)):
        seat = state.turn.seat
        if state.phase != "actions" or state.turn.action or seats_yet_to_act(state)[1:]:
            continue
        cattle, vp = state.cattle[seat] + 4, state.vp[seat] + 40
        owners = dict.fromkeys(state.specialists, seat) if number % 3 else state.specialists
        gods = {seat: "dziva"} if number % 3 == 2 else state.adores
        state_at_vr = replace(
            state, specialists=owners, adores=gods, cattle={**state.cattle, seat: cattle}, vp={**state.vp, seat: vp}
        )
        positions = [last_position_of_turn(state_at_vr, rng) for _ in range(5)]
        positions += list(raised_states(state_at_vr, seat, rng))
        best = max(standing(position, seat) for position in positions)
        solution = solve_turn(state_at_vr, best._replace(earliness=best.earliness - 1))
        assert not solution.is_hopeless
        checked_counts["found" if solution.commands else "open"] += 1
    assert checked_counts["found"] > 20


def raised_states(state: State, seat: Seat, rng: Random) -> Iterator[State]:
    """The positions after the raise with most VP: at once, and after a god or a specialist that places something."""
    commands = [
        *([command] for group in GROUPED_KINDS["adore"].all_groups(state) for command in group.commands(state)),
        *(
            rng.sample(all_uses, min(len(all_uses), 12))
            for kind in ("use", "hire")
            for group in GROUPED_KINDS[kind].all_groups(state)
            if group.find_places() != NO_SQUARES
            for all_uses in [[*group.commands(state)]]
        ),
    ]
    legal_commands = [command for command in chain.from_iterable(commands) if is_legal(state, seat, command)]
    prices = SetPrices(tuple((type_, 1) for type_, card in state.technologies_of(seat).items() if card.price > 1))
    legal_commands += [prices] if prices.prices and state.may_price_freely(seat) else []
    for prepared_state in (state, *(RULEBOOK.apply(state, seat, command).state for command in legal_commands)):
        if may_raise(prepared_state, seat) and (plans := best_raises(prepared_state, seat).plans):
            yield RULEBOOK.apply(prepared_state, seat, plans[0].command).state


def played_positions() -> Iterator[State]:
    """Positions of matches that `quick` plays in both seats."""
    for seed in range(8):
        state = RULEBOOK.apply(GAME.evolution.initial(), "", GAME.rules.set_up({"players": "2"}, seed)).state
        for seat, command in play_bots(GAME, [(QuickBot(), 0)] * 2, {"players": "2"}, seed).moves:
            yield state
            state = RULEBOOK.apply(state, seat, command).state


def last_position_of_turn(state: State, rng: Random) -> State:
    """The position before the end of a turn that is drawn at random."""
    seat = state.turn.seat
    while command := GAME.rules.legal(state, seat).sample(rng):
        next_state = RULEBOOK.apply(state, seat, command).state
        if next_state.turn.seat != seat or next_state.phase != "actions":
            break
        state = next_state
    return state


def test_a_winning_turn_wins_by_the_rules() -> None:
    """Each is played to the end of the turn; then the match is over, or no later seat can do anything about it."""
    checked_counts = Counter[str]()
    for state in chain.from_iterable(recorded_positions().values()):
        if commands := winning_turn(state):
            seat, end_state = state.turn.seat, state
            for command in commands:
                assert is_legal(end_state, seat, command)
                end_state = RULEBOOK.apply(end_state, seat, command).state
            assert end_state.winner == seat or forced_winner(end_state) == seat
            checked_counts[end_state.phase] += 1
    assert min(checked_counts["over"], checked_counts["actions"]) > 3


def test_a_forced_win_is_certain_and_named() -> None:
    """Lozi is the first of four to act in the last round of a recorded game, and can't be caught after its raise."""
    states = recorded_positions()["bot-4p-007"]
    state, seat = states[130], "lozi"
    assert (state.turn.seat, forced_winner(state), forced_winner(states[131])) == (seat, seat, seat)
    assert forced_winner(states[129]) == ""
    assert chances(GAME, states[129])[seat].mean < 1
    assert chances(GAME, state)[seat].mean == chances(GAME, states[131])[seat].mean == 1
    (best_turn, *_) = judge_position(GAME, state, seat, 400).ranked_turns
    assert best_turn.chances[seat].mean == 1
    assert reason_for_turn(GAME, state, seat, best_turn.turn.commands).startswith(WINS_BY_FORCE)
    choice = StrongBot().choose(view_for(GAME, state, seat), 0, Random(1))
    assert (choice.command, choice.why) == (winning_turn(state)[0], WINS_BY_FORCE)


def test_a_lead_is_not_forced_while_a_rival_can_pay_for_enough() -> None:
    """Kilwa is 1 above its VR in the last round for two, and Mutapa, 4 below, has yet to act."""
    state = recorded_positions()["mixed-2p-10028"][77]
    assert (seats_yet_to_act(state), *(standing(state, seat).overshoot for seat in ("kilwa", "mutapa"))) == (
        ("mutapa",),
        1,
        -4,
    )
    assert forced_winner(state) == ""
    assert chances(GAME, state)["kilwa"].mean < 1
    state_without_cattle = state.copy()
    state_without_cattle.cattle["mutapa"] = 0
    assert forced_winner(state_without_cattle) == "kilwa"
