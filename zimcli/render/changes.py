"""What differs between two positions, as a table, and what that means to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.render.spans import Line
from zimcore.documents.differences import Balance, Difference
from zimcore.game import Table


def change_table(changes: Sequence[Difference], a: str, b: str) -> Table:
    """One row for each number of each seat that is not the same."""
    rows = tuple((one.seat, one.name, str(one.a), str(one.b), f"{one.change:+d}") for one in changes)
    return Table("", ("player", "what", a, b, "change"), rows, tuple(one.seat for one in changes))


def balance_lines(summed: Balance) -> Iterator[Line]:
    """What it costs, what it scores, and who else profits."""
    cost = f"costs {summed.cost}" if summed.cost > 0 else f"brings {-summed.cost}" if summed.cost else "costs nothing"
    yield [(summed.seat, "bold"), (f": {cost}, {summed.vp:+d} {summed.points.upper()}", "")]
    for seat, gains in summed.profits.items():
        yield [(seat, "bold"), (" profits: " + ", ".join(f"{gain:+d} {name}" for name, gain in gains.items()), "")]
