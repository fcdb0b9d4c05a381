"""How a seat stands: one number a feature, each in the game's terms. Of cards that are not seen it knows how many.

So the chances of a position depend on the viewer: a hand that is known says more than one that is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Seat
from zimcore.games.africana.state import State
from zimcore.games.africana.strategy.features import FEATURES as SEEN
from zimcore.games.africana.strategy.features import features as seen

MATCH = ("two", "three", "four", "round", "left", "ending")
"""Players, round, expeditions that are still to be ended, whether this round is the last."""
RIVALS = ("lead", "lead_to_come", "most_cards", "acts")
"""VP beyond the best other's; with what is still to be done; cards beyond the most of the others; the share of the
round that is over when the seat acts next, 0 for whose turn it is."""
FEATURES: Sequence[str] = (*MATCH, *SEEN, *RIVALS)
"""What the numbers of a seat are, in their order."""
TERMS: Mapping[str, Sequence[str]] = {
    "points": ("vp", "lead"),
    "what is still to be done": ("lead_to_come", "expeditions", "adventures", "nearest", "contested"),
    "what could still be joined": ("chances", "markers"),
    "cards": ("cards", "colours", "helpers", "most_cards"),
    "silver": ("silver",),
    "whose turn it is": ("acts",),
}
"""What belongs together, in a player's words."""

VP, CARDS, TO_COME = SEEN.index("vp"), SEEN.index("cards"), (SEEN.index("expeditions"), SEEN.index("adventures"))


def features(state: State) -> dict[Seat, list[float]]:
    """The numbers of every seat, in the order of `FEATURES`."""
    seats = state.seats
    known = {seat: seen(state, seat) for seat in seats}
    to_come = {seat: row[VP] + sum(row[at] for at in TO_COME) for seat, row in known.items()}
    left = float(len(state.stack) + sum(map(bool, state.spaces)))
    match = [*(float(len(seats) == players) for players in (2, 3, 4)), float(state.round), left, float(state.ending)]
    now = seats.index(state.turn.seat) if state.turn.seat in seats else 0
    found = {}
    for at, seat in enumerate(seats):
        others = [each for each in seats if each != seat]
        rivals = [
            known[seat][VP] - max(known[each][VP] for each in others),
            to_come[seat] - max(to_come[each] for each in others),
            known[seat][CARDS] - max(known[each][CARDS] for each in others),
            ((at - now) % len(seats)) / len(seats),
        ]
        found[seat] = [*match, *known[seat], *rivals]
    return found
