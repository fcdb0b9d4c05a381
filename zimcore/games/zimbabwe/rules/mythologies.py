"""Phase IV: which players have reached their victory requirement, and who wins."""

from __future__ import annotations

from zimcore.games.zimbabwe.events import MythologiesCompared
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.rules.generosity import begin_round
from zimcore.games.zimbabwe.rules.rule import Draft


def compare_mythologies(draft: Draft) -> None:
    """Ends the game (R-END-01, R-END-04) or begins the next round (R-END-03)."""
    state = draft.state
    ranked_seats = ranking(state)
    seats_at_vr = tuple(seat for seat in ranked_seats if state.vp[seat] >= state.vr[seat])
    is_last_round = state.setup.max_rounds is not None and state.round >= state.setup.max_rounds
    winner = seats_at_vr[0] if seats_at_vr else ranked_seats[0] if is_last_round else None
    draft.happen(MythologiesCompared(seats_at_vr, winner))
    if not winner:
        begin_round(draft)
