"""The movement planner: where an explorer can get to in this action, and the cheapest way to each location.

It counts on what is certain: the cards in the hand, silver, and what joining and ending on the way brings. A travel
card that would be drawn on the way may have any colour, so it only pays for a step that it is recoloured for. The
cheapest way costs least silver for recolouring, then fewest travel cards, then fewest steps.

The search is exact. Ending, and joining while there are markers for every expedition, take nothing away that could be
needed later, so they are always done at once; where markers are short, both joining and not joining are tried.
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
"""What has been joined (`+A03`) and ended (`A03`, `N05`) on the way, in the order of their names."""

Step = Move | Join | EndExpedition | EndAdventure


class Spot(NamedTuple):
    """A location reached, with the cards that are left, and what was done on the way."""

    place: Place
    hand: tuple[Card, ...]
    done: Done = ()


class Way(NamedTuple):
    """A way to a location: its cost, and the commands that make it, joins and endings too."""

    to: Place
    silver: int
    travel_cards: int
    steps: int
    commands: tuple[Step, ...]


def ways(state: State, seat: Seat) -> dict[Place, Way]:
    """The cheapest way to every location that a player can reach in an action that goes on from here.

    The first is where the explorer stands, the nearest come first.
    """
    planner = Planner(state, seat)
    found: dict[Place, Way] = {}
    for cost, spot, commands in planner.spots():
        if spot.place not in found:
            found[spot.place] = Way(spot.place, *cost, commands)
    return found


def reachable(state: State, seat: Seat) -> dict[Place, Way]:
    """The same in this turn: nothing but where the explorer stands, if the turn's action is another one."""
    found, turn = ways(state, seat), state.turn
    if turn.seat == seat and (turn.over or turn.action not in ("", "move")):
        return {place: way for place, way in found.items() if not way.steps}
    return found


class Planner:
    """One search, from a position."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.state = state
        self.seat = seat
        self.atlas = state.map
        self.face_up = [card for card in state.spaces if card in self.atlas.expeditions]
        self.joined = {card for card in self.face_up if seat in state.markers.get(card, ())}
        self.drawable = len(state.pile) + len(state.discards)

    def spots(self) -> Iterator[tuple[Cost, Spot, tuple[Step, ...]]]:
        """Everything that can be reached, the cheapest first, each once."""
        order = count()
        start = Spot(self.state.places[self.seat], self.state.hands[self.seat])
        ahead: list[tuple[Cost, int, Spot, tuple[Step, ...]]] = [((0, 0, 0), next(order), *self.settle(start, ()))]
        seen = set()
        while ahead:
            cost, _, spot, commands = heappop(ahead)
            if spot in seen:
                continue
            seen.add(spot)
            yield cost, spot, commands
            for more, following, command in self.onward(spot, cost[0]):
                total = (cost[0] + more[0], cost[1] + more[1], cost[2] + more[2])
                heappush(ahead, (total, next(order), *self.settle(following, (*commands, command))))

    def settle(self, spot: Spot, commands: tuple[Step, ...]) -> tuple[Spot, tuple[Step, ...]]:
        """A spot after everything has been done there that can only be of use."""
        moved = bool(self.state.table) or any(isinstance(each, Move) for each in commands)
        while free := next(self.free(spot, moved), None):
            spot, commands = self.after(spot, free), (*commands, free)
        return spot, commands

    def free(self, spot: Spot, moved: bool) -> Iterator[Join | EndExpedition | EndAdventure]:
        """Endings, where these may be now, and joins while markers are not short."""
        if moved or not self.state.by_house("ending"):
            yield from self.endings(spot)
        if len(self.open(spot)) <= self.markers(spot):
            yield from self.joins(spot)

    def endings(self, spot: Spot) -> Iterator[EndExpedition | EndAdventure]:
        """What can be ended here, as far as it does not matter when."""
        for card in self.state.unfinished[self.seat]:
            if card not in spot.done and self._target(card) == spot.place:
                yield EndAdventure(card)
        for card in self.face_up:
            own = card in self.joined or (f"+{card}" in spot.done and not self.state.by_house("joined"))
            own = own and card not in self.state.joined
            if own and card not in spot.done and self.atlas.expeditions[card].target == spot.place:
                yield EndExpedition(card)

    def _target(self, card: str) -> Place | None:
        return self.atlas.adventures[card].target if card in self.atlas.adventures else None

    def open(self, spot: Spot) -> list[str]:
        """The expeditions that could still be joined somewhere."""
        return [x for x in self.face_up if x not in self.joined and f"+{x}" not in spot.done]

    def markers(self, spot: Spot) -> int:
        """The markers at hand (A-JOIN-05)."""
        joined = sum(name[0] == "+" for name in spot.done)
        return self.state.markers_left(self.seat) - joined + sum(name in self.face_up for name in spot.done)

    def joins(self, spot: Spot) -> Iterator[Join]:
        """What can be joined here."""
        if self.markers(spot):
            yield from (Join(x) for x in self.open(spot) if self.atlas.expeditions[x].start == spot.place)

    def onward(self, spot: Spot, paid: int) -> Iterator[tuple[Cost, Spot, Step]]:
        """Each next step with what it costs; joins too, where markers are short."""
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
        """The silver at hand after having paid so much on the way."""
        return self.state.silver[self.seat] - paid + sum(map(self._silver_for, spot.done))

    def _silver_for(self, name: str) -> int:
        if name[0] == "+":
            return joining_bonus(self.state, name[1:]).silver
        cards = self.atlas.expeditions if name in self.atlas.expeditions else self.atlas.adventures
        return cards[name].silver

    def after(self, spot: Spot, command: Join | EndExpedition | EndAdventure) -> Spot:
        """A spot after joining or ending something."""
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
        """The travel cards of a joining bonus, as far as there are any left (A-DRAW-03)."""
        before = sum(self._bonus_cards(name[1:]) for name in spot.done if name[0] == "+")
        return min(self._bonus_cards(card), max(self.drawable - before, 0))

    def _bonus_cards(self, card: str) -> int:
        return joining_bonus(self.state, card).travel_cards
