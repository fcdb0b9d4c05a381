"""Previews the end of the round, as if it came now: revenues by source, and the ranking."""

from __future__ import annotations

import msgspec

from zimcore.game import Seat
from zimcore.games.zimbabwe.events import STOCK
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.rules.revenues import revenues
from zimcore.games.zimbabwe.state import State


class Standing(msgspec.Struct, frozen=True):
    """A player in the provisional ranking; `margin` is VP - VR, negative until the player has reached their VR."""

    seat: Seat
    vp: int
    vr: int
    margin: int
    has_reached_vr: bool


def revenue_by_source(state: State, seat: Seat) -> dict[str, int]:
    """A player's revenues in phase III: from each of their cards, as income, and from their god."""
    return {
        reason if payer == STOCK else payer.partition("/")[2]: amount
        for payer, amount, reason in revenues(state, seat)
        if amount
    }


def provisional_ranking(state: State) -> list[Standing]:
    """All players as phase IV would compare them (R-END-02), best first."""
    return [
        Standing(seat, vp, vr, vp - vr, vp >= vr)
        for seat in ranking(state)
        for vp, vr in [(state.vp[seat], state.vr[seat])]
    ]
