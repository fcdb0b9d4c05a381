"""The best way to each location that an explorer can reach in a turn, with its commands.

The movement planner is exact but slow. This one is for bots that call it thousands of times: it keeps one way for each
location and hand, recolours at most one card, and counts on no card drawn on the way.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.africana.atlas import Atlas
from zimcore.games.africana.cards import JOKER, UNKNOWN, Card, colour_of, is_travel, remove_cards
from zimcore.games.africana.commands import EndAdventure, EndExpedition, Join, Move
from zimcore.games.africana.components import Place
from zimcore.games.africana.rules.expeditions import joining_bonus
from zimcore.games.africana.state import State

Step = Move | Join | EndExpedition | EndAdventure

SILVER_WORTH, CARD_WORTH, ARTIFACT_WORTH, ASSISTANT_WORTH, JOINING_WORTH = 0.25, 0.4, 2.0, 1.0, 1.0
"""The rough worth in VP of a silver, a travel card, an artifact for its collections, an assistant, and joining."""


class Route(NamedTuple):
    """A way: its target, its gain less its cost (about in VP), its commands, and what is done on it."""

    place: Place
    gain: float
    commands: tuple[Step, ...]
    done: frozenset[str]
    recoloured: bool


class Tasks(NamedTuple):
    """What a seat can do: cards to end by target, expeditions to join by start, and markers left."""

    ends: dict[Place, list[tuple[str, float, bool]]]
    joins: dict[Place, list[tuple[str, float]]]
    markers: int


@lru_cache(maxsize=8)
def distances(atlas: Atlas) -> dict[Place, dict[Place, int]]:
    """The fewest steps between any two locations."""
    return {place: _steps_from(atlas, place) for place in atlas.locations}


def _steps_from(atlas: Atlas, place: Place) -> dict[Place, int]:
    steps_by_place, edge = {place: 0}, [place]
    for current in edge:
        for neighbour in atlas.neighbours[current]:
            if neighbour not in steps_by_place:
                steps_by_place[neighbour] = steps_by_place[current] + 1
                edge.append(neighbour)
    return steps_by_place


def worth_of_expedition(state: State, card: str) -> float:
    """The worth of ending an expedition, about in VP."""
    expedition = state.map.expeditions[card]
    return expedition.vp + SILVER_WORTH * expedition.silver


def worth_of_adventure(state: State, seat: Seat, card: str) -> float:
    """The worth of ending an adventure, about in VP: a second assistant costs some (A-SCORE-05)."""
    adventure = state.map.adventures[card]
    if adventure.artifact:
        return adventure.vp + SILVER_WORTH * adventure.silver + ARTIFACT_WORTH
    adventures = state.map.adventures
    has_assistant = any(
        finished_card in adventures and adventures[finished_card].assistant for finished_card in state.finished[seat]
    )
    return -ASSISTANT_WORTH if has_assistant else ASSISTANT_WORTH


def tasks(state: State, seat: Seat) -> Tasks:
    """The tasks of a seat."""
    ends: dict[Place, list[tuple[str, float, bool]]] = {}
    joins: dict[Place, list[tuple[str, float]]] = {}
    for card in state.unfinished[seat]:
        worth = worth_of_adventure(state, seat, card)
        if worth > 0 or state.has_house_rule("must_end"):
            ends.setdefault(state.map.adventures[card].target, []).append((card, worth, True))
    for card in state.spaces:
        expedition = state.map.expeditions.get(card)
        if expedition:
            worth = worth_of_expedition(state, card)
            may_end = seat in state.markers.get(card, ()) and card not in state.joined
            ends.setdefault(expedition.target, []).append((card, worth, may_end))
            if seat not in state.markers.get(card, ()):
                bonus = joining_bonus(state, card)
                immediate_worth = JOINING_WORTH + SILVER_WORTH * bonus.silver + CARD_WORTH * bonus.travel_cards
                joins.setdefault(expedition.start, []).append((card, immediate_worth))
    return Tasks(ends, joins, state.markers_left(seat))


def routes(state: State, seat: Seat) -> list[Route]:
    """The best way to each location within reach, the explorer's own location first."""
    tasks_left, atlas = tasks(state, seat), state.map
    can_recolour = state.silver[seat] >= state.box.costs.recolouring
    start = state.places[seat]
    layer = {
        (start, state.hands[seat]): _settle(state, tasks_left, Route(start, 0.0, (), frozenset(), not can_recolour))
    }
    best = {start: layer[start, state.hands[seat]]}
    while layer:
        next_routes: dict[tuple[Place, tuple[Card, ...]], Route] = {}
        for (place, hand), route in layer.items():
            for target in atlas.neighbours[place]:
                symbols = atlas.locations[target].symbols
                for card in dict.fromkeys(hand):
                    pays_as_is = card == JOKER or colour_of(card) in symbols
                    if card == UNKNOWN or (not pays_as_is and route.recoloured):
                        continue
                    cost = CARD_WORTH * is_travel(card) + (
                        0 if pays_as_is else SILVER_WORTH * state.box.costs.recolouring
                    )
                    route_commands = (*route.commands, Move(target, card, not pays_as_is))
                    moved_route = Route(
                        target, route.gain - cost, route_commands, route.done, route.recoloured or not pays_as_is
                    )
                    settled, key = _settle(state, tasks_left, moved_route), (target, remove_cards(hand, card))
                    if key not in next_routes or settled.gain > next_routes[key].gain:
                        next_routes[key] = settled
        for route in next_routes.values():
            if route.place not in best or route.gain > best[route.place].gain:
                best[route.place] = route
        layer = next_routes
    return [*best.values()]


def _settle(state: State, tasks_left: Tasks, route: Route) -> Route:
    """A way after all joins and endings at its target."""
    place, gain, commands, done, recoloured = route
    if place not in tasks_left.ends and place not in tasks_left.joins:
        return route
    for card, worth in tasks_left.joins.get(place, ()):
        if f"+{card}" not in done and sum(name[0] == "+" for name in done) < tasks_left.markers:
            gain, commands, done = gain + worth, (*commands, Join(card)), done | {f"+{card}"}
    may_end_nothing = (
        state.has_house_rule("ending")
        and not state.table
        and not any(isinstance(command, Move) for command in commands)
    )
    for card, worth, may_end in () if may_end_nothing else tasks_left.ends.get(place, ()):
        is_joined_on_way = f"+{card}" in done and not state.has_house_rule("joined")
        if card not in done and (may_end or is_joined_on_way):
            ending = EndAdventure(card) if card in state.map.adventures else EndExpedition(card)
            gain, commands, done = gain + worth, (*commands, ending), done | {card}
    return Route(place, gain, commands, done, recoloured)
