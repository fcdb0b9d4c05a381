"""Works out whether resources suffice, if each craftsman works a given number of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.components import CRAFTSMEN, Resource
from zimcore.games.zimbabwe.planner.offers import Source, SupplyChain

FIELD_BITS = 8
"""Bits of one count in a usage."""


class SufficiencyCache(dict[int, bool]):
    """Whether the resources in range suffice for a usage, worked out once for each usage.

    A *usage* is an int made of counts, one for each set of resources, with `FIELD_BITS` bits each. A count says how
    often the craftsmen work that have exactly this set in range. Kinds of resources do not compete, so each kind is
    checked alone.
    """

    def __init__(self, capacity: Mapping[Squares, int]) -> None:
        super().__init__({0: True})
        self._capacity = capacity
        self._single_use_by_resources: dict[Squares, int] = {}
        self._field_mask_by_kind: dict[Resource, int] = {}

    def usage(self, chain: SupplyChain) -> int:
        """What one good, made by this chain, adds to a usage."""
        return sum(
            [
                self._single_use_by_resources.get(source.free_resources) or self._add_field(source)
                for source in chain.sources
            ]
        )

    def _add_field(self, source: Source) -> int:
        single_use = self._single_use_by_resources[source.free_resources] = 1 << FIELD_BITS * len(
            self._single_use_by_resources
        )
        kind = CRAFTSMEN[source.maker.type].resource
        self._field_mask_by_kind[kind] = self._field_mask_by_kind.get(kind, 0) | (2**FIELD_BITS - 1) * single_use
        self[single_use] = True
        return single_use

    def __missing__(self, usage: int) -> bool:
        usages_by_kind = [
            usage_of_kind for field_mask in self._field_mask_by_kind.values() if (usage_of_kind := usage & field_mask)
        ]
        is_enough = all(map(self.__getitem__, usages_by_kind)) if len(usages_by_kind) > 1 else self._suffices(usage)
        self[usage] = is_enough
        return is_enough

    def _suffices(self, usage: int) -> bool:
        """Whether the resources suffice for a usage with one kind of resources."""
        resources_and_counts = [
            (resources, count)
            for resources, single_use in self._single_use_by_resources.items()
            if (count := usage // single_use & 2**FIELD_BITS - 1)
        ]
        good_count = sum([count for _, count in resources_and_counts])
        # If each craftsman has at least as many resources as there are goods, they can't be in each other's way.
        if min([resources.bit_count() for resources, _ in resources_and_counts]) >= good_count:
            return True
        return (
            assign_resources(
                [resources for resources, count in resources_and_counts for _ in range(count)], self._capacity
            )
            is not None
        )


def assign_resources(demands: Sequence[Squares], capacity: Mapping[Squares, int]) -> list[Squares] | None:
    """One resource for each demand, so that none is used beyond its capacity; None if that is impossible.

    A demand is a set of resources, of which any will do. Finds augmenting paths: a demand whose resources are all taken
    makes their users switch to others.

    >>> assign_resources([0b011, 0b001], {0b001: 1, 0b010: 1})
    [2, 1]
    >>> assign_resources([0b001, 0b001], {0b001: 1}) is None
    True
    """
    first_choices = [demand & -demand for demand in demands]
    if len(set(first_choices)) == len(first_choices):
        return first_choices
    users_by_resource: dict[Squares, list[int]] = {}

    def serve(demand_index: int, visited_resources: set[Squares]) -> bool:
        for resource in bits(demands[demand_index]):
            if resource in visited_resources:
                continue
            visited_resources.add(resource)
            users = users_by_resource.setdefault(resource, [])
            if len(users) < capacity[resource]:
                users.append(demand_index)
                return True
            for user_index, user in enumerate(users):
                if serve(user, visited_resources):
                    users[user_index] = demand_index
                    return True
        return False

    if not all(serve(demand_index, set()) for demand_index in range(len(demands))):
        return None
    resource_by_demand = {
        demand_index: resource for resource, users in users_by_resource.items() for demand_index in users
    }
    return [resource_by_demand[demand_index] for demand_index in range(len(demands))]
