"""The goods needed to raise one monument: how many, and the offers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from operator import itemgetter

from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.markers import SufficiencyCache
from zimcore.games.zimbabwe.planner.offers import Market, Offer, SupplyChain
from zimcore.games.zimbabwe.planner.prices import FREE, NEVER, Price

price_of_offer = itemgetter(0)


class Demand:
    """A number of goods for a monument, of different types unless they may repeat.

    `cheapest_goods` are the cheapest goods without regard to other monuments, None if there are too few types;
    `least_price` is their price.
    """

    def __init__(
        self, monument: Square, goods_needed: int, may_repeat: bool, market: Market, sufficiency: SufficiencyCache
    ) -> None:
        self.goods_needed = goods_needed
        self.may_repeat = may_repeat
        self.bound = market.bound
        self.sufficiency = sufficiency
        self._priced_chains = market.offers(monument)
        cheapest_offers = self._cheapest_offers()
        self.cheapest_goods = (
            tuple([chain for _, chain in cheapest_offers]) if len(cheapest_offers) == goods_needed else None
        )
        self.least_price = sum([price for price, _ in cheapest_offers])

    def _cheapest_offers(self) -> list[Offer]:
        offers = sorted(
            [(route_price + chains[0].price, chains[0]) for route_price, chains in self._priced_chains],
            key=price_of_offer,
        )
        if self.may_repeat:
            return offers[:1] * self.goods_needed
        cheapest_by_type: dict[int, Offer] = {}
        for offer in offers:
            cheapest_by_type.setdefault(offer[1].type, offer)
        return list(cheapest_by_type.values())[: self.goods_needed]

    @cached_property
    def usage(self) -> int:
        """The usage of the cheapest goods, as in `SufficiencyCache`."""
        return sum(map(self.sufficiency.usage, self.cheapest_goods or ()))

    @cached_property
    def all_offers(self) -> list[Offer]:
        """All offers for the monument below the bound, the cheapest first."""
        offers = [(route_price + chain.price, chain) for route_price, chains in self._priced_chains for chain in chains]
        return sorted([offer for offer in offers if offer[0] < self.bound], key=price_of_offer)

    @cached_property
    def offers(self) -> list[Offer]:
        """All offers without those that another one can replace: as cheap, of the same type, with all its resources."""
        offers: list[Offer] = []
        for price, chain in self.all_offers:
            if not any(other_chain.type == chain.type and other_chain.can_replace(chain) for _, other_chain in offers):
                offers.append((price, chain))
        return offers

    @cached_property
    def usages(self) -> list[int]:
        """The usage of each offer, as in `SufficiencyCache`."""
        return [self.sufficiency.usage(chain) for _, chain in self.offers]

    @cached_property
    def least_rest_prices(self) -> list[list[Price]]:
        """The least price of a number of missing goods (first index), from an offer on (second index)."""
        if self.may_repeat:
            return [[price * goods_left for price, _ in self.offers] for goods_left in range(self.goods_needed + 1)]
        price_by_type: dict[int, Price] = {}
        price_sums: list[list[Price]] = []
        for price, chain in reversed(self.offers):
            price_by_type[chain.type] = price
            cheapest_prices = sorted(price_by_type.values())[: self.goods_needed]
            price_sums.append(
                [*accumulate(cheapest_prices, initial=FREE), *[NEVER] * (self.goods_needed - len(cheapest_prices))]
            )
        return list(map(list, zip(*reversed(price_sums), strict=True)))


def are_disjoint(goods: Iterable[tuple[SupplyChain, ...]]) -> bool:
    """Whether no two sources of these goods can use the same resource."""
    taken_resources = 0
    for chains in goods:
        for chain in chains:
            if chain.may_compete or taken_resources & chain.free_resources:
                return False
            taken_resources |= chain.free_resources
    return True
