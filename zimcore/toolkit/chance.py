"""Random numbers from a seed, the same on every machine and every version of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")


def chance(seed: int, purpose: str) -> Callable[[], float]:
    """A function that draws random numbers from 0 to 1 for one purpose, independent of those for others."""
    return generator(seed, purpose).random


def generator(seed: int, purpose: str) -> Random:
    """The generator behind `chance`, for choosing and shuffling."""
    return Random(f"{seed}/{purpose}")


def shuffle(items: Iterable[T], random: Callable[[], float]) -> tuple[T, ...]:
    """The items in random order."""
    return tuple(sorted(items, key=lambda _: random()))
