"""Where used markers can go: whether the resources suffice when each craftsman works so many times."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.components import Resource
from zimcore.games.zimbabwe.planner.offers import Market, Offer, resource_of

FIELD = 8
"""Bits for one count in a usage."""


class Markers:
    """How often craftsmen can work before the resources within their ranges are used up.

    A *usage* is one int with a field of bits for each range: how often one of the craftsmen works who have just these
    resources in range. Kinds of resources do not compete, so each is looked at alone; the answers are remembered.
    """

    def __init__(self, market: Market) -> None:
        self._market = market
        ranges = dict.fromkeys(market.free.values())
        self._shift: dict[Squares, int] = {squares: FIELD * place for place, squares in enumerate(ranges)}
        self._kinds: dict[Resource, int] = {}
        self._once: dict[Squares, int] = {}
        for maker in market.makers:
            shift, kind = self._shift[market.free[maker.zone]], resource_of(maker)
            self._once[maker.zone] = 1 << shift
            self._kinds[kind] = self._kinds.get(kind, 0) | 2**FIELD - 1 << shift
        # Where there is any resource at all, it suffices for one good.
        self._known = {0: True} | {1 << shift: squares > 0 for squares, shift in self._shift.items()}

    def usage(self, offer: Offer) -> int:
        """What one good adds."""
        return sum([self._once[maker.zone] for maker in offer.makers])

    def suffice(self, usage: int) -> bool:
        """Whether there are resources enough for a usage."""
        known = self._known.get(usage)
        if known is None:
            kinds = [part for fields in self._kinds.values() if (part := usage & fields)]
            known = self._known[usage] = all(map(self._suffices, kinds))
        return known

    def _suffices(self, usage: int) -> bool:
        known = self._known.get(usage)
        if known is None:
            known = self._known[usage] = assign(self._demands(usage), self._market.capacity) is not None
        return known

    def _demands(self, usage: int) -> list[Squares]:
        """The resources that each good of a usage can take."""
        counts = ((squares, usage >> shift & 2**FIELD - 1) for squares, shift in self._shift.items())
        return [squares for squares, count in counts for _ in range(count)]


def assign(demands: Sequence[Squares], capacity: dict[Squares, int]) -> list[Squares] | None:
    """One resource for each demand, none more often than it may be used; None where that can't be done.

    Finds augmenting paths: a demand that finds all its resources taken asks those who have them to take another.

    >>> assign([0b011, 0b001], {0b001: 1, 0b010: 1})
    [2, 1]
    >>> assign([0b001, 0b001], {0b001: 1}) is None
    True
    """
    users: dict[Squares, list[int]] = {}

    def place(demand: int, asked: set[Squares]) -> bool:
        for resource in bits(demands[demand]):
            if resource in asked:
                continue
            asked.add(resource)
            taken = users.setdefault(resource, [])
            if len(taken) < capacity[resource]:
                taken.append(demand)
                return True
            for slot, other in enumerate(taken):
                if place(other, asked):
                    taken[slot] = demand
                    return True
        return False

    if not all(place(demand, set()) for demand in range(len(demands))):
        return None
    resource_for = {demand: resource for resource, taken in users.items() for demand in taken}
    return [resource_for[demand] for demand in range(len(demands))]
