"""Makes a legal raise greedily: it buys from the nearest craftsmen, without comparing other ways."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Good, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN
from zimcore.games.zimbabwe.planner.offers import Capacity
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types, price_for, toll
from zimcore.games.zimbabwe.state import Craftsman, State


class Buyer:
    """Buys goods for one monument after another, while cattle and resources last.

    If the nearest craftsmen are too expensive or compete for a resource, `is_uncertain` is set: a failure then proves
    nothing, and only `Planner` can tell whether there is another way.
    """

    def __init__(self, state: State, seat: Seat) -> None:
        self.state, self.seat, self.steps = state, seat, state.range_in_steps
        self.may_repeat = state.god_modifiers(seat).goods_may_repeat
        self.capacity = Capacity(state, seat)
        obsolete_types = find_obsolete_types(state)
        self.eligible_makers = [maker for maker in state.craftsmen if maker.type not in obsolete_types]
        self.cattle = state.cattle[seat]
        self.taken_resources: list[Squares] = []
        """The resources taken, one for each good so far."""
        self.exhausted_resources = self.exhausted_at_start = self.capacity.exhausted_resources()
        """The resources that can take no more markers: now, and before any purchase."""
        self.is_uncertain = False

    def buy_ritual(self, monument: Square) -> Ritual | None:
        """The goods that raise one more monument; None if it finds none, and then nothing is bought."""
        cattle_before, exhausted_resources_before, taken_count = (
            self.cattle,
            self.exhausted_resources,
            len(self.taken_resources),
        )
        goods = self._buy_goods(monument)
        if goods:
            return Ritual(monument, goods)
        self.cattle, self.exhausted_resources = cattle_before, exhausted_resources_before
        del self.taken_resources[taken_count:]
        return None

    def _buy_goods(self, monument: Square) -> tuple[Good, ...]:
        goods_left, types_bought, goods = self.state.monuments[monument].level, set(), []
        if self.cattle < goods_left:  # each good costs at least 1 (R-PRI-01)
            return ()
        monument_toll = toll(self.state)
        for maker, hubs in self._nearest_makers(self.state.board.square[monument], self.eligible_makers):
            while (
                goods_left
                and maker.type not in types_bought
                and (good := self._buy_good(maker, hubs + monument_toll))
                and self.cattle >= 0
            ):
                goods.append(good)
                goods_left -= 1
                if not self.may_repeat:
                    types_bought.add(maker.type)
            if not goods_left:
                break
            if self.cattle < goods_left:
                self.is_uncertain = True
                break
        return () if goods_left else tuple(goods)

    def _buy_good(self, maker: Craftsman, hubs: int) -> Good | None:
        supply, primary_type = self._buy_supply(maker, hubs), CRAFTSMEN[maker.type].needs
        if supply is None:
            return None
        if primary_type is None:
            return Good(supply)
        for primary_maker, further_hubs in self._nearest_makers(maker.zone, self.state.craftsmen_of_type(primary_type)):
            primary_supply = self._buy_supply(primary_maker, further_hubs)
            if primary_supply:
                return Good(supply, primary_supply)
        return None

    def _buy_supply(self, maker: Craftsman, hubs: int) -> Supply | None:
        state = self.state
        resources_in_range = state.resources_near(maker.zone, CRAFTSMEN[maker.type].resource)
        free_resources = resources_in_range & ~self.exhausted_resources
        if not free_resources:
            self.is_uncertain = self.is_uncertain or resources_in_range & ~self.exhausted_at_start != 0
            return None
        resource = free_resources & -free_resources
        self.taken_resources.append(resource)
        if self.taken_resources.count(resource) >= self.capacity[resource]:
            self.exhausted_resources |= resource
        self.cattle -= price_for(state, self.seat, maker) + hubs * CONSTANTS.hub_cost
        return Supply(maker.type, maker.at, state.board.name[resource])

    def _nearest_makers(self, zone: Squares, makers: list[Craftsman]) -> Iterator[tuple[Craftsman, int]]:
        """The craftsmen within reach of a zone, the nearest first, with the hubs on the way."""
        state = self.state
        for hubs, ring in enumerate(state.board.hub_rings(zone, self.steps, state.monument_squares)):
            for maker in makers:
                if maker.zone & ring:
                    yield maker, hubs
            makers = [maker for maker in makers if not maker.zone & ring]
            if not makers:
                return
