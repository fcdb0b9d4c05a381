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
from zimcore.games.africana.components import LocationName
from zimcore.games.africana.rules.expeditions import joining_bonus
from zimcore.games.africana.state import State

Step = Move | Join | EndExpedition | EndAdventure

SILVER_WORTH, CARD_WORTH, ARTIFACT_WORTH, ASSISTANT_WORTH, JOINING_WORTH = 0.25, 0.4, 2.0, 1.0, 1.0
"""The rough worth in VP of a silver, a travel card, an artifact for its collections, an assistant, and joining."""


class Route(NamedTuple):
    """A way: its target, its gain less its cost (about in VP), its commands, and what is done on it."""

    place: LocationName
    gain: float
    commands: tuple[Step, ...]
    deeds: frozenset[str]
    has_recoloured: bool


class Tasks(NamedTuple):
    """What a seat can do: cards to end by target, expeditions to join by start, and markers left."""

    endings_by_target: dict[LocationName, list[tuple[str, float, bool]]]
    joins_by_start: dict[LocationName, list[tuple[str, float]]]
    markers_left: int


@lru_cache(maxsize=8)
def distances(atlas: Atlas) -> dict[LocationName, dict[LocationName, int]]:
    """The fewest steps between any two locations."""
    return {place: _steps_from(atlas, place) for place in atlas.locations}


def _steps_from(atlas: Atlas, place: LocationName) -> dict[LocationName, int]:
    steps_by_place, frontier = {place: 0}, [place]
    for frontier_place in frontier:
        for neighbour in atlas.neighbours[frontier_place]:
            if neighbour not in steps_by_place:
                steps_by_place[neighbour] = steps_by_place[frontier_place] + 1
                frontier.append(neighbour)
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
    endings_by_target: dict[LocationName, list[tuple[str, float, bool]]] = {}
    joins_by_start: dict[LocationName, list[tuple[str, float]]] = {}
    for card in state.unfinished[seat]:
        worth = worth_of_adventure(state, seat, card)
        if worth > 0 or state.has_house_rule("must_end"):
            endings_by_target.setdefault(state.map.adventures[card].target, []).append((card, worth, True))
    for card in state.spaces:
        expedition = state.map.expeditions.get(card)
        if expedition:
            worth = worth_of_expedition(state, card)
            may_end = seat in state.markers.get(card, ()) and card not in state.joined_this_turn
            endings_by_target.setdefault(expedition.target, []).append((card, worth, may_end))
            if seat not in state.markers.get(card, ()):
                bonus = joining_bonus(state, card)
                joining_worth = JOINING_WORTH + SILVER_WORTH * bonus.silver + CARD_WORTH * bonus.travel_cards
                joins_by_start.setdefault(expedition.start, []).append((card, joining_worth))
    return Tasks(endings_by_target, joins_by_start, state.markers_left(seat))


def routes(state: State, seat: Seat) -> list[Route]:
    """The best way to each location within reach, the explorer's own location first."""
    tasks_left, atlas = tasks(state, seat), state.map
    can_recolour = state.silver[seat] >= state.box.costs.recolouring
    start = state.places[seat]
    current_routes = {
        (start, state.hands[seat]): _after_helpful_commands(
            state, tasks_left, Route(start, 0.0, (), frozenset(), not can_recolour)
        )
    }
    best_routes = {start: current_routes[start, state.hands[seat]]}
    while current_routes:
        next_routes: dict[tuple[LocationName, tuple[Card, ...]], Route] = {}
        for (place, hand), route in current_routes.items():
            for target in atlas.neighbours[place]:
                symbols = atlas.locations[target].symbols
                for card in dict.fromkeys(hand):
                    pays_unchanged = card == JOKER or colour_of(card) in symbols
                    if card == UNKNOWN or (not pays_unchanged and route.has_recoloured):
                        continue
                    cost = CARD_WORTH * is_travel(card) + (
                        0 if pays_unchanged else SILVER_WORTH * state.box.costs.recolouring
                    )
                    route_commands = (*route.commands, Move(target, card, not pays_unchanged))
                    moved_route = Route(
                        target,
                        route.gain - cost,
                        route_commands,
                        route.deeds,
                        route.has_recoloured or not pays_unchanged,
                    )
                    settled_route, key = (
                        _after_helpful_commands(state, tasks_left, moved_route),
                        (target, remove_cards(hand, card)),
                    )
                    if key not in next_routes or settled_route.gain > next_routes[key].gain:
                        next_routes[key] = settled_route
        for route in next_routes.values():
            if route.place not in best_routes or route.gain > best_routes[route.place].gain:
                best_routes[route.place] = route
        current_routes = next_routes
    return [*best_routes.values()]


def _after_helpful_commands(state: State, tasks_left: Tasks, route: Route) -> Route:
    """A way after all joins and endings at its target."""
    place, gain, commands, deeds, has_recoloured = route
    if place not in tasks_left.endings_by_target and place not in tasks_left.joins_by_start:
        return route
    for card, worth in tasks_left.joins_by_start.get(place, ()):
        if f"+{card}" not in deeds and sum(deed[0] == "+" for deed in deeds) < tasks_left.markers_left:
            gain, commands, deeds = gain + worth, (*commands, Join(card)), deeds | {f"+{card}"}
    may_end_nothing = (
        state.has_house_rule("ending")
        and not state.table
        and not any(isinstance(command, Move) for command in commands)
    )
    for card, worth, may_end in () if may_end_nothing else tasks_left.endings_by_target.get(place, ()):
        is_joined_on_way = f"+{card}" in deeds and not state.has_house_rule("joined")
        if card not in deeds and (may_end or is_joined_on_way):
            ending = EndAdventure(card) if card in state.map.adventures else EndExpedition(card)
            gain, commands, deeds = gain + worth, (*commands, ending), deeds | {card}
    return Route(place, gain, commands, deeds, has_recoloured)
