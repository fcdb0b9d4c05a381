"""The goods that can be bought for each monument, with their costs and the resources that they use."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TypeAlias

import msgspec

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN
from zimcore.games.zimbabwe.planner.prices import FREE, Price, pack_price
from zimcore.games.zimbabwe.rules.rituals import (
    find_obsolete_types,
    hub_payee,
    markers_left,
    markers_that_count,
    price_for,
    toll,
)
from zimcore.games.zimbabwe.state import Craftsman, State

LEAST_PRICE: Price = pack_price(1, 0, 1)
"""The least price of a good (R-PRI-01), also where a god sets the price of all goods (R-RAI-08)."""
TYPE_BITS = {type_: 1 << index for index, type_ in enumerate(CRAFTSMEN)}
"""A bit for each type of craftsman."""


class Capacity(dict[Squares, int]):
    """By resource, how many more markers of a player it can take (R-RAI-07); computed when needed."""

    def __init__(self, state: State, seat: Seat) -> None:
        super().__init__()
        self._state, self._seat = state, seat

    def __missing__(self, resource: Squares) -> int:
        markers = self[resource] = markers_left(self._state, self._seat, self._state.board.name[resource])
        return markers

    def exhausted_resources(self) -> Squares:
        """The resources that can take no more markers."""
        state, seat = self._state, self._seat
        marked_squares = markers_that_count(state, seat)
        return state.board.mask([square for square in marked_squares if markers_left(state, seat, square) <= 0])


class Source(msgspec.Struct, frozen=True, gc=False):
    """A craftsman that has resources: the price of its good, and the resources left in its range."""

    maker: Craftsman
    zone: Squares
    price: Price
    free_resources: Squares


class SupplyChain(msgspec.Struct, frozen=True, gc=False):
    """A way to make a good: by a craftsman which, for a secondary good, buys from a primary one, maybe over hubs.

    `type` is the bit of its type in `TYPE_BITS`, `free_resources` are those of all its sources. `may_compete` means
    that its sources may compete for the same one.
    """

    price: Price
    type: int
    free_resources: Squares
    may_compete: bool
    sources: tuple[Source, ...]

    def can_replace(self, other_chain: SupplyChain) -> bool:
        """Whether it can use all resources that another chain of its type can use."""
        for own_source, other_source in zip(self.sources, other_chain.sources, strict=True):
            if other_source.free_resources & ~own_source.free_resources:
                return False
        return True


Offer: TypeAlias = tuple[Price, SupplyChain]
"""An offer to a monument: the total price, with the hubs on the way, and the chain."""


class Market:
    """All goods on sale for a player in their turn, for any monument, below a bound on the price.

    `eligible_makers` are the craftsmen whose goods raise monuments (R-RAI-04), `type_count` the number of their types.
    """

    def __init__(self, state: State, seat: Seat, bound: Price) -> None:
        self.state, self.seat, self.bound = state, seat, bound
        self.steps = state.range_in_steps
        self.capacity = Capacity(state, seat)
        self.exhausted_resources = self.capacity.exhausted_resources()
        hub_cost = CONSTANTS.hub_cost
        self.hub_price = pack_price(hub_cost, 0 if hub_payee(state).startswith(f"{seat}/") else hub_cost, 0)
        self.toll = self.hub_price if toll(state) else FREE
        """The price that the monument being raised adds to each way to it."""
        obsolete_types = find_obsolete_types(state)
        self.eligible_makers = [maker for maker in state.craftsmen if maker.type not in obsolete_types]
        self.type_count = len({maker.type for maker in self.eligible_makers})
        self._sources: dict[Squares, Source | None] = {}
        self._chains: dict[Squares, list[SupplyChain]] = {}

    def offers(self, monument: Square) -> list[tuple[Price, list[SupplyChain]]]:
        """For each craftsman whose good a monument can get: the price of the hubs, and the ways to make the good."""
        sources_in_reach = self._reachable_sources(
            self.state.board.square[monument], self.eligible_makers, self.bound, self.toll
        )
        return [(route_price, chains) for source, route_price in sources_in_reach if (chains := self.chains(source))]

    def chains(self, source: Source) -> list[SupplyChain]:
        """The ways in which a craftsman makes its good, the cheapest first. They are the same for any monument."""
        chains = self._chains.get(source.zone)
        if chains is None:
            chains = self._chains[source.zone] = self._find_chains(source)
        return chains

    def _find_chains(self, source: Source) -> list[SupplyChain]:
        type_, free_resources = source.maker.type, source.free_resources
        primary_type = CRAFTSMEN[type_].needs
        if primary_type is None:
            return [SupplyChain(source.price, TYPE_BITS[type_], free_resources, False, (source,))]
        chains = [
            SupplyChain(
                source.price + primary_source.price + route_price,
                TYPE_BITS[type_],
                free_resources | primary_source.free_resources,
                bool(free_resources & primary_source.free_resources),
                (source, primary_source),
            )
            for primary_source, route_price in self._reachable_sources(
                source.zone, self.state.craftsmen_of_type(primary_type), self.bound - source.price
            )
        ]
        return sorted(chains, key=attrgetter("price"))

    def _reachable_sources(
        self, zone: Squares, makers: Sequence[Craftsman], bound: Price, route_price: Price = FREE
    ) -> list[tuple[Source, Price]]:
        """The craftsmen with resources within reach of a zone, below the bound, and the price of the hubs."""
        state, sources_by_zone, reachable_sources = self.state, self._sources, []
        for ring in state.board.hub_rings(zone, self.steps, state.monument_squares):
            makers_beyond = []
            for maker in makers:
                if maker.zone & ring:
                    source = sources_by_zone[maker.zone] if maker.zone in sources_by_zone else self.make_source(maker)
                    if source:
                        reachable_sources.append((source, route_price))
                else:
                    makers_beyond.append(maker)
            makers, route_price = makers_beyond, route_price + self.hub_price
            if not makers or route_price + LEAST_PRICE >= bound:
                break
        return reachable_sources

    def make_source(self, maker: Craftsman) -> Source | None:
        """A craftsman as a source of goods; None if no resources are left (R-RAI-07)."""
        state, source = self.state, None
        free_resources = state.resources_near(maker.zone, CRAFTSMEN[maker.type].resource) & ~self.exhausted_resources
        if free_resources:
            cattle = price_for(state, self.seat, maker)
            # Payments to the player's own cards come back.
            source = Source(
                maker, maker.zone, pack_price(cattle, 0 if maker.owner == self.seat else cattle, 1), free_resources
            )
        self._sources[maker.zone] = source
        return source
