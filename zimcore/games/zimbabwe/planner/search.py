"""Finds the cheapest goods for a set of monuments by branch and bound; exact unless it is cut short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.planner.offers import Ware
from zimcore.games.zimbabwe.planner.prices import FREE, Price
from zimcore.games.zimbabwe.planner.wishes import Wish

PATIENCE = 20_000
"""The most goods that a search tries before it returns the best found so far."""


class GoodsChoice(NamedTuple):
    """The goods for each wish, their total price, and whether it is proven that none are cheaper."""

    goods: tuple[tuple[Ware, ...], ...]
    price: Price
    proven: bool


class Search:
    """One search: takes wishes in turn and offers from the cheapest, and cuts branches that can't beat the best so far.

    `later` has, for each wish, a lower bound of the price of all wishes after it. `suffices` tells whether there are
    resources for a usage. Only prices below `bound` count.
    """

    def __init__(
        self, wishes: Sequence[Wish], later: Sequence[Price], suffices: Mapping[int, bool], bound: Price
    ) -> None:
        self.wishes = wishes
        self.later = later
        self.least = [wish.least + price for wish, price in zip(wishes, later, strict=True)]
        """For each wish, a lower bound of its price and of all after it."""
        self.suffices = suffices
        self.bound = bound
        self.patience = PATIENCE
        self.best: tuple[Ware, ...] | None = None
        self.chosen: list[Ware] = []
        """The goods chosen so far in this branch, for all wishes in turn."""
        self.seen: dict[tuple[int, int], Price] = {}

    def solve(self) -> GoodsChoice | None:
        """The cheapest choice, or None if it finds none; `is_optimal` says whether that is certain."""
        self._serve(0, FREE, 0, 0)
        if self.best is None:
            return None
        goods = iter(self.best)
        return GoodsChoice(tuple(tuple(islice(goods, wish.goods)) for wish in self.wishes), self.bound, self.is_optimal)

    @property
    def is_optimal(self) -> bool:
        """Whether the search was complete."""
        return self.patience > 0

    def _serve(self, place: int, price: Price, usage: int, taken: Squares) -> None:
        """Continues with the wish at an index, after goods with this price, usage and resources."""
        if place == len(self.wishes):
            if price < self.bound:
                self.best, self.bound = tuple(self.chosen), price
            return
        known = self.seen.get((place, usage))
        if price + self.least[place] >= self.bound or (known is not None and known <= price):
            return
        self.seen[place, usage] = price
        self._choose(place, 0, self.wishes[place].goods, 0, price, usage, taken)

    def _choose(
        self, place: int, start: int, missing: int, types: int, price: Price, usage: int, taken: Squares
    ) -> None:
        """Continues with the missing goods of a wish: tries offers from `start` whose type is not in `types`."""
        wish = self.wishes[place]
        offers, usages, may_repeat = wish.offers, wish.usages, wish.may_repeat
        rest, suffices, chosen = wish.rest[missing], self.suffices, self.chosen
        least = price + self.later[place]
        for number in range(start, len(offers)):
            if least + rest[number] >= self.bound or self.patience <= 0:
                return
            each, ware = offers[number]
            if types & ware.type:
                continue
            self.patience -= 1
            used = usage + usages[number]
            # Goods that compete for no resource need no check.
            if (ware.tight or taken & ware.free) and not suffices[used]:
                continue
            chosen.append(ware)
            if missing == 1:
                self._serve(place + 1, price + each, used, taken | ware.free)
            elif may_repeat:
                self._choose(place, number, missing - 1, 0, price + each, used, taken | ware.free)
            else:
                more = types | ware.type
                self._choose(place, number + 1, missing - 1, more, price + each, used, taken | ware.free)
            chosen.pop()
