"""Draws random items with a `random.Random`: the same generator state gives the same items."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

T = TypeVar("T")


def random_below(count: int, rng: Random) -> int:
    """A random number from 0 to below the count, uniformly; several times as fast as `Random.randrange`."""
    return int(rng.random() * count)


def random_item(items: Sequence[T], rng: Random) -> T | None:
    """A random item, all equally likely; None if there are none."""
    return items[random_below(len(items), rng)] if items else None


def in_random_order(items: Iterable[T], rng: Random) -> Iterator[T]:
    """All items in a uniformly random order, drawn one by one as they are needed."""
    remaining_items = list(items)
    while remaining_items:
        yield remaining_items.pop(random_below(len(remaining_items), rng))


def in_weighted_order(items: Iterable[T], rng: Random, weights: Mapping[T, float]) -> Iterator[T]:
    """Items in random order by weight. An item without a weight has 1; an item with weight 0 is left out."""
    remaining_items = list(items)
    remaining_weights = [weights.get(item, 1) for item in remaining_items]
    if 0 in remaining_weights:
        remaining_items, remaining_weights = (
            [item for item in remaining_items if weights.get(item, 1)],
            list(filter(None, remaining_weights)),
        )
    while remaining_items:
        weight_sums = list(accumulate(remaining_weights))
        index = bisect(weight_sums, rng.random() * weight_sums[-1], 0, len(weight_sums) - 1)
        del remaining_weights[index]
        yield remaining_items.pop(index)
