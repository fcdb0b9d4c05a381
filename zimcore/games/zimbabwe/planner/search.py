"""The cheapest goods for a set of monuments: branch and bound over the monuments, exact while its patience lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from zimcore.games.zimbabwe.planner.markers import Markers
from zimcore.games.zimbabwe.planner.offers import FREE, Offer, Price

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


class Choice(NamedTuple):
    """The goods for each wish, their price in all, how often each craftsman works, and whether none is cheaper."""

    goods: tuple[tuple[Offer, ...], ...]
    price: Price
    usage: int
    proven: bool


class Search:
    """One search. Wishes are served in turn, offers tried from the cheapest; what can't beat the best so far is cut.

    `later` is, for each wish, the least that all wishes after it take. With a `limit` nothing that costs more cattle
    than that is looked at.
    """

    def __init__(
        self, wishes: Sequence[Wish], later: Sequence[Price], markers: Markers, limit: int | None = None
    ) -> None:
        self.wishes = wishes
        self.later = later
        self.markers = markers
        self.patience = PATIENCE
        self.best: Choice | None = None
        # What is not smaller than this does not count: a price, or only its first figure.
        self.bound: tuple[float, ...] = (inf if limit is None else limit + 1,)
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
        for chosen, more, used in self._servings(self.wishes[place], 0, (), price, usage, self.later[place]):
            self._serve(place + 1, (*goods, chosen), more, used)

    def _servings(
        self, wish: Wish, start: int, chosen: tuple[Offer, ...], price: Price, usage: int, later: Price
    ) -> Iterator[tuple[tuple[Offer, ...], Price, int]]:
        """Every choice of goods for a wish that may still lead to a better whole; `later` is the least for the rest."""
        missing = wish.goods - len(chosen)
        types = () if wish.may_repeat else tuple(offer.type for offer in chosen)
        cost, net, markers = price.cost + later.cost, price.net + later.net, price.markers + later.markers
        offers, usages, suffice = wish.offers, wish.usages, self.markers.suffice
        for place in range(start, len(offers)):
            offer = offers[place]
            # Offers come cheapest first: each good that is missing takes at least as much as this one.
            each = offer.price
            least = (cost + each.cost * missing, net + each.net * missing, markers + each.markers * missing)
            if self.patience <= 0 or least >= self.bound:
                return
            if offer.type in types:
                continue
            self.patience -= 1
            used = usage + usages[place]
            if not suffice(used):
                continue
            if missing == 1:
                yield (*chosen, offer), price.plus(each), used
            else:
                again = place if wish.may_repeat else place + 1
                yield from self._servings(wish, again, (*chosen, offer), price.plus(each), used, later)
