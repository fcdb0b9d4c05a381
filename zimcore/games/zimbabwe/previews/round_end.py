"""What the end of the round would bring, if it came now: revenues by their source, and who would win."""

from __future__ import annotations

import msgspec

from zimcore.game import Seat
from zimcore.games.zimbabwe.events import STOCK
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.rules.revenues import revenues
from zimcore.games.zimbabwe.state import State


class Standing(msgspec.Struct, frozen=True):
    """A player in the provisional ranking; `margin` is VP above VR, below zero for who has not `reached` it."""

    seat: Seat
    vp: int
    vr: int
    margin: int
    reached: bool


def revenue_by_source(state: State, seat: Seat) -> dict[str, int]:
    """The cattle that a player would collect in phase III: from each of their cards, as income, and from their god."""
    return {
        reason if payer == STOCK else payer.partition("/")[2]: amount
        for payer, amount, reason in revenues(state, seat)
        if amount
    }


def provisional_ranking(state: State) -> list[Standing]:
    """All players as they would be compared in phase IV (R-END-02), best first."""
    return [
        Standing(seat, vp, vr, vp - vr, vp >= vr)
        for seat in ranking(state)
        for vp, vr in [(state.vp[seat], state.vr[seat])]
    ]
