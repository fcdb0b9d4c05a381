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
        self._units: dict[Squares, int] = {}
        self._fields_by_kind: dict[Resource, int] = {}

    def usage(self, chain: SupplyChain) -> int:
        """What one good adds to the usage."""
        return sum([self._units.get(source.free) or self._add_field(source) for source in chain.sources])

    def _add_field(self, source: Source) -> int:
        unit = self._units[source.free] = 1 << FIELD * len(self._units)
        kind = CRAFTSMEN[source.maker.type].resource
        self._fields_by_kind[kind] = self._fields_by_kind.get(kind, 0) | (2**FIELD - 1) * unit
        self[unit] = True
        return unit

    def __missing__(self, usage: int) -> bool:
        kinds = [part for fields in self._fields_by_kind.values() if (part := usage & fields)]
        suffices = all(map(self.__getitem__, kinds)) if len(kinds) > 1 else self._suffices(usage)
        self[usage] = suffices
        return suffices

    def _suffices(self, usage: int) -> bool:
        """Whether the resources suffice for a usage with one kind of resources."""
        counts = [(free, count) for free, unit in self._units.items() if (count := usage // unit & 2**FIELD - 1)]
        total = sum([count for _, count in counts])
        # If each craftsman has at least as many resources as there are goods, they can't be in each other's way.
        if min([free.bit_count() for free, _ in counts]) >= total:
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
    first_choices = [demand & -demand for demand in demands]
    if len(set(first_choices)) == len(first_choices):
        return first_choices
    users: dict[Squares, list[int]] = {}

    def serve(demand: int, visited: set[Squares]) -> bool:
        for resource in bits(demands[demand]):
            if resource in visited:
                continue
            visited.add(resource)
            users_so_far = users.setdefault(resource, [])
            if len(users_so_far) < capacity[resource]:
                users_so_far.append(demand)
                return True
            for slot, other in enumerate(users_so_far):
                if serve(other, visited):
                    users_so_far[slot] = demand
                    return True
        return False

    if not all(serve(demand, set()) for demand in range(len(demands))):
        return None
    resource_for = {demand: resource for resource, users_so_far in users.items() for demand in users_so_far}
    return [resource_for[demand] for demand in range(len(demands))]
