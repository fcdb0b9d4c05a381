"""The goods needed to raise one monument: how many, and the offers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from operator import itemgetter

from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.markers import Markers
from zimcore.games.zimbabwe.planner.offers import Market, Offer, SupplyChain
from zimcore.games.zimbabwe.planner.prices import FREE, NEVER, Price

BY_PRICE = itemgetter(0)


class Demand:
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
        cheapest = self._cheapest_offers()
        self.cheapest = tuple([chain for _, chain in cheapest]) if len(cheapest) == goods else None
        self.least = sum([price for price, _ in cheapest])

    def _cheapest_offers(self) -> list[Offer]:
        offers = sorted(
            [(route_price + chains[0].price, chains[0]) for route_price, chains in self._on_sale], key=BY_PRICE
        )
        if self.may_repeat:
            return offers[:1] * self.goods
        cheapest_by_type: dict[int, Offer] = {}
        for offer in offers:
            cheapest_by_type.setdefault(offer[1].type, offer)
        return list(cheapest_by_type.values())[: self.goods]

    @cached_property
    def usage(self) -> int:
        """The usage of the cheapest goods, as in `Markers`."""
        return sum(map(self.markers.usage, self.cheapest or ()))

    @cached_property
    def all_offers(self) -> list[Offer]:
        """All offers for the monument below the bound, the cheapest first."""
        offers = [(route_price + chain.price, chain) for route_price, chains in self._on_sale for chain in chains]
        return sorted([offer for offer in offers if offer[0] < self.bound], key=BY_PRICE)

    @cached_property
    def offers(self) -> list[Offer]:
        """All offers without those that another one can replace: as cheap, of the same type, with all its resources."""
        offers: list[Offer] = []
        for price, chain in self.all_offers:
            if not any(other.type == chain.type and other.can_replace(chain) for _, other in offers):
                offers.append((price, chain))
        return offers

    @cached_property
    def usages(self) -> list[int]:
        """The usage of each offer, as in `Markers`."""
        return [self.markers.usage(chain) for _, chain in self.offers]

    @cached_property
    def least_rest(self) -> list[list[Price]]:
        """The least price of a number of missing goods (first index), from an offer on (second index)."""
        if self.may_repeat:
            return [[price * missing for price, _ in self.offers] for missing in range(self.goods + 1)]
        price_by_type: dict[int, Price] = {}
        sums: list[list[Price]] = []
        for price, chain in reversed(self.offers):
            price_by_type[chain.type] = price
            cheapest = sorted(price_by_type.values())[: self.goods]
            sums.append([*accumulate(cheapest, initial=FREE), *[NEVER] * (self.goods - len(cheapest))])
        return list(map(list, zip(*reversed(sums), strict=True)))


def are_disjoint(goods: Iterable[tuple[SupplyChain, ...]]) -> bool:
    """Whether no two sources of these goods can use the same resource."""
    taken = 0
    for chains in goods:
        for chain in chains:
            if chain.tight or taken & chain.free:
                return False
            taken |= chain.free
    return True
