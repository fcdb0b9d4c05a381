"""Ranks players at the end of a round, or at any time as if the round ended then."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.state import State


def ranking(state: State) -> tuple[Seat, ...]:
    """Players by R-END-02, best first: overshoot, then Xango, then VP, then the order of this round.

    With `xango=absolute`, Xango's adorer comes first of all who have reached their VR.
    """
    absolute = state.setup.xango == "absolute"

    def key(seat: Seat) -> tuple[bool, int, bool, int, int]:
        wins_ties = state.god_modifiers(seat).wins_ties
        vp, vr = state.vp[seat], state.vr[seat]
        place = state.order.index(seat) if seat in state.order else 0
        return (not (absolute and wins_ties and vp >= vr), vr - vp, not wins_ties, -vp, place)

    return tuple(sorted(state.seats, key=key))
