"""The cheapest goods for a set of monuments: branch and bound over the goods, exact while its patience lasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.planner.offers import Ware
from zimcore.games.zimbabwe.planner.prices import FREE, Price
from zimcore.games.zimbabwe.planner.wishes import Wish

PATIENCE = 20_000
"""Goods that a search looks at before it takes the best that it has found."""


class GoodsChoice(NamedTuple):
    """The goods for each wish, their price in all, and whether none is cheaper."""

    goods: tuple[tuple[Ware, ...], ...]
    price: Price
    proven: bool


class Search:
    """One search. Wishes are served in turn, offers tried from the cheapest; what can't beat the best so far is cut.

    `later` is, for each wish, the least that all wishes after it take; `suffices` says of a usage whether there are
    resources for it. What is not smaller than the `bound` does not count.
    """

    def __init__(
        self, wishes: Sequence[Wish], later: Sequence[Price], suffices: Mapping[int, bool], bound: Price
    ) -> None:
        self.wishes = wishes
        self.later = later
        self.least = [wish.least + price for wish, price in zip(wishes, later, strict=True)]
        """For each wish: the least that it and all after it take."""
        self.suffices = suffices
        self.bound = bound
        self.patience = PATIENCE
        self.best: tuple[Ware, ...] | None = None
        self.chosen: list[Ware] = []
        """On the way: the goods so far, for all wishes in turn."""
        self.seen: dict[tuple[int, int], Price] = {}

    def solve(self) -> GoodsChoice | None:
        """The cheapest choice, or None where there is none; see `proven` for whether that is certain."""
        self._serve(0, FREE, 0, 0)
        if self.best is None:
            return None
        goods = iter(self.best)
        return GoodsChoice(tuple(tuple(islice(goods, wish.goods)) for wish in self.wishes), self.bound, self.is_optimal)

    @property
    def is_optimal(self) -> bool:
        """Whether the search went to its end."""
        return self.patience > 0

    def _serve(self, place: int, price: Price, usage: int, taken: Squares) -> None:
        """Goes on with the wish at a place, when those before it take so much, some of these resources among it."""
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
        """Goes on with the goods that a wish still misses: one of the offers from `start`, of none of these types."""
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
            # Goods that want no resource of others need not ask.
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
