"""Proves who wins in the last round, where the rest of it is simple enough.

A match ends with the round in which a seat has reached its VR, and no seat can take points from another. So a seat wins
by force if it leads and no other can still gain enough in this round: the turn of the seat to move is solved, what
later seats can gain is bounded from above. Nothing is estimated: the seat that is named here wins whatever the others
play.
"""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.chances.last_turn import (
    VP_PER_CATTLE,
    Standing,
    god_vr,
    loose_vp_gain,
    solve_turn,
    standing,
)
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.components import CONSTANTS, GODS
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.rules.rule import RULEBOOK
from zimcore.games.zimbabwe.state import State

MAX_BUILT_VP = max(god.monuments for god in GODS.values()) * CONSTANTS.level_vp[1]
"""The most VP by building monuments in a turn."""


def forced_winner(state: State) -> Seat:
    """The seat that wins this round by force, if that can be proven; otherwise ""."""
    if not _is_provable(state):
        return ""
    leader = ranking(state)[0]
    if state.vp[leader] >= state.vr[leader] and _is_safe(state, leader):
        return leader
    return state.turn.seat if winning_turn(state) else ""


def winning_turn(state: State) -> tuple[AnyCommand, ...]:
    """Commands with which the seat to move wins by force, to the end of its turn; none if none are found."""
    if not _is_provable(state):
        return ()
    seat = state.turn.seat
    goal = max(standing(state, other_seat) for other_seat in state.seats if other_seat != seat)
    most = most_standing(state, seat)
    if most.overshoot < 0 or most <= goal:
        return ()
    later_seats = _later_seats(state)
    bounds = [most_standing(state, later_seat) for later_seat in later_seats]
    goals = [max(goal, *bounds)] if bounds else [goal]
    if len(later_seats) == 1 and goals != [goal]:  # its turn can be solved
        goals.append(goal)
    for each_goal in goals:
        commands = solve_turn(state, each_goal).commands
        if commands and _wins_after(state, seat, commands):
            return commands
    return ()


def _wins_after(state: State, seat: Seat, commands: tuple[AnyCommand, ...]) -> bool:
    for command in commands:
        state = RULEBOOK.apply(state, seat, command).state
    return state.winner == seat or (_is_provable(state) and _is_safe(state, seat))


def _is_provable(state: State) -> bool:
    """Whether proofs know the rules at this table, and a turn of the round is to come.

    They hire no specialist only because it takes VR away, as an option can make it.
    """
    knows_options = state.setup.xango != "absolute" and min(state.setup.specialists.values(), default=0) >= 0
    return state.phase == "actions" and not state.house and knows_options


def _later_seats(state: State) -> tuple[Seat, ...]:
    return state.order[state.order.index(state.turn.seat) + 1 :]


def _is_safe(state: State, leader: Seat) -> bool:
    """Whether no seat can come before the leader in this round; an empty turn is legal (R-TURN-02)."""
    lead = standing(state, leader)
    if any(seat != leader and most_standing(state, seat) > lead for seat in _later_seats(state)):
        return False
    seat = state.turn.seat
    return seat == leader or most_standing(state, seat) < lead or solve_turn(state, lead).is_hopeless


def most_standing(state: State, seat: Seat) -> Standing:
    """An upper bound of a seat's standing at the end of the round, in its turn or before it.

    Each good counts 1 cattle; a specialist that is hired is paid; a card may lower VR (R-TURN-01).
    """
    gods = _free_gods(state, seat)
    gain, start = _most_vp_gain(state, seat), standing(state, seat)
    vr_change = min((god_vr(state, seat, god) for god in gods), default=0)
    wins_ties = start.wins_ties or any(GODS[god].wins_ties for god in gods)
    return start.gaining(gain, min(0, vr_change))._replace(wins_ties=wins_ties)


def _free_gods(state: State, seat: Seat) -> list[str]:
    """The gods that a seat could adore in its turn."""
    if seat in state.adores or (state.turn.seat == seat and state.turn.card):
        return []
    return [god for god in state.setup.gods if not state.adorer_of(god)]


def _most_vp_gain(state: State, seat: Seat) -> int:
    """An upper bound of the VP by the main action of a turn: raising, placing craftsmen, or building."""
    return max(loose_vp_gain(state, seat), int(state.cattle[seat] * VP_PER_CATTLE), MAX_BUILT_VP)
