"""Prices with several parts as one int, so that one operation adds, multiplies or compares them.

A price has three fields of bits: cattle paid at once, cattle lost for good (the rest comes back as revenue), and used
markers. The smaller of two prices is better: cattle paid at once count first, markers last.

    >>> good, hub = pack_price(2, 0, 1), pack_price(1, 1, 0)
    >>> unpack_price(2 * good + hub)
    (5, 1, 2)
    >>> good + hub < 2 * good
    True
"""

from __future__ import annotations

from typing import TypeAlias

Price: TypeAlias = int

FREE: Price = 0
FIELD_BITS = 16
"""Bits of a field: no raise costs anything near 65,536 cattle."""
NEVER: Price = 1 << 4 * FIELD_BITS
"""Greater than any price."""


def bound_above(cattle: int | None) -> Price:
    """The bound that is greater than every price of at most `cattle` at once; with None, than every price."""
    return pack_price(1 << FIELD_BITS if cattle is None else cattle + 1, 0, 0)


def pack_price(cost: int, net: int, markers: int) -> Price:
    """The price with these parts."""
    return (cost << FIELD_BITS | net) << FIELD_BITS | markers


def unpack_price(price: Price) -> tuple[int, int, int]:
    """The parts of a price: cattle at once, cattle for good, used markers."""
    field_mask = (1 << FIELD_BITS) - 1
    return price >> 2 * FIELD_BITS, price >> FIELD_BITS & field_mask, price & field_mask
