"""What differs between two positions, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import Table
from zimcore.history import Difference


def change_table(changes: Sequence[Difference], a: str, b: str) -> Table:
    """One row for each number of each seat that is not the same."""
    rows = tuple((one.seat, one.name, str(one.a), str(one.b), f"{one.change:+d}") for one in changes)
    return Table("", ("player", "what", a, b, "change"), rows, tuple(one.seat for one in changes))
