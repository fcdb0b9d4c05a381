"""Where used markers can go: whether the resources suffice when each craftsman works so many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.components import CRAFTSMEN, Resource
from zimcore.games.zimbabwe.planner.offers import Source, Ware

FIELD = 8
"""Bits for one count in a usage."""


class Markers(dict[int, bool]):
    """Whether craftsmen can work so often before the resources within their ranges are used up, by usage.

    A *usage* is one int with a field of bits for each range: how often one of the craftsmen works who have just these
    resources in range. Kinds of resources do not compete, so each is looked at alone; the answers are remembered.
    """

    def __init__(self, capacity: Mapping[Squares, int]) -> None:
        super().__init__({0: True})
        self._capacity = capacity
        self._once: dict[Squares, int] = {}
        self._kinds: dict[Resource, int] = {}

    def usage(self, ware: Ware) -> int:
        """What one good adds."""
        return sum([self._once.get(source.free) or self._first(source) for source in ware.sources])

    def _first(self, source: Source) -> int:
        once = self._once[source.free] = 1 << FIELD * len(self._once)
        kind = CRAFTSMEN[source.maker.type].resource
        self._kinds[kind] = self._kinds.get(kind, 0) | (2**FIELD - 1) * once
        self[once] = True
        return once

    def __missing__(self, usage: int) -> bool:
        kinds = [part for fields in self._kinds.values() if (part := usage & fields)]
        suffices = all(map(self.__getitem__, kinds)) if len(kinds) > 1 else self._suffices(usage)
        self[usage] = suffices
        return suffices

    def _suffices(self, usage: int) -> bool:
        """The same for one kind of resources."""
        counts = [(free, count) for free, once in self._once.items() if (count := usage // once & 2**FIELD - 1)]
        all_ = sum([count for _, count in counts])
        # Where each finds more resources than there are goods, nobody has to ask whose turn it is.
        if min([free.bit_count() for free, _ in counts]) >= all_:
            return True
        return assign([free for free, count in counts for _ in range(count)], self._capacity) is not None


def assign(demands: Sequence[Squares], capacity: Mapping[Squares, int]) -> list[Squares] | None:
    """One resource for each demand, none more often than it may be used; None where that can't be done.

    Finds augmenting paths: a demand that finds all its resources taken asks those who have them to take another.

    >>> assign([0b011, 0b001], {0b001: 1, 0b010: 1})
    [2, 1]
    >>> assign([0b001, 0b001], {0b001: 1}) is None
    True
    """
    first = [demand & -demand for demand in demands]
    if len(set(first)) == len(first):
        return first
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
