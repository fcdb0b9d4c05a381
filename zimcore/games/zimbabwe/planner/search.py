"""Finds the cheapest goods for a set of monuments by branch and bound; exact unless it is cut short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.planner.demands import Demand
from zimcore.games.zimbabwe.planner.offers import SupplyChain
from zimcore.games.zimbabwe.planner.prices import FREE, Price

PATIENCE = 20_000
"""The most goods that a search tries before it returns the best found so far."""


class GoodsChoice(NamedTuple):
    """The goods for each demand, their total price, and whether it is proven that none are cheaper."""

    goods: tuple[tuple[SupplyChain, ...], ...]
    price: Price
    proven: bool


class Search:
    """One search: takes demands in turn, and offers from the cheapest; cuts branches that can't beat the best so far.

    `later` has, for each demand, a lower bound of the price of all demands after it. `suffices` tells whether there are
    resources for a usage. Only prices below `bound` count.
    """

    def __init__(
        self, demands: Sequence[Demand], later: Sequence[Price], suffices: Mapping[int, bool], bound: Price
    ) -> None:
        self.demands = demands
        self.later = later
        self.least = [demand.least + price for demand, price in zip(demands, later, strict=True)]
        """For each demand, a lower bound of its price and of all after it."""
        self.suffices = suffices
        self.bound = bound
        self.patience = PATIENCE
        self.best: tuple[SupplyChain, ...] | None = None
        self.chosen: list[SupplyChain] = []
        """The goods chosen so far in this branch, for all demands in turn."""
        self.seen: dict[tuple[int, int], Price] = {}

    def solve(self) -> GoodsChoice | None:
        """The cheapest choice, or None if it finds none; `is_optimal` says whether that is certain."""
        self._serve(0, FREE, 0, 0)
        if self.best is None:
            return None
        goods = iter(self.best)
        return GoodsChoice(
            tuple(tuple(islice(goods, demand.goods)) for demand in self.demands), self.bound, self.is_optimal
        )

    @property
    def is_optimal(self) -> bool:
        """Whether the search was complete."""
        return self.patience > 0

    def _serve(self, place: int, price: Price, usage: int, taken: Squares) -> None:
        """Continues with the demand at an index, after goods with this price, usage and resources."""
        if place == len(self.demands):
            if price < self.bound:
                self.best, self.bound = tuple(self.chosen), price
            return
        known = self.seen.get((place, usage))
        if price + self.least[place] >= self.bound or (known is not None and known <= price):
            return
        self.seen[place, usage] = price
        self._choose(place, 0, self.demands[place].goods, 0, price, usage, taken)

    def _choose(
        self, place: int, start: int, missing: int, types: int, price: Price, usage: int, taken: Squares
    ) -> None:
        """Continues with the missing goods of a demand: tries offers from `start` whose type is not in `types`."""
        demand = self.demands[place]
        offers, usages, may_repeat = demand.offers, demand.usages, demand.may_repeat
        rest, suffices, chosen = demand.rest[missing], self.suffices, self.chosen
        least = price + self.later[place]
        for number in range(start, len(offers)):
            if least + rest[number] >= self.bound or self.patience <= 0:
                return
            each, chain = offers[number]
            if types & chain.type:
                continue
            self.patience -= 1
            used = usage + usages[number]
            # Goods that compete for no resource need no check.
            if (chain.tight or taken & chain.free) and not suffices[used]:
                continue
            chosen.append(chain)
            if missing == 1:
                self._serve(place + 1, price + each, used, taken | chain.free)
            elif may_repeat:
                self._choose(place, number, missing - 1, 0, price + each, used, taken | chain.free)
            else:
                more = types | chain.type
                self._choose(place, number + 1, missing - 1, more, price + each, used, taken | chain.free)
            chosen.pop()
