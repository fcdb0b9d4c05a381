"""Which sets of monuments are worth raising: those that no other set beats in VP, cost and used markers."""

from __future__ import annotations

from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.raises import Plan, Planner
from zimcore.games.zimbabwe.state import State

PATIENCE = 2_000
"""Plans that are made before the best sets found so far have to do."""


class Raises(NamedTuple):
    """The best plans, the most VP first, and whether it is proven that no other set belongs among them."""

    plans: tuple[Plan, ...]
    proven: bool


class Item(NamedTuple):
    """A monument that can be raised alone: its VP, and what it takes at least in any set."""

    monument: Square
    vp: int
    cost: int
    markers: int


class Total(NamedTuple):
    """What a set has, or at least has."""

    vp: int
    cost: int
    markers: int

    def plus(self, item: Item) -> Total:
        """With one monument more."""
        return Total(self.vp + item.vp, self.cost + item.cost, self.markers + item.markers)


def best_raises(state: State, seat: Seat) -> Raises:
    """Sets of monuments that no other set beats, each by its cheapest plan, all within the cattle at hand."""
    return _Frontier(Planner(state, seat, state.cattle[seat]), state.cattle[seat]).find_plans()


class _Frontier:
    """Sets grow by one monument after another, the best value first; one is left when nothing it grows into can count.

    That is decided as for a knapsack: monuments that are still to come, or a part of the last one, fill the cattle that
    are left, each for the least that it can cost.
    """

    def __init__(self, planner: Planner, cattle: int) -> None:
        self.planner = planner
        self.cattle = cattle
        self.patience = PATIENCE
        self.found: list[Plan] = []
        self.items = sorted(self._items(), key=lambda item: (item.cost / item.vp, item.cost))

    def _items(self) -> list[Item]:
        alone = ((square, self.planner.plan([square])) for square in self.planner.own())
        return [Item(square, plan.vp, plan.cost, self.planner.wish(square).goods) for square, plan in alone if plan]

    def find_plans(self) -> Raises:
        """Looks at all sets that can count."""
        self._grow((), Total(0, 0, 0), 0)
        best = sorted(self.found, key=lambda plan: (-plan.vp, plan.cost, plan.markers))
        return Raises(tuple(best), self.patience > 0 and self.planner.proven)

    def _grow(self, chosen: tuple[Square, ...], least: Total, start: int) -> None:
        for place in range(start, len(self.items)):
            item = self.items[place]
            larger = least.plus(item)
            if larger.cost > self.cattle or not self._can_count(larger, place + 1):
                continue
            if self.patience <= 0:
                return
            self.patience -= 1
            squares = (*chosen, item.monument)
            plan = self.planner.plan(squares)
            if plan:
                self._keep(plan)
                self._grow(squares, Total(plan.vp, plan.cost, larger.markers), place + 1)

    def _can_count(self, least: Total, start: int) -> bool:
        """Whether a set of at least this, or one that it grows into, could beat what was found."""
        vp, cost = float(least.vp), least.cost
        if self._beats(vp, cost, least.markers):
            return True
        for item in self.items[start:]:
            for cattle in range(1, item.cost + 1):
                if cost + cattle > self.cattle:
                    return False
                if self._beats(vp + item.vp * cattle / item.cost, cost + cattle, least.markers):
                    return True
            vp, cost = vp + item.vp, cost + item.cost
        return False

    def _beats(self, vp: float, cost: int, markers: int) -> bool:
        """Whether nothing was found that has so many VP (whole ones) for as little."""
        whole = int(vp + 1e-9)
        return not any(plan.vp >= whole and plan.cost <= cost and plan.markers <= markers for plan in self.found)

    def _keep(self, plan: Plan) -> None:
        if any(_covers(other, plan) for other in self.found):
            return
        self.found = [other for other in self.found if not _covers(plan, other)]
        self.found.append(plan)


def _covers(a: Plan, b: Plan) -> bool:
    """Whether a plan is as good as another in everything."""
    return a.vp >= b.vp and a.cost <= b.cost and a.markers <= b.markers
