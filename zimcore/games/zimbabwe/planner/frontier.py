"""Finds the sets of monuments worth raising: those that no other set beats in VP, cost and used markers."""

from __future__ import annotations

from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.raises import Plan, Planner
from zimcore.games.zimbabwe.state import State

MAX_PLANS = 2_000
"""The most plans to make before it returns the best sets found so far."""


class BestRaises(NamedTuple):
    """The best plans, most VP first, and whether it is proven that no other set belongs among them."""

    plans: tuple[Plan, ...]
    is_proven: bool


class SingleRaise(NamedTuple):
    """The raise of one monument: its VP, and its least cost and markers in any set."""

    monument: Square
    vp: int
    cost: int
    markers: int


class Total(NamedTuple):
    """VP, cost and markers of a set, or lower bounds of cost and markers."""

    vp: int
    cost: int
    markers: int

    def with_raise(self, single_raise: SingleRaise) -> Total:
        """The total with one more monument."""
        return Total(self.vp + single_raise.vp, self.cost + single_raise.cost, self.markers + single_raise.markers)


def best_raises(state: State, seat: Seat) -> BestRaises:
    """The sets of monuments that no other set beats, each with its cheapest plan, within the seat's cattle."""
    return _Frontier(Planner(state, seat, state.cattle[seat]), state.cattle[seat]).find_plans()


class _Frontier:
    """Grows sets by one monument at a time, the best value first; drops a set if it leads to none of the best.

    The bound is that of a knapsack: further monuments, or a part of the last one, fill the remaining cattle, each at
    its least cost.
    """

    def __init__(self, planner: Planner, cattle: int) -> None:
        self.planner = planner
        self.cattle = cattle
        self.plans_left = MAX_PLANS
        self.best_plans: list[Plan] = []
        self.single_raises = sorted(
            self._find_single_raises(), key=lambda raise_: (raise_.cost / raise_.vp, raise_.cost)
        )

    def _find_single_raises(self) -> list[SingleRaise]:
        single_plans = ((square, self.planner.plan([square])) for square in self.planner.growing_monuments())
        return [
            SingleRaise(square, plan.vp, plan.cost, self.planner.demand(square).goods_needed)
            for square, plan in single_plans
            if plan
        ]

    def find_plans(self) -> BestRaises:
        """Searches all sets that may be among the best."""
        self._grow((), Total(0, 0, 0), 0)
        sorted_plans = sorted(self.best_plans, key=lambda plan: (-plan.vp, plan.cost, plan.markers))
        return BestRaises(tuple(sorted_plans), self.plans_left > 0 and self.planner.is_proven)

    def _grow(self, chosen_squares: tuple[Square, ...], bounds: Total, first_index: int) -> None:
        for index in range(first_index, len(self.single_raises)):
            single_raise = self.single_raises[index]
            larger_bounds = bounds.with_raise(single_raise)
            if larger_bounds.cost > self.cattle or not self._may_lead_to_best(larger_bounds, index + 1):
                continue
            if self.plans_left <= 0:
                return
            self.plans_left -= 1
            squares = (*chosen_squares, single_raise.monument)
            plan = self.planner.plan(squares)
            if plan:
                self._keep_plan(plan)
                self._grow(squares, Total(plan.vp, plan.cost, larger_bounds.markers), index + 1)

    def _may_lead_to_best(self, bounds: Total, first_index: int) -> bool:
        """Whether a set with these lower bounds, or one that it grows into, could beat those found."""
        vp, cost = float(bounds.vp), bounds.cost
        if self._beats(vp, cost, bounds.markers):
            return True
        for single_raise in self.single_raises[first_index:]:
            for cattle in range(1, single_raise.cost + 1):
                if cost + cattle > self.cattle:
                    return False
                if self._beats(vp + single_raise.vp * cattle / single_raise.cost, cost + cattle, bounds.markers):
                    return True
            vp, cost = vp + single_raise.vp, cost + single_raise.cost
        return False

    def _beats(self, vp: float, cost: int, markers: int) -> bool:
        """Whether every plan found so far has fewer VP than these (rounded down), or needs more cattle or markers."""
        whole_vp = int(vp + 1e-9)
        return not any(
            plan.vp >= whole_vp and plan.cost <= cost and plan.markers <= markers for plan in self.best_plans
        )

    def _keep_plan(self, plan: Plan) -> None:
        if any(_is_at_least_as_good(kept_plan, plan) for kept_plan in self.best_plans):
            return
        self.best_plans = [kept_plan for kept_plan in self.best_plans if not _is_at_least_as_good(plan, kept_plan)]
        self.best_plans.append(plan)


def _is_at_least_as_good(plan: Plan, other_plan: Plan) -> bool:
    """Whether the first plan is at least as good as the other in VP, cost and markers."""
    return plan.vp >= other_plan.vp and plan.cost <= other_plan.cost and plan.markers <= other_plan.markers
