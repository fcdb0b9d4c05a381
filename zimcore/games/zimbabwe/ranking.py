"""Ranks players at the end of a round, or at any time as if the round ended then, and says what decided."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.state import State


def ranking(state: State) -> tuple[Seat, ...]:
    """Players by R-END-02, best first: overshoot, then Xango, then VP, then the order of this round.

    With `xango=absolute`, Xango's adorer comes first of all who have reached their VR.
    """
    is_xango_absolute = state.setup.xango == "absolute"

    def sort_key(seat: Seat) -> tuple[bool, int, bool, int, int]:
        wins_ties = state.god_modifiers(seat).wins_ties
        vp, vr = state.vp[seat], state.vr[seat]
        turn_index = state.order.index(seat) if seat in state.order else 0
        return (not (is_xango_absolute and wins_ties and vp >= vr), vr - vp, not wins_ties, -vp, turn_index)

    return tuple(sorted(state.seats, key=sort_key))


def deciding_reason(state: State) -> str:
    """What put the winner before the second player; "" if only one has reached their VR (R-END-02)."""
    if len(state.seats_at_vr) < 2:
        return ""
    winner, runner_up = state.seats_at_vr[:2]
    if state.god_modifiers(winner).wins_ties and state.setup.xango == "absolute":
        return "Xango comes before all others"
    if state.vp[winner] - state.vr[winner] > state.vp[runner_up] - state.vr[runner_up]:
        return "furthest above the VR"
    if state.god_modifiers(winner).wins_ties:
        return "Xango breaks the tie"
    return "the tie goes to more VP" if state.vp[winner] > state.vp[runner_up] else "the tie goes to the earlier turn"
