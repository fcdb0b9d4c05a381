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

    `later_prices` has, for each demand, a lower bound of the price of all demands after it. `suffices` tells whether
    there are resources for a usage. Only prices below `bound` count.
    """

    def __init__(
        self, demands: Sequence[Demand], later_prices: Sequence[Price], suffices: Mapping[int, bool], bound: Price
    ) -> None:
        self.demands = demands
        self.later_prices = later_prices
        self.least_prices = [demand.least + price for demand, price in zip(demands, later_prices, strict=True)]
        """For each demand, a lower bound of its price and of all after it."""
        self.suffices = suffices
        self.bound = bound
        self.patience = PATIENCE
        self.best: tuple[SupplyChain, ...] | None = None
        self.chosen: list[SupplyChain] = []
        """The goods chosen so far in this branch, for all demands in turn."""
        self.best_prices: dict[tuple[int, int], Price] = {}

    def solve(self) -> GoodsChoice | None:
        """The cheapest choice, or None if it finds none; `is_optimal` says whether that is certain."""
        self._fill_demand(0, FREE, 0, 0)
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

    def _fill_demand(self, index: int, price: Price, usage: int, taken: Squares) -> None:
        """Continues with the demand at an index, after goods with this price, usage and resources."""
        if index == len(self.demands):
            if price < self.bound:
                self.best, self.bound = tuple(self.chosen), price
            return
        best_price = self.best_prices.get((index, usage))
        if price + self.least_prices[index] >= self.bound or (best_price is not None and best_price <= price):
            return
        self.best_prices[index, usage] = price
        self._choose(index, 0, self.demands[index].goods, 0, price, usage, taken)

    def _choose(
        self, index: int, start: int, missing: int, types: int, price: Price, usage: int, taken: Squares
    ) -> None:
        """Continues with the missing goods of a demand: tries offers from `start` whose type is not in `types`."""
        demand = self.demands[index]
        offers, usages, may_repeat = demand.offers, demand.usages, demand.may_repeat
        least_rest, suffices, chosen = demand.least_rest[missing], self.suffices, self.chosen
        least = price + self.later_prices[index]
        for number in range(start, len(offers)):
            if least + least_rest[number] >= self.bound or self.patience <= 0:
                return
            offer_price, chain = offers[number]
            if types & chain.type:
                continue
            self.patience -= 1
            new_usage = usage + usages[number]
            # Goods that compete for no resource need no check.
            if (chain.tight or taken & chain.free) and not suffices[new_usage]:
                continue
            chosen.append(chain)
            if missing == 1:
                self._fill_demand(index + 1, price + offer_price, new_usage, taken | chain.free)
            elif may_repeat:
                self._choose(index, number, missing - 1, 0, price + offer_price, new_usage, taken | chain.free)
            else:
                types_so_far = types | chain.type
                self._choose(
                    index, number + 1, missing - 1, types_so_far, price + offer_price, new_usage, taken | chain.free
                )
            chosen.pop()
