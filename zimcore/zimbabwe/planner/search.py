"""The cheapest goods for a set of monuments: branch and bound over the monuments, exact while its patience lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from zimcore.zimbabwe.planner.markers import Markers
from zimcore.zimbabwe.planner.offers import FREE, Offer, Price

PATIENCE = 20_000
"""Goods that a search looks at before it takes the best that it has found."""


class Wish(NamedTuple):
    """What one monument needs: so many goods of these offers (cheapest first), of different types or not.

    `usages` are what the offers add to how often craftsmen work, as in `Markers`.
    """

    goods: int
    offers: list[Offer]
    usages: list[int]
    may_repeat: bool

    def least(self) -> Price:
        """What it takes at least, as if resources were without end."""
        figures = zip(*(offer.price for offer in self.offers), strict=True)
        return Price(*(sum(self._smallest(figure)) for figure in figures)) if self.offers else FREE

    def _smallest(self, figures: tuple[int, ...]) -> list[int]:
        """The smallest figures of as many goods as are wished."""
        if self.may_repeat:
            return [min(figures)] * self.goods
        by_type: dict[str, int] = {}
        for offer, figure in zip(self.offers, figures, strict=True):
            by_type[offer.type] = min(figure, by_type.get(offer.type, figure))
        return sorted(by_type.values())[: self.goods]


class Choice(NamedTuple):
    """The goods for each wish, their price in all, how often each craftsman works, and whether none is cheaper."""

    goods: tuple[tuple[Offer, ...], ...]
    price: Price
    usage: int
    proven: bool


class Search:
    """One search. Wishes are served in turn, offers tried from the cheapest; what can't beat the best so far is cut.

    With a `limit` nothing that costs more cattle than that is looked at.
    """

    def __init__(
        self, wishes: Sequence[Wish], markers: Markers, limit: int | None = None, patience: int = PATIENCE
    ) -> None:
        self.wishes = wishes
        self.markers = markers
        self.patience = patience
        self.best: Choice | None = None
        # What is not smaller than this does not count: a price, or only its first figure.
        self.bound: tuple[float, ...] = (inf if limit is None else limit + 1,)
        self.least = _least(wishes)
        self.seen: dict[tuple[int, int], Price] = {}

    def run(self) -> Choice | None:
        """The cheapest choice, or None where there is none; see `patience` for whether that is proven."""
        self._serve(0, (), FREE, 0)
        return self.best._replace(proven=self.proven) if self.best else None

    @property
    def proven(self) -> bool:
        """Whether the search went to its end."""
        return self.patience > 0

    def _serve(self, place: int, goods: tuple[tuple[Offer, ...], ...], price: Price, usage: int) -> None:
        """Goes on with the wish at a place, when those before it have these goods."""
        if place == len(self.wishes):
            if price < self.bound:
                self.best, self.bound = Choice(goods, price, usage, proven=False), price
            return
        known = self.seen.get((place, usage))
        if known is not None and known <= price:
            return
        self.seen[place, usage] = price
        for chosen, more, used in self._servings(self.wishes[place], 0, (), price, usage, self.least[place + 1]):
            self._serve(place + 1, (*goods, chosen), more, used)

    def _servings(
        self, wish: Wish, start: int, chosen: tuple[Offer, ...], price: Price, usage: int, later: Price
    ) -> Iterator[tuple[tuple[Offer, ...], Price, int]]:
        """Every choice of goods for a wish that may still lead to a better whole; `later` is the least for the rest."""
        missing = wish.goods - len(chosen)
        if not missing:
            yield chosen, price, usage
            return
        types = {offer.type for offer in chosen}
        for place in range(start, len(wish.offers)):
            offer = wish.offers[place]
            if self.patience <= 0 or self._too_dear(price, offer.price, missing, later):
                return
            if offer.type in types and not wish.may_repeat:
                continue
            self.patience -= 1
            used = usage + wish.usages[place]
            if self.markers.suffice(used):
                again = place if wish.may_repeat else place + 1
                yield from self._servings(wish, again, (*chosen, offer), price.plus(offer.price), used, later)

    def _too_dear(self, price: Price, next_: Price, missing: int, later: Price) -> bool:
        """Offers come cheapest first: all that are missing cost at least as much as the next one."""
        cost = price.cost + next_.cost * missing + later.cost
        return (cost, price.net + later.net, price.markers + missing + later.markers) >= self.bound


def _least(wishes: Sequence[Wish]) -> list[Price]:
    """For each place, what the wishes from there on take at least."""
    least = [FREE]
    for wish in reversed(wishes):
        least.append(least[-1].plus(wish.least()))
    return least[::-1]
