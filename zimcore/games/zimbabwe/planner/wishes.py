"""The goods needed to raise one monument: how many, and the offers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from operator import itemgetter

from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.markers import Markers
from zimcore.games.zimbabwe.planner.offers import Market, Offer, Ware
from zimcore.games.zimbabwe.planner.prices import FREE, NEVER, Price

FIRST = itemgetter(0)


class Wish:
    """A number of goods for a monument, of different types unless they may repeat.

    `cheapest` are the cheapest goods without regard to other monuments, None if there are too few types; `least` is
    their price.
    """

    def __init__(self, monument: Square, goods: int, may_repeat: bool, market: Market, markers: Markers) -> None:
        self.goods = goods
        self.may_repeat = may_repeat
        self.bound = market.bound
        self.markers = markers
        self._on_sale = market.offers(monument)
        cheapest = self._cheapest()
        self.cheapest = tuple([ware for _, ware in cheapest]) if len(cheapest) == goods else None
        self.least = sum([price for price, _ in cheapest])

    def _cheapest(self) -> list[Offer]:
        offers = sorted([(way + wares[0].price, wares[0]) for way, wares in self._on_sale], key=FIRST)
        if self.may_repeat:
            return offers[:1] * self.goods
        of_type: dict[int, Offer] = {}
        for offer in offers:
            of_type.setdefault(offer[1].type, offer)
        return list(of_type.values())[: self.goods]

    @cached_property
    def usage(self) -> int:
        """The usage of the cheapest goods, as in `Markers`."""
        return sum(map(self.markers.usage, self.cheapest or ()))

    @cached_property
    def everything(self) -> list[Offer]:
        """All offers for the monument below the bound, the cheapest first."""
        offers = [(way + ware.price, ware) for way, wares in self._on_sale for ware in wares]
        return sorted([offer for offer in offers if offer[0] < self.bound], key=FIRST)

    @cached_property
    def offers(self) -> list[Offer]:
        """All offers without those that another one can replace: as cheap, of the same type, with all its resources."""
        offers: list[Offer] = []
        for price, ware in self.everything:
            if not any(other.type == ware.type and other.serves_for(ware) for _, other in offers):
                offers.append((price, ware))
        return offers

    @cached_property
    def usages(self) -> list[int]:
        """The usage of each offer, as in `Markers`."""
        return [self.markers.usage(ware) for _, ware in self.offers]

    @cached_property
    def rest(self) -> list[list[Price]]:
        """The least price of a number of missing goods (first index), from an offer on (second index)."""
        if self.may_repeat:
            return [[price * missing for price, _ in self.offers] for missing in range(self.goods + 1)]
        of_type: dict[int, Price] = {}
        sums: list[list[Price]] = []
        for price, ware in reversed(self.offers):
            of_type[ware.type] = price
            cheapest = sorted(of_type.values())[: self.goods]
            sums.append([*accumulate(cheapest, initial=FREE), *[NEVER] * (self.goods - len(cheapest))])
        return list(map(list, zip(*reversed(sums), strict=True)))


def apart(goods: Iterable[tuple[Ware, ...]]) -> bool:
    """Whether no two sources of these goods can use the same resource."""
    taken = 0
    for wares in goods:
        for ware in wares:
            if ware.tight or taken & ware.free:
                return False
            taken |= ware.free
    return True
