"""Chance that a seed decides, the same on every machine and every Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")


def chance(seed: int, what: str) -> Callable[[], float]:
    """Random numbers for one thing, so that fixing another does not change it."""
    return generator(seed, what).random


def generator(seed: int, what: str) -> Random:
    """The same as a generator, to choose and to shuffle with."""
    return Random(f"{seed}/{what}")


def shuffle(items: Iterable[T], random: Callable[[], float]) -> tuple[T, ...]:
    """The items in random order."""
    return tuple(sorted(items, key=lambda _: random()))
