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

    If the nearest craftsmen are too expensive or compete for a resource, `in_doubt` is set: a failure then proves
    nothing, and only `Planner` can tell whether there is another way.
    """

    def __init__(self, state: State, seat: Seat) -> None:
        self.state, self.seat, self.steps = state, seat, state.steps
        self.may_repeat = state.god_modifiers(seat).goods_may_repeat
        self.capacity = Capacity(state, seat)
        obsolete_types = find_obsolete_types(state)
        self.eligible_makers = [maker for maker in state.craftsmen if maker.type not in obsolete_types]
        self.cattle = state.cattle[seat]
        self.taken: list[Squares] = []
        """The resources taken, one for each good so far."""
        self.exhausted = self.exhausted_before = self.capacity.exhausted_resources()
        """The resources that can take no more markers: now, and before any purchase."""
        self.in_doubt = False

    def buy_ritual(self, monument: Square) -> Ritual | None:
        """The goods that raise one more monument; None if it finds none, and then nothing is bought."""
        cattle, exhausted, taken_before = self.cattle, self.exhausted, len(self.taken)
        goods = self._buy_goods(monument)
        if goods:
            return Ritual(monument, goods)
        self.cattle, self.exhausted = cattle, exhausted
        del self.taken[taken_before:]
        return None

    def _buy_goods(self, monument: Square) -> tuple[Good, ...]:
        missing, types, goods = self.state.monuments[monument].level, set(), []
        if self.cattle < missing:  # each good costs at least 1 (R-PRI-01)
            return ()
        monument_toll = toll(self.state)
        for maker, hubs in self._nearest_makers(self.state.board.square[monument], self.eligible_makers):
            while (
                missing
                and maker.type not in types
                and (good := self._buy_good(maker, hubs + monument_toll))
                and self.cattle >= 0
            ):
                goods.append(good)
                missing -= 1
                if not self.may_repeat:
                    types.add(maker.type)
            if not missing:
                break
            if self.cattle < missing:
                self.in_doubt = True
                break
        return () if missing else tuple(goods)

    def _buy_good(self, maker: Craftsman, hubs: int) -> Good | None:
        supply, needs = self._buy_supply(maker, hubs), CRAFTSMEN[maker.type].needs
        if supply is None:
            return None
        if needs is None:
            return Good(supply)
        for primary, further_hubs in self._nearest_makers(maker.zone, self.state.craftsmen_of_type(needs)):
            primary_supply = self._buy_supply(primary, further_hubs)
            if primary_supply:
                return Good(supply, primary_supply)
        return None

    def _buy_supply(self, maker: Craftsman, hubs: int) -> Supply | None:
        state = self.state
        near = state.resources_near(maker.zone, CRAFTSMEN[maker.type].resource)
        free = near & ~self.exhausted
        if not free:
            self.in_doubt = self.in_doubt or near & ~self.exhausted_before != 0
            return None
        resource = free & -free
        self.taken.append(resource)
        if self.taken.count(resource) >= self.capacity[resource]:
            self.exhausted |= resource
        self.cattle -= price_for(state, self.seat, maker) + hubs * CONSTANTS.hub_cost
        return Supply(maker.type, maker.at, state.board.name[resource])

    def _nearest_makers(self, zone: Squares, makers: list[Craftsman]) -> Iterator[tuple[Craftsman, int]]:
        """The craftsmen within reach of a zone, the nearest first, with the hubs on the way."""
        state = self.state
        for hubs, reached in enumerate(state.board.hub_rings(zone, self.steps, state.monument_squares)):
            for maker in makers:
                if maker.zone & reached:
                    yield maker, hubs
            makers = [maker for maker in makers if not maker.zone & reached]
            if not makers:
                return
