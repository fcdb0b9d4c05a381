"""Phase IV: who has reached the own victory requirement, and who wins."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.events import MythologiesCompared
from zimcore.games.zimbabwe.rules.generosity import begin_round
from zimcore.games.zimbabwe.rules.rule import Draft
from zimcore.games.zimbabwe.state import State


def ranking(state: State) -> tuple[Seat, ...]:
    """Players by R-END-02, best first: overshoot, then Xango, then VP, then the order of this round.

    With `xango=absolute` Xango comes first of all, of those who have reached their VR.
    """
    absolute = state.setup.xango == "absolute"

    def key(seat: Seat) -> tuple[bool, int, bool, int, int]:
        wins_ties = state.blessing(seat).wins_ties
        vp, vr = state.vp[seat], state.vr[seat]
        place = state.order.index(seat) if seat in state.order else 0
        return (not (absolute and wins_ties and vp >= vr), vr - vp, not wins_ties, -vp, place)

    return tuple(sorted(state.seats, key=key))


def compare_mythologies(draft: Draft) -> None:
    """Ends the game (R-END-01, R-END-04) or begins the next round (R-END-03)."""
    state = draft.state
    best = ranking(state)
    reached = tuple(seat for seat in best if state.vp[seat] >= state.vr[seat])
    last = state.setup.max_rounds is not None and state.round >= state.setup.max_rounds
    winner = reached[0] if reached else best[0] if last else None
    draft.happen(MythologiesCompared(reached, winner))
    if not winner:
        begin_round(draft)
