"""The features of each seat for the chances model, in the game's units. Hidden cards are only counted.

So chances depend on the viewer: a visible hand says more than a hidden one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Seat
from zimcore.games.africana.state import State
from zimcore.games.africana.strategy.features import FEATURES as STRATEGY_FEATURES
from zimcore.games.africana.strategy.features import features as strategy_features

MATCH_FEATURES = ("two", "three", "four", "round", "left", "ending")
"""The number of players, the round, the expeditions left, and whether this is the last round."""
RIVAL_FEATURES = ("lead", "lead_to_come", "most_cards", "acts")
"""The lead in VP over the best other seat; the same with VP still to come; the lead in cards over the other seat with
most cards; and the part of the round that passes before the seat acts (0 in its own turn)."""
FEATURES: Sequence[str] = (*MATCH_FEATURES, *STRATEGY_FEATURES, *RIVAL_FEATURES)
"""The names of a seat's features, in their order."""
TERMS: Mapping[str, Sequence[str]] = {
    "points": ("vp", "lead"),
    "what is still to be done": ("lead_to_come", "expeditions", "adventures", "nearest", "contested"),
    "what could still be joined": ("chances", "markers"),
    "cards": ("cards", "colours", "helpers", "most_cards"),
    "silver": ("silver",),
    "whose turn it is": ("acts",),
}
"""Groups of features, named in a player's words."""

VP_INDEX = STRATEGY_FEATURES.index("vp")
CARDS_INDEX = STRATEGY_FEATURES.index("cards")
TO_COME_INDEXES = (STRATEGY_FEATURES.index("expeditions"), STRATEGY_FEATURES.index("adventures"))
"""Where the strategy's features say how many VP are still to come."""


def features(state: State) -> dict[Seat, list[float]]:
    """The features of each seat, in the order of `FEATURES`."""
    seats = state.seats
    strategy_rows = {seat: strategy_features(state, seat) for seat in seats}
    vp_to_come = {
        seat: row[VP_INDEX] + sum(row[index] for index in TO_COME_INDEXES) for seat, row in strategy_rows.items()
    }
    expeditions_left = float(len(state.stack) + sum(map(bool, state.spaces)))
    match_features = [
        *(float(len(seats) == player_count) for player_count in (2, 3, 4)),
        float(state.round),
        expeditions_left,
        float(state.ending),
    ]
    current_index = seats.index(state.turn.seat) if state.turn.seat in seats else 0
    features_by_seat = {}
    for index, seat in enumerate(seats):
        other_seats = [other_seat for other_seat in seats if other_seat != seat]
        rival_features = [
            strategy_rows[seat][VP_INDEX] - max(strategy_rows[other_seat][VP_INDEX] for other_seat in other_seats),
            vp_to_come[seat] - max(vp_to_come[other_seat] for other_seat in other_seats),
            strategy_rows[seat][CARDS_INDEX]
            - max(strategy_rows[other_seat][CARDS_INDEX] for other_seat in other_seats),
            ((index - current_index) % len(seats)) / len(seats),
        ]
        features_by_seat[seat] = [*match_features, *strategy_rows[seat], *rival_features]
    return features_by_seat
