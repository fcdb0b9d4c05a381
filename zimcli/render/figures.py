"""Renders figures as words.

>>> figures_text({"winner": None, "zulu.specialists": ["herd", "shaman"], "over": True})
'winner is none, zulu.specialists is herd, shaman, over is so'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from zimcli.render.spans import Line
from zimcore.documents.differences import Balance, Difference
from zimcore.game import Table


def figure_text(value: Any) -> str:
    """A value in words."""
    match value:
        case None:
            return "none"
        case bool():
            return "so" if value else "not so"
        case list() | tuple():
            return ", ".join(map(str, value)) or "nothing"
    return str(value)


def figures_text(values: Mapping[str, Any]) -> str:
    """Names with their values: `kilwa.vp is 3, zulu.vp is 7`."""
    return ", ".join(f"{name} is {figure_text(value)}" for name, value in values.items())


def change_table(changes: Sequence[Difference], old_name: str, new_name: str) -> Table:
    """One row per figure of a seat that differs between the two positions."""
    rows = tuple(
        (difference.seat, difference.name, str(difference.a), str(difference.b), f"{difference.change:+d}")
        for difference in changes
    )
    return Table(
        "", ("player", "what", old_name, new_name, "change"), rows, tuple(difference.seat for difference in changes)
    )


def balance_lines(balance: Balance) -> Iterator[Line]:
    """What something costs, what it scores, and which other seats profit."""
    cost_text = (
        f"costs {balance.cost} for good"
        if balance.cost > 0
        else f"brings {-balance.cost}"
        if balance.cost
        else "costs nothing"
    )
    yield [(balance.seat, "bold"), (f": {cost_text}, {balance.vp:+d} {balance.points.upper()}", "")]
    for seat, amounts in balance.profits.items():
        yield [
            (seat, "bold"),
            (" profits: " + ", ".join(f"{amount:+d} {name}" for name, amount in amounts.items()), ""),
        ]
