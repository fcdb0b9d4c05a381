"""What something takes, as one int, so that prices are added, multiplied and compared at once.

It has three fields of bits: cattle at once, cattle for good (the rest comes back as revenue), used markers. Of two
prices the smaller one is better: cattle at once count first, markers last.

    >>> good, hub = price(2, 0, 1), price(1, 1, 0)
    >>> parts(2 * good + hub)
    (5, 1, 2)
    >>> good + hub < 2 * good
    True
"""

from __future__ import annotations

from typing import TypeAlias

Price: TypeAlias = int

FREE: Price = 0
FIELD = 16
"""Bits of a field: no raise comes near to 65,536 cattle."""
NEVER: Price = 1 << 4 * FIELD
"""More than anything takes."""


def up_to(cattle: int | None) -> Price:
    """Less than this is what costs at most so many cattle at once; with None, what costs any."""
    return price(1 << FIELD if cattle is None else cattle + 1, 0, 0)


def price(cost: int, net: int, markers: int) -> Price:
    """A price of its parts."""
    return (cost << FIELD | net) << FIELD | markers


def parts(price: Price) -> tuple[int, int, int]:
    """Cattle at once, cattle for good, used markers."""
    most = (1 << FIELD) - 1
    return price >> 2 * FIELD, price >> FIELD & most, price & most
