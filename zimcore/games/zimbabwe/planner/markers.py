"""Works out whether resources suffice, if each craftsman works a given number of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.components import CRAFTSMEN, Resource
from zimcore.games.zimbabwe.planner.offers import Source, SupplyChain

FIELD = 8
"""Bits of one count in a usage."""


class Markers(dict[int, bool]):
    """A cache: whether the resources in range suffice for a usage.

    A *usage* is an int with a field of bits for each set of resources: how often craftsmen with exactly these resources
    in range work. Kinds of resources do not compete, so each kind is checked alone.
    """

    def __init__(self, capacity: Mapping[Squares, int]) -> None:
        super().__init__({0: True})
        self._capacity = capacity
        self._once: dict[Squares, int] = {}
        self._kinds: dict[Resource, int] = {}

    def usage(self, chain: SupplyChain) -> int:
        """What one good adds to the usage."""
        return sum([self._once.get(source.free) or self._first(source) for source in chain.sources])

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
        """Whether the resources suffice for a usage with one kind of resources."""
        counts = [(free, count) for free, once in self._once.items() if (count := usage // once & 2**FIELD - 1)]
        all_ = sum([count for _, count in counts])
        # If each craftsman has at least as many resources as there are goods, they can't be in each other's way.
        if min([free.bit_count() for free, _ in counts]) >= all_:
            return True
        return assign([free for free, count in counts for _ in range(count)], self._capacity) is not None


def assign(demands: Sequence[Squares], capacity: Mapping[Squares, int]) -> list[Squares] | None:
    """One resource for each demand, within the capacity of each; None if that is impossible.

    Finds augmenting paths: a demand whose resources are all taken makes their users switch to others.

    >>> assign([0b011, 0b001], {0b001: 1, 0b010: 1})
    [2, 1]
    >>> assign([0b001, 0b001], {0b001: 1}) is None
    True
    """
    first = [demand & -demand for demand in demands]
    if len(set(first)) == len(first):
        return first
    users: dict[Squares, list[int]] = {}

    def place(demand: int, visited: set[Squares]) -> bool:
        for resource in bits(demands[demand]):
            if resource in visited:
                continue
            visited.add(resource)
            taken = users.setdefault(resource, [])
            if len(taken) < capacity[resource]:
                taken.append(demand)
                return True
            for slot, other in enumerate(taken):
                if place(other, visited):
                    taken[slot] = demand
                    return True
        return False

    if not all(place(demand, set()) for demand in range(len(demands))):
        return None
    resource_for = {demand: resource for resource, taken in users.items() for demand in taken}
    return [resource_for[demand] for demand in range(len(demands))]
