"""Plans: which monuments can be raised, by which goods, at what price, and why others can't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS
from zimcore.games.zimbabwe.planner.markers import Markers, assign
from zimcore.games.zimbabwe.planner.offers import FREE, Market, Offer, Price, market
from zimcore.games.zimbabwe.planner.search import Choice, Search, Wish
from zimcore.games.zimbabwe.state import Craftsman, State

LEAST_PRICE = 1
"""Cattle: no good costs less (R-PRI-01), for nobody (R-RAI-08)."""


class Plan(NamedTuple):
    """A raise in full: its command, what it costs at once and for good (in cattle), its VP and used markers.

    `proven` says that no plan for these monuments is cheaper; without it the search was cut short.
    """

    command: Raise
    cost: int
    net: int
    vp: int
    markers: int
    proven: bool

    @property
    def monuments(self) -> tuple[Square, ...]:
        """The monuments that it raises."""
        return tuple(ritual.monument for ritual in self.command.rituals)


class Planner:
    """Plans for one player in one position; what is known of one set of monuments serves the next."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.state = state
        self.seat = seat
        self.proven = True
        """Whether every search so far went to its end."""
        self._wishes: dict[Square, Wish] = {}
        self._known: dict[tuple[Square, ...], Price | None] = {(): FREE}

    @cached_property
    def market(self) -> Market:
        """What can be bought."""
        return market(self.state, self.seat)

    @cached_property
    def markers(self) -> Markers:
        """Where used markers can go."""
        return Markers(self.market)

    def own(self) -> list[Square]:
        """The player's monuments that can still grow."""
        monuments = self.state.monuments.items()
        return [square for square, m in monuments if m.owner == self.seat and m.level < CONSTANTS.max_level]

    def wish(self, monument: Square) -> Wish:
        """What it takes to raise a monument by one level (R-RAI-02, R-RAI-03)."""
        wish = self._wishes.get(monument)
        if wish is None:
            level = self.state.monuments[monument].level
            may_repeat = self.state.blessing(self.seat).goods_may_repeat
            offers = self.market.offers(monument)
            wish = self._wishes[monument] = Wish(level, offers, list(map(self.markers.usage, offers)), may_repeat)
        return wish

    def plan(self, monuments: Sequence[Square], limit: int | None = None) -> Plan | None:
        """The cheapest plan for all these monuments together; None where there is none within a limit of cattle."""
        if limit is not None and limit < sum(self.state.monuments[each].level for each in monuments) * LEAST_PRICE:
            return None
        choice, proven = self._choose(tuple(monuments), limit)
        self.proven = self.proven and proven
        return self._plan(monuments, list(reversed(choice.goods)), choice) if choice else None

    def _choose(self, monuments: tuple[Square, ...], limit: int | None = None) -> tuple[Choice | None, bool]:
        """The cheapest goods for all these monuments, the last one's first, and whether that is proven."""
        # The last is served first: what those before it take together is often known already, from a smaller set.
        wishes = [self.wish(monument) for monument in reversed(monuments)]
        later = [self._least(monuments[:place]) for place in reversed(range(len(monuments)))]
        possible = [price for price in later if price is not None]
        search = Search(wishes, possible, self.markers, limit)
        choice = search.run() if len(possible) == len(wishes) else None
        if choice or limit is None:
            self._known[monuments] = (choice.price if choice else None) if search.proven else FREE
        return choice, search.proven

    def _least(self, monuments: tuple[Square, ...]) -> Price | None:
        """The least that it takes to raise all these, in whatever set; None where that can't be done."""
        if monuments not in self._known:
            self._choose(monuments)
        return self._known[monuments]

    def _plan(self, monuments: Sequence[Square], goods: list[tuple[Offer, ...]], choice: Choice) -> Plan:
        demands = [self.market.free[maker.zone] for offers in goods for offer in offers for maker in offer.makers]
        resources = assign(demands, self.market.capacity) or []
        return Plan(
            command=Raise(self._rituals(monuments, goods, resources)),
            cost=choice.price.cost,
            net=choice.price.net,
            vp=sum(self._vp(monument) for monument in monuments),
            markers=choice.price.markers,
            proven=choice.proven,
        )

    def _vp(self, monument: Square) -> int:
        level, vp = self.state.monuments[monument].level, CONSTANTS.level_vp
        return vp[level + 1] - vp[level]

    def _rituals(
        self, monuments: Sequence[Square], goods: list[tuple[Offer, ...]], resources: list[Squares]
    ) -> tuple[Ritual, ...]:
        following = iter(resources)

        def supply(maker: Craftsman) -> Supply:
            return Supply(maker.type, maker.at, self.state.board.name[next(following)])

        def good(offer: Offer) -> Good:
            return Good(*(supply(maker) for maker in offer.makers))

        pairs = zip(monuments, goods, strict=True)
        return tuple(Ritual(monument, tuple(good(offer) for offer in offers)) for monument, offers in pairs)

    def plans(self) -> Iterator[Plan]:
        """The cheapest plan of every set of own monuments that can be paid, smaller sets first.

        A set with a part that can't be raised, or not be paid, can't be either: such sets are not looked at.
        """
        own, cattle = self.own(), self.state.cattle[self.seat]
        possible: set[tuple[Square, ...]] = {()}
        frontier: list[tuple[Square, ...]] = [()]
        for smaller in frontier:
            for square in own[own.index(smaller[-1]) + 1 if smaller else 0 :]:
                larger = (*smaller, square)
                if all((*larger[:place], *larger[place + 1 :]) in possible for place in range(len(larger))):
                    plan = self.plan(larger, cattle)
                    if plan:
                        possible.add(larger)
                        frontier.append(larger)
                        yield plan


def cheapest(state: State, seat: Seat, monuments: Sequence[Square]) -> Plan | None:
    """The cheapest plan to raise all these monuments of a player, or None where there is none."""
    return Planner(state, seat).plan(monuments) if monuments else None


def plans(state: State, seat: Seat) -> Iterator[Plan]:
    """The cheapest plan of every set of a player's monuments that can be raised and paid now."""
    return Planner(state, seat).plans()


def why_not(state: State, seat: Seat, monuments: Sequence[Square]) -> str | None:
    """Why a player can't raise all these monuments now, in one sentence; None where it can be done."""
    planner = Planner(state, seat)
    for monument in monuments:
        if reason := _alone(planner, monument):
            return reason
    plan = planner.plan(monuments)
    if plan is None:
        return f"the resources do not suffice for {', '.join(monuments)} together: {_short(planner, monuments)}"
    had = state.cattle[seat]
    return f"the cheapest plan costs {plan.cost} cattle and {seat} has {had}" if plan.cost > had else None


def _alone(planner: Planner, monument: Square) -> str | None:
    """Why a monument can't be raised even alone, whatever the cattle at hand."""
    wish = planner.wish(monument)
    if planner.plan([monument]):
        return None
    types = sorted({offer.type for offer in wish.offers})
    there = f"of {', '.join(types)} only" if types else "but none can be had"
    if len(types) >= wish.goods:
        there = f"and there are resources for fewer of {', '.join(types)}"
    different = "" if wish.may_repeat else "different "
    goods = f"{wish.goods} {different}goods" if wish.goods > 1 else "1 good"
    return f"{monument} needs {goods}, {there}"


def _short(planner: Planner, monuments: Sequence[Square]) -> str:
    needed = sum(planner.wish(monument).goods for monument in monuments)
    left = sum(planner.market.capacity.values())
    return f"{needed} goods are needed, and {left} used markers can still be placed within reach of the craftsmen"
