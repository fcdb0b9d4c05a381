"""The movement planner: which locations an explorer can reach in this action, and the cheapest way to each.

It uses only what is certain: cards in hand, silver, and rewards for joining and ending on the way. A travel card drawn
on the way may have any colour, so it only pays for a step by recolouring. The cheapest way spends the least silver on
recolouring, then the fewest travel cards, then the fewest steps.

The search is exact. Ending an expedition or an adventure never hurts, and neither does joining while there are markers
for every expedition: both are done at once. If markers are short, it tries both joining and not joining.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.africana.cards import JOKER, UNKNOWN, Card, add_cards, assistant, is_travel, remove_cards
from zimcore.games.africana.commands import EndAdventure, EndExpedition, Join, Move
from zimcore.games.africana.components import LocationName
from zimcore.games.africana.rules.expeditions import joining_bonus
from zimcore.games.africana.rules.moving import pays_as_is
from zimcore.games.africana.state import State

Cost = tuple[int, int, int]
"""Silver for recolouring, travel cards used, steps."""

Deeds = tuple[str, ...]
"""The expeditions joined (`+A03`) and cards ended (`A03`, `N05`) on the way, sorted."""

WayCommand = Move | Join | EndExpedition | EndAdventure
"""A command on the way: a step (`Move`), a join or an ending."""


class Spot(NamedTuple):
    """A location reached, with the cards left and what was done on the way."""

    place: LocationName
    hand: tuple[Card, ...]
    deeds: Deeds = ()


class Way(NamedTuple):
    """A way to a location: its cost, and its commands, joins and endings included."""

    to: LocationName
    silver: int
    travel_cards: int
    steps: int
    commands: tuple[WayCommand, ...]


def cheapest_ways(state: State, seat: Seat) -> dict[LocationName, Way]:
    """The cheapest way to each location that a player can reach by a movement action, from this position on.

    The explorer's location comes first, then the others by cost.
    """
    planner = Planner(state, seat)
    way_by_place: dict[LocationName, Way] = {}
    for cost, spot, commands in planner.reachable_spots():
        if spot.place not in way_by_place:
            way_by_place[spot.place] = Way(spot.place, *cost, commands)
    return way_by_place


def ways_this_turn(state: State, seat: Seat) -> dict[LocationName, Way]:
    """The ways that are possible in this turn: only the explorer's location if the turn has another action."""
    all_ways, turn = cheapest_ways(state, seat), state.turn
    if turn.seat == seat and (turn.over or turn.action not in ("", "move")):
        return {place: way for place, way in all_ways.items() if not way.steps}
    return all_ways


class Planner:
    """A search for ways from one position."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.state = state
        self.seat = seat
        self.atlas = state.map
        self.face_up_expeditions = [card for card in state.spaces if card in self.atlas.expeditions]
        self.joined_expeditions = {card for card in self.face_up_expeditions if seat in state.markers.get(card, ())}
        self.drawable_count = len(state.pile) + len(state.discards)

    def reachable_spots(self) -> Iterator[tuple[Cost, Spot, tuple[WayCommand, ...]]]:
        """Yields all spots within reach, the cheapest first, each once."""
        push_numbers = count()
        start_spot = Spot(self.state.places[self.seat], self.state.hands[self.seat])
        queue: list[tuple[Cost, int, Spot, tuple[WayCommand, ...]]] = [
            ((0, 0, 0), next(push_numbers), *self.after_helpful_commands(start_spot, ()))
        ]
        visited_spots = set()
        while queue:
            cost, _, spot, commands = heappop(queue)
            if spot in visited_spots:
                continue
            visited_spots.add(spot)
            yield cost, spot, commands
            for step_cost, next_spot, command in self.next_steps(spot, cost[0]):
                total_cost = (cost[0] + step_cost[0], cost[1] + step_cost[1], cost[2] + step_cost[2])
                heappush(
                    queue,
                    (total_cost, next(push_numbers), *self.after_helpful_commands(next_spot, (*commands, command))),
                )

    def after_helpful_commands(
        self, spot: Spot, commands: tuple[WayCommand, ...]
    ) -> tuple[Spot, tuple[WayCommand, ...]]:
        """A spot after all helpful commands there."""
        has_moved = bool(self.state.table) or any(isinstance(earlier, Move) for earlier in commands)
        while command := next(self.helpful_commands(spot, has_moved), None):
            spot, commands = self.spot_after(spot, command), (*commands, command)
        return spot, commands

    def helpful_commands(self, spot: Spot, has_moved: bool) -> Iterator[Join | EndExpedition | EndAdventure]:
        """Commands that can only help: endings, if allowed now, and joins while markers are not short."""
        if has_moved or not self.state.has_house_rule("ending"):
            yield from self.endings(spot)
        if len(self.open_expeditions(spot)) <= self.markers_left(spot):
            yield from self.joins(spot)

    def endings(self, spot: Spot) -> Iterator[EndExpedition | EndAdventure]:
        """The expeditions and adventures that can be ended here."""
        for card in self.state.unfinished[self.seat]:
            if card not in spot.deeds and self._target(card) == spot.place:
                yield EndAdventure(card)
        for card in self.face_up_expeditions:
            may_end = card in self.joined_expeditions or (
                f"+{card}" in spot.deeds and not self.state.has_house_rule("joined")
            )
            may_end = may_end and card not in self.state.joined_this_turn
            if may_end and card not in spot.deeds and self.atlas.expeditions[card].target == spot.place:
                yield EndExpedition(card)

    def _target(self, card: str) -> LocationName | None:
        return self.atlas.adventures[card].target if card in self.atlas.adventures else None

    def open_expeditions(self, spot: Spot) -> list[str]:
        """The expeditions that the player has not joined."""
        return [
            card
            for card in self.face_up_expeditions
            if card not in self.joined_expeditions and f"+{card}" not in spot.deeds
        ]

    def markers_left(self, spot: Spot) -> int:
        """The markers left (A-JOIN-05)."""
        joined_count = sum(deed[0] == "+" for deed in spot.deeds)
        return (
            self.state.markers_left(self.seat)
            - joined_count
            + sum(deed in self.face_up_expeditions for deed in spot.deeds)
        )

    def joins(self, spot: Spot) -> Iterator[Join]:
        """The expeditions that can be joined here."""
        if self.markers_left(spot):
            yield from (
                Join(card) for card in self.open_expeditions(spot) if self.atlas.expeditions[card].start == spot.place
            )

    def next_steps(self, spot: Spot, silver_paid: int) -> Iterator[tuple[Cost, Spot, WayCommand]]:
        """Each next step with its cost; joins too, if markers are short."""
        yield from (((0, 0, 0), self.spot_after(spot, join), join) for join in self.joins(spot))
        cards, can_recolour = (
            sorted(set(spot.hand)),
            self.silver_left(spot, silver_paid) >= self.state.box.costs.recolouring,
        )
        for place in self.atlas.neighbours[spot.place]:
            for card in cards:
                pays_unchanged = pays_as_is(self.state, card, place)
                if pays_unchanged or (can_recolour and card != JOKER):
                    silver = 0 if pays_unchanged else self.state.box.costs.recolouring
                    next_spot = Spot(place, remove_cards(spot.hand, card), spot.deeds)
                    yield (silver, int(is_travel(card)), 1), next_spot, Move(place, card, not pays_unchanged)

    def silver_left(self, spot: Spot, silver_paid: int) -> int:
        """The silver left after paying `silver_paid` on the way."""
        return self.state.silver[self.seat] - silver_paid + sum(map(self._silver_for, spot.deeds))

    def _silver_for(self, deed: str) -> int:
        if deed[0] == "+":
            return joining_bonus(self.state, deed[1:]).silver
        cards = self.atlas.expeditions if deed in self.atlas.expeditions else self.atlas.adventures
        return cards[deed].silver

    def spot_after(self, spot: Spot, command: Join | EndExpedition | EndAdventure) -> Spot:
        """A spot after a join or an ending."""
        cards_won: tuple[Card, ...] = ()
        match command:
            case Join(expedition=card):
                deed, cards_won = f"+{card}", (UNKNOWN,) * self._bonus_draw_count(spot, card)
            case EndExpedition(expedition=card):
                deed = card
            case EndAdventure(adventure=card):
                deed, colour = card, self.atlas.adventures[card].assistant
                cards_won = (assistant(colour),) if colour else ()
        return Spot(spot.place, add_cards(spot.hand, *cards_won), tuple(sorted((*spot.deeds, deed))))

    def _bonus_draw_count(self, spot: Spot, card: str) -> int:
        """The travel cards of a joining bonus, as far as there are cards left (A-DRAW-03)."""
        drawn_count = sum(self._bonus_card_count(deed[1:]) for deed in spot.deeds if deed[0] == "+")
        return min(self._bonus_card_count(card), max(self.drawable_count - drawn_count, 0))

    def _bonus_card_count(self, card: str) -> int:
        return joining_bonus(self.state, card).travel_cards
