"""Finds the cheapest goods for a set of monuments by branch and bound; exact unless it is cut short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.planner.demands import Demand
from zimcore.games.zimbabwe.planner.offers import SupplyChain
from zimcore.games.zimbabwe.planner.prices import FREE, Price

MAX_TRIES = 20_000
"""The most goods that a search tries before it returns the best found so far."""


class GoodsChoice(NamedTuple):
    """The goods for each demand, their total price, and whether it is proven that none are cheaper."""

    goods: tuple[tuple[SupplyChain, ...], ...]
    price: Price
    is_proven: bool


class Search:
    """One search: takes demands in turn, and offers from the cheapest; cuts branches that can't beat the best so far.

    `later_prices` has, for each demand, a lower bound of the price of all demands after it.
    `resources_suffice` tells whether there are resources for a usage (see `SufficiencyCache`). Only prices below
    `bound` count.
    """

    def __init__(
        self,
        demands: Sequence[Demand],
        later_prices: Sequence[Price],
        resources_suffice: Mapping[int, bool],
        bound: Price,
    ) -> None:
        self.demands = demands
        self.later_prices = later_prices
        self.least_prices = [demand.least_price + price for demand, price in zip(demands, later_prices, strict=True)]
        """For each demand, a lower bound of its price and of all after it."""
        self.resources_suffice = resources_suffice
        self.bound = bound
        self.tries_left = MAX_TRIES
        self.best_goods: tuple[SupplyChain, ...] | None = None
        self.chosen_goods: list[SupplyChain] = []
        """The goods chosen so far in this branch, for all demands in turn."""
        self.best_prices: dict[tuple[int, int], Price] = {}

    def solve(self) -> GoodsChoice | None:
        """The cheapest choice, or None if it finds none; `is_optimal` says whether that is certain."""
        self._fill_demand(0, FREE, 0, 0)
        if self.best_goods is None:
            return None
        goods = iter(self.best_goods)
        return GoodsChoice(
            tuple(tuple(islice(goods, demand.goods_needed)) for demand in self.demands), self.bound, self.is_optimal
        )

    @property
    def is_optimal(self) -> bool:
        """Whether the search was complete."""
        return self.tries_left > 0

    def _fill_demand(self, index: int, price: Price, usage: int, taken_resources: Squares) -> None:
        """Continues with the demand at an index, after goods with this price, usage and resources."""
        if index == len(self.demands):
            if price < self.bound:
                self.best_goods, self.bound = tuple(self.chosen_goods), price
            return
        best_price = self.best_prices.get((index, usage))
        if price + self.least_prices[index] >= self.bound or (best_price is not None and best_price <= price):
            return
        self.best_prices[index, usage] = price
        self._choose(index, 0, self.demands[index].goods_needed, 0, price, usage, taken_resources)

    def _choose(
        self,
        index: int,
        first_offer: int,
        goods_left: int,
        types: int,
        price: Price,
        usage: int,
        taken_resources: Squares,
    ) -> None:
        """Continues with the missing goods of a demand: tries offers from `first_offer` on of types not in `types`."""
        demand = self.demands[index]
        offers, usages, may_repeat = demand.offers, demand.usages, demand.may_repeat
        least_price_from_offer, resources_suffice, chosen_goods = (
            demand.least_rest_prices[goods_left],
            self.resources_suffice,
            self.chosen_goods,
        )
        least_price = price + self.later_prices[index]
        for offer_index in range(first_offer, len(offers)):
            if least_price + least_price_from_offer[offer_index] >= self.bound or self.tries_left <= 0:
                return
            offer_price, chain = offers[offer_index]
            if types & chain.type:
                continue
            self.tries_left -= 1
            new_usage = usage + usages[offer_index]
            # Goods that compete for no resource need no check.
            if (chain.may_compete or taken_resources & chain.free_resources) and not resources_suffice[new_usage]:
                continue
            chosen_goods.append(chain)
            if goods_left == 1:
                self._fill_demand(index + 1, price + offer_price, new_usage, taken_resources | chain.free_resources)
            elif may_repeat:
                self._choose(
                    index,
                    offer_index,
                    goods_left - 1,
                    0,
                    price + offer_price,
                    new_usage,
                    taken_resources | chain.free_resources,
                )
            else:
                types_so_far = types | chain.type
                self._choose(
                    index,
                    offer_index + 1,
                    goods_left - 1,
                    types_so_far,
                    price + offer_price,
                    new_usage,
                    taken_resources | chain.free_resources,
                )
            chosen_goods.pop()
