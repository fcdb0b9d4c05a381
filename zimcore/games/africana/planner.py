"""The movement planner: which locations an explorer can reach in this action, and the cheapest way to each.

It uses only what is certain: cards in hand, silver, and rewards for joining and ending on the way. A travel card drawn
on the way may have any colour, so it only pays for a step by recolouring. The cheapest way spends the least silver on
recolouring, then the fewest travel cards, then the fewest steps.

The search is exact. Ending never hurts, and neither does joining while there are markers for every expedition: these
are done at once. If markers are short, it tries both joining and not joining.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.africana.cards import JOKER, UNKNOWN, Card, assistant, into, is_travel, without
from zimcore.games.africana.commands import EndAdventure, EndExpedition, Join, Move
from zimcore.games.africana.components import Place
from zimcore.games.africana.rules.expeditions import joining_bonus
from zimcore.games.africana.rules.moving import fits
from zimcore.games.africana.state import State

Cost = tuple[int, int, int]
"""Silver for recolouring, travel cards used, steps."""

Done = tuple[str, ...]
"""The expeditions joined (`+A03`) and cards ended (`A03`, `N05`) on the way, sorted."""

Step = Move | Join | EndExpedition | EndAdventure


class Spot(NamedTuple):
    """A location reached, with the cards left and what was done on the way."""

    place: Place
    hand: tuple[Card, ...]
    done: Done = ()


class Way(NamedTuple):
    """A way to a location: its cost, and its commands, joins and endings included."""

    to: Place
    silver: int
    travel_cards: int
    steps: int
    commands: tuple[Step, ...]


def ways(state: State, seat: Seat) -> dict[Place, Way]:
    """The cheapest way to each location that a player can reach if an action goes on from here.

    The explorer's location comes first, then the others by cost.
    """
    planner = Planner(state, seat)
    by_name: dict[Place, Way] = {}
    for cost, spot, commands in planner.spots():
        if spot.place not in by_name:
            by_name[spot.place] = Way(spot.place, *cost, commands)
    return by_name


def reachable(state: State, seat: Seat) -> dict[Place, Way]:
    """The ways that are possible in this turn: only the explorer's location if the turn has another action."""
    rows, turn = ways(state, seat), state.turn
    if turn.seat == seat and (turn.over or turn.action not in ("", "move")):
        return {place: way for place, way in rows.items() if not way.steps}
    return rows


class Planner:
    """A search for ways from one position."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.state = state
        self.seat = seat
        self.atlas = state.map
        self.face_up = [card for card in state.spaces if card in self.atlas.expeditions]
        self.joined = {card for card in self.face_up if seat in state.markers.get(card, ())}
        self.drawable = len(state.pile) + len(state.discards)

    def spots(self) -> Iterator[tuple[Cost, Spot, tuple[Step, ...]]]:
        """Yields all spots within reach, the cheapest first, each once."""
        order = count()
        start = Spot(self.state.places[self.seat], self.state.hands[self.seat])
        ahead: list[tuple[Cost, int, Spot, tuple[Step, ...]]] = [((0, 0, 0), next(order), *self.settle(start, ()))]
        visited = set()
        while ahead:
            cost, _, spot, commands = heappop(ahead)
            if spot in visited:
                continue
            visited.add(spot)
            yield cost, spot, commands
            for more, following, command in self.onward(spot, cost[0]):
                total = (cost[0] + more[0], cost[1] + more[1], cost[2] + more[2])
                heappush(ahead, (total, next(order), *self.settle(following, (*commands, command))))

    def settle(self, spot: Spot, commands: tuple[Step, ...]) -> tuple[Spot, tuple[Step, ...]]:
        """A spot after all free actions there."""
        moved = bool(self.state.table) or any(isinstance(each, Move) for each in commands)
        while free := next(self.free(spot, moved), None):
            spot, commands = self.after(spot, free), (*commands, free)
        return spot, commands

    def free(self, spot: Spot, moved: bool) -> Iterator[Join | EndExpedition | EndAdventure]:
        """Actions that can only help: endings, if allowed now, and joins while markers are not short."""
        if moved or not self.state.has_house_rule("ending"):
            yield from self.endings(spot)
        if len(self.open(spot)) <= self.markers(spot):
            yield from self.joins(spot)

    def endings(self, spot: Spot) -> Iterator[EndExpedition | EndAdventure]:
        """The expeditions and adventures that can be ended here."""
        for card in self.state.unfinished[self.seat]:
            if card not in spot.done and self._target(card) == spot.place:
                yield EndAdventure(card)
        for card in self.face_up:
            own = card in self.joined or (f"+{card}" in spot.done and not self.state.has_house_rule("joined"))
            own = own and card not in self.state.joined
            if own and card not in spot.done and self.atlas.expeditions[card].target == spot.place:
                yield EndExpedition(card)

    def _target(self, card: str) -> Place | None:
        return self.atlas.adventures[card].target if card in self.atlas.adventures else None

    def open(self, spot: Spot) -> list[str]:
        """The expeditions that the player has not joined."""
        return [x for x in self.face_up if x not in self.joined and f"+{x}" not in spot.done]

    def markers(self, spot: Spot) -> int:
        """The markers left (A-JOIN-05)."""
        joined = sum(name[0] == "+" for name in spot.done)
        return self.state.markers_left(self.seat) - joined + sum(name in self.face_up for name in spot.done)

    def joins(self, spot: Spot) -> Iterator[Join]:
        """The expeditions that can be joined here."""
        if self.markers(spot):
            yield from (Join(x) for x in self.open(spot) if self.atlas.expeditions[x].start == spot.place)

    def onward(self, spot: Spot, paid: int) -> Iterator[tuple[Cost, Spot, Step]]:
        """Each next step with its cost; joins too, if markers are short."""
        yield from (((0, 0, 0), self.after(spot, join), join) for join in self.joins(spot))
        cards, rich = sorted(set(spot.hand)), self.silver(spot, paid) >= self.state.box.costs.recolouring
        for place in self.atlas.neighbours[spot.place]:
            for card in cards:
                natural = fits(self.state, card, place)
                if natural or (rich and card != JOKER):
                    silver = 0 if natural else self.state.box.costs.recolouring
                    after = Spot(place, without(spot.hand, card), spot.done)
                    yield (silver, int(is_travel(card)), 1), after, Move(place, card, not natural)

    def silver(self, spot: Spot, paid: int) -> int:
        """The silver left after paying `paid` on the way."""
        return self.state.silver[self.seat] - paid + sum(map(self._silver_for, spot.done))

    def _silver_for(self, name: str) -> int:
        if name[0] == "+":
            return joining_bonus(self.state, name[1:]).silver
        cards = self.atlas.expeditions if name in self.atlas.expeditions else self.atlas.adventures
        return cards[name].silver

    def after(self, spot: Spot, command: Join | EndExpedition | EndAdventure) -> Spot:
        """A spot after a join or an ending."""
        won: tuple[Card, ...] = ()
        match command:
            case Join(expedition=card):
                name, won = f"+{card}", (UNKNOWN,) * self._bonus_draws(spot, card)
            case EndExpedition(expedition=card):
                name = card
            case EndAdventure(adventure=card):
                name, colour = card, self.atlas.adventures[card].assistant
                won = (assistant(colour),) if colour else ()
        return Spot(spot.place, into(spot.hand, *won), tuple(sorted((*spot.done, name))))

    def _bonus_draws(self, spot: Spot, card: str) -> int:
        """The travel cards of a joining bonus, as far as there are cards left (A-DRAW-03)."""
        before = sum(self._bonus_cards(name[1:]) for name in spot.done if name[0] == "+")
        return min(self._bonus_cards(card), max(self.drawable - before, 0))

    def _bonus_cards(self, card: str) -> int:
        return joining_bonus(self.state, card).travel_cards
