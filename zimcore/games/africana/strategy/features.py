"""The features of a position for a seat, each in terms that a player would recognise.

They use only what the seat knows: the cards of its own hand, and nothing of the pile.
"""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import Seat
from zimcore.games.africana.cards import UNKNOWN, is_travel
from zimcore.games.africana.components import LocationName
from zimcore.games.africana.scoring import score_player
from zimcore.games.africana.state import State
from zimcore.games.africana.strategy.routes import distances, worth_of_adventure, worth_of_expedition

FEATURES: Sequence[str] = (
    *("vp", "silver", "cards", "colours", "helpers"),
    *("expeditions", "adventures", "nearest", "contested", "chances", "markers"),
)
"""VP as if the game ended now; silver; cards in hand up to the limit; the colours among them; jokers and assistants;
joined expeditions and unfinished adventures, each worth less for every step to its target; the best of these again;
those for which a rival is nearer; the best expedition still to join; markers left."""
FADE_PER_STEP = 0.85
"""The factor on the worth of a target for each step to it."""


def features(state: State, seat: Seat) -> list[float]:
    """The features of a seat, in the order of `FEATURES`."""
    hand, hand_limit = state.hands[seat], state.box.limits.hand
    travel_cards = [card for card in hand if is_travel(card)]
    unknown_count = travel_cards.count(UNKNOWN)
    colour_count = len({*travel_cards} - {UNKNOWN}) + 0.7 * unknown_count
    points = float(state.vp[seat] if state.phase == "over" else score_player(state, seat).vp)
    card_count = float(min(len(hand), hand_limit))
    return [
        points,
        float(state.silver[seat]),
        card_count,
        min(colour_count, card_count),
        float(len(hand) - len(travel_cards)),
        *_task_features(state, seat),
    ]


def _task_features(state: State, seat: Seat) -> tuple[float, float, float, float, float, float]:
    """The features from `expeditions` on."""
    if state.phase == "over":
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    all_distances, start = distances(state.map), state.places[seat]
    steps_by_place = all_distances[start]
    expeditions_worth = contested_worth = best_worth = best_chance = 0.0
    for card in state.spaces:
        expedition = state.map.expeditions.get(card)
        if expedition is None:
            continue
        worth, seats_joined = worth_of_expedition(state, card), state.markers.get(card, ())
        if seat in seats_joined:
            faded_worth = worth * fade_factor(steps_by_place[expedition.target])
            expeditions_worth += faded_worth
            best_worth = max(best_worth, faded_worth)
            rival_places = [state.places[rival] for rival in seats_joined if rival != seat]
            if any(
                all_distances[place][expedition.target] < steps_by_place[expedition.target] for place in rival_places
            ):
                contested_worth += faded_worth
        else:
            steps = steps_by_place[expedition.start] + all_distances[expedition.start][expedition.target]
            best_chance = max(best_chance, worth * fade_factor(steps))
    adventure_worths = [
        max(worth_of_adventure(state, seat, card), 0.0) * fade_factor(steps_by_place[state.map.adventures[card].target])
        for card in state.unfinished[seat]
    ]
    return (
        expeditions_worth,
        sum(adventure_worths),
        max([best_worth, *adventure_worths]),
        contested_worth,
        best_chance,
        float(min(state.markers_left(seat), 2)),
    )


def fade_factor(steps: int) -> float:
    """The factor on the worth of a target this many steps away."""
    return float(FADE_PER_STEP**steps)


def outlook(state: State, seat: Seat, place: LocationName, deeds: frozenset[str]) -> float:
    """A rough value of being at a location, for what is left to do after what was done on the way."""
    all_distances = distances(state.map)
    steps_by_place, worth = all_distances[place], 0.0
    for card in state.spaces:
        expedition = state.map.expeditions.get(card)
        if expedition is None or card in deeds:
            continue
        if seat in state.markers.get(card, ()) or f"+{card}" in deeds:
            steps = steps_by_place[expedition.target]
        else:
            steps = steps_by_place[expedition.start] + all_distances[expedition.start][expedition.target] + 2
        worth += worth_of_expedition(state, card) * fade_factor(steps)
    for card in state.unfinished[seat]:
        if card not in deeds:
            worth += max(worth_of_adventure(state, seat, card), 0.0) * fade_factor(
                steps_by_place[state.map.adventures[card].target]
            )
    return worth
