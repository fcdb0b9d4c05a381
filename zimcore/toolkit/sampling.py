"""Draws one of many from a `random.Random`: the same state of it draws the same."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

T = TypeVar("T")


def below(count: int, rng: Random) -> int:
    """A number from 0 to below the count, each as likely; several times as fast as `randrange`."""
    return int(rng.random() * count)


def any_of(items: Sequence[T], rng: Random) -> T | None:
    """One of the items, each as likely; None of none."""
    return items[below(len(items), rng)] if items else None


def in_random_order(items: Iterable[T], rng: Random) -> Iterator[T]:
    """All items, each drawn when it is asked for, all as likely."""
    left = list(items)
    while left:
        yield left.pop(below(len(left), rng))


def by_weight(items: Iterable[T], rng: Random, weights: Mapping[T, float]) -> Iterator[T]:
    """The same by weights: what has none has 1, and what weighs 0 is left out."""
    left = list(items)
    heavy = [weights.get(item, 1) for item in left]
    if 0 in heavy:
        left, heavy = [item for item in left if weights.get(item, 1)], list(filter(None, heavy))
    while left:
        sums = list(accumulate(heavy))
        place = bisect(sums, rng.random() * sums[-1], 0, len(sums) - 1)
        del heavy[place]
        yield left.pop(place)
