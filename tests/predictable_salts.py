"""Predictable values that replace random ones in tests."""

from collections.abc import Callable
from itertools import count


def salt_maker() -> Callable[[], bytes]:
    """The salts of a store: 1, 2, 3 and so on, in 16 bytes."""
    numbers = count(1)
    return lambda: next(numbers).to_bytes(16)
