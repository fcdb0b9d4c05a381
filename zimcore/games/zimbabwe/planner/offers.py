"""What each monument can get: every good that could be bought for it, with its cost and what it uses up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import msgspec

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, Resource, Type
from zimcore.games.zimbabwe.rules.rituals import hub_payee, is_obsolete, markers_left, price_for
from zimcore.games.zimbabwe.state import Craftsman, State


class Price(NamedTuple):
    """What something takes: cattle at once, cattle for good (the rest comes back as revenue), used markers.

    Of two prices the smaller one is better: cattle at once count first, markers last.
    """

    cost: int
    net: int
    markers: int

    def plus(self, other: Price) -> Price:
        """Both together."""
        return Price(self.cost + other.cost, self.net + other.net, self.markers + other.markers)


FREE = Price(0, 0, 0)


class Offer(msgspec.Struct, frozen=True):
    """One good that a monument can get: the craftsman who makes it, and for a secondary good its primary."""

    price: Price
    type: Type
    makers: tuple[Craftsman, ...]


class Market(msgspec.Struct, frozen=True):
    """Everything on sale for one player now, wherever it goes."""

    state: State
    makers: tuple[Craftsman, ...]
    """The craftsmen on the board, in the order in which they were placed."""
    counting: tuple[Craftsman, ...]
    """Those whose goods raise monuments (R-RAI-04), while they have resources."""
    free: dict[Squares, Squares]
    """By zone of a craftsman: the resources within its range that bear another marker (R-RAI-07)."""
    capacity: dict[Squares, int]
    """By resource: how many more markers it bears."""
    prices: dict[Squares, Price]
    """By zone of a craftsman: what a good of it takes, without hubs."""
    hub: Price
    """What a hub on the way takes."""
    primaries: dict[Squares, list[tuple[Craftsman, Price]]] = {}
    """By zone of a craftsman: who can supply it with its primary good, as far as somebody has asked."""

    def offers(self, monument: Square) -> list[Offer]:
        """The goods that a monument can get, the cheapest first, whatever the cattle at hand.

        One that another serves for is left out: as cheap, of the same type, with all of its resources in range.
        """
        offers: list[Offer] = []
        of_type: dict[Type, list[Offer]] = {}
        for offer in sorted(self._offers(monument), key=attrgetter("price")):
            others = of_type.setdefault(offer.type, [])
            if not any(self._serves_for(other, offer) for other in others):
                others.append(offer)
                offers.append(offer)
        return offers

    def _serves_for(self, other: Offer, offer: Offer) -> bool:
        pairs = zip(other.makers, offer.makers, strict=True)
        return not any(self.free[b.zone] & ~self.free[a.zone] for a, b in pairs)

    def _offers(self, monument: Square) -> Iterator[Offer]:
        for maker, way in self._reached(self.state.board.square[monument], self.counting):
            if CRAFTSMEN[maker.type].needs is None:
                yield Offer(way, maker.type, (maker,))
                continue
            for primary, further in self._primaries(maker):
                yield Offer(way.plus(further), maker.type, (maker, primary))

    def _primaries(self, maker: Craftsman) -> list[tuple[Craftsman, Price]]:
        """Who can supply a craftsman with its primary good; the same wherever its own good goes."""
        found = self.primaries.get(maker.zone)
        if found is None:
            needed = self.state.of_type(CRAFTSMEN[maker.type].needs or "")
            usable = [primary for primary in needed if self.free[primary.zone]]
            found = self.primaries[maker.zone] = list(self._reached(maker.zone, usable))
        return found

    def _reached(self, zone: Squares, makers: Sequence[Craftsman]) -> Iterator[tuple[Craftsman, Price]]:
        """The craftsmen that can be reached from a zone, each with hubs and price together."""
        state = self.state
        way: Price | None = None
        for reached in state.board.hub_rings(zone, state.steps, state.monument_squares):
            for maker in makers:
                if maker.zone & reached:
                    price = self.prices[maker.zone]
                    yield maker, price.plus(way) if way else price
            makers = [maker for maker in makers if not maker.zone & reached]
            if not makers:
                return
            way = self.hub.plus(way) if way else self.hub


def market(state: State, seat: Seat) -> Market:
    """What a player could buy in the own turn."""
    near: dict[Squares, Squares] = {}
    for maker in state.craftsmen:
        near[maker.zone] = state.resources_near(maker.zone, CRAFTSMEN[maker.type].resource)
    all_ = 0
    for squares in near.values():
        all_ |= squares
    capacity = {
        square: left for square in bits(all_) if (left := markers_left(state, seat, state.board.name[square])) > 0
    }
    usable = sum(capacity)
    free = {zone: squares & usable for zone, squares in near.items()}
    obsolete = {type_ for type_ in CRAFTSMEN if is_obsolete(state, type_)}
    return Market(
        state,
        state.craftsmen,
        tuple(maker for maker in state.craftsmen if free[maker.zone] and maker.type not in obsolete),
        free,
        capacity,
        {maker.zone: _price(state, seat, maker) for maker in state.craftsmen},
        Price(CONSTANTS.hub_cost, 0 if hub_payee(state).startswith(f"{seat}/") else CONSTANTS.hub_cost, 0),
    )


def _price(state: State, seat: Seat, maker: Craftsman) -> Price:
    """What a good of a craftsman takes; what goes to the own card comes back."""
    cattle = price_for(state, seat, maker)
    return Price(cattle, 0 if maker.owner == seat else cattle, 1)


def resource_of(maker: Craftsman) -> Resource:
    """The kind of resource that a craftsman uses up."""
    return CRAFTSMEN[maker.type].resource
