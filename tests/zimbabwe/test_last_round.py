"""A forced win in the last round is proven, not guessed; chances, hints, analyses and bots use it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from hypothesis import given

from tests.zimbabwe.random_play import Recipe, play, recipes
from zimcore.analysis.judgement import judge_position
from zimcore.bots.bot import view_for
from zimcore.bots.levels import StrongBot
from zimcore.chances import WINS_BY_FORCE, chances
from zimcore.game import Seat
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.chances.last_round import forced_winner, max_overshoot
from zimcore.games.zimbabwe.state import State
from zimcore.reasons import reason_for_turn

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from recordings import script_steps

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


def overshoot(state: State, seat: Seat) -> int:
    return state.vp[seat] - state.vr[seat]


def test_no_recorded_player_gained_more_than_the_bound() -> None:
    checked_count = 0
    for states in recorded_positions().values():
        for state, round_end in turns_and_round_ends(states):
            for seat in seats_yet_to_act(state):
                assert overshoot(round_end, seat) <= max_overshoot(state, seat)
                checked_count += 1
    assert checked_count > 100


@given(recipes())
def test_no_random_player_gains_more_than_the_bound(recipe: Recipe) -> None:
    options = {name: recipe.options[name] for name in ("players", "gods", "vr")}  # house rules: nothing is proven
    for state, round_end in turns_and_round_ends(
        [move.outcome.state for move in play(recipe._replace(options=options), 60)]
    ):
        for seat in seats_yet_to_act(state):
            assert overshoot(round_end, seat) <= max_overshoot(state, seat)


def test_a_seat_that_wins_by_force_has_won_in_recorded_games() -> None:
    forced_win_count = 0
    for states in recorded_positions().values():
        for state in states:
            if (winner := forced_winner(state)) and winner not in seats_yet_to_act(state):
                assert winner == states[-1].winner
                forced_win_count += 1
    assert forced_win_count > 0


def test_a_forced_win_is_certain_and_named() -> None:
    """Lozi is the first of four to act in the last round of a recorded game, and can't be caught after its raise."""
    states = recorded_positions()["bot-4p-007"]
    state, seat = states[130], "lozi"
    assert (state.turn.seat, forced_winner(state), forced_winner(states[131])) == (seat, "", seat)
    assert chances(GAME, state)[seat].mean < 1 == chances(GAME, states[131])[seat].mean
    (best_turn, *_) = judge_position(GAME, state, seat, 400).ranked_turns
    assert best_turn.chances[seat].mean == 1
    assert reason_for_turn(GAME, state, seat, best_turn.turn.commands).startswith(WINS_BY_FORCE)
    assert StrongBot().choose(view_for(GAME, state, seat), 0, Random(1)).why.endswith(WINS_BY_FORCE)


def test_a_lead_is_not_forced_while_a_rival_can_pay_for_enough() -> None:
    """Kilwa is 1 above its VR in the last round for two, and Mutapa, 4 below, has yet to act."""
    state = recorded_positions()["mixed-2p-10028"][77]
    assert (seats_yet_to_act(state), overshoot(state, "kilwa"), overshoot(state, "mutapa")) == (("mutapa",), 1, -4)
    assert forced_winner(state) == ""
    assert chances(GAME, state)["kilwa"].mean < 1
    state_without_cattle = state.copy()
    state_without_cattle.cattle["mutapa"] = 0
    assert forced_winner(state_without_cattle) == "kilwa"
