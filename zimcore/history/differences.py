"""The numbers in which two positions differ, seat by seat; and what a change costs a seat and brings others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from zimcore.documents.differences import Balance, Difference
from zimcore.game import Seat
from zimcore.history.evaluation import Values


def main_figure(values: Values) -> str:
    """The figure that decides the game, such as victory points: the first one of each seat.

    >>> main_figure({"round": 4, "zulu": {"vp": 3, "cattle": 1}})
    'vp'
    """
    seats = (own for own in values.values() if isinstance(own, Mapping))
    return next((name for own in seats for name in own), "")


def differences(a: Values, b: Values) -> Iterator[Difference]:
    """The numbers of each seat that differ between two positions, in the order in which the first names them."""
    for seat, own in a.items():
        second_values = b.get(seat)
        if isinstance(own, Mapping) and isinstance(second_values, Mapping):
            yield from _differing_figures(seat, own, second_values)


def balance(differences_found: Iterable[Difference], seat: Seat, money: Collection[str], points: str) -> Balance:
    """The balance of differences for a seat; `money` names the figures that are money, `points` the one for points.

    >>> found = [Difference("zulu", "cattle", 5, 1), Difference("lozi", "on_cards", 0, 4)]
    >>> balance(found, "zulu", ["cattle", "on_cards"], "vp")
    Balance(seat='zulu', cost=4, vp=0, profits={'lozi': {'on_cards': 4}}, points='vp')
    """
    own, transfers = dict[str, int](), dict[Seat, dict[str, int]]()
    for each in differences_found:
        if each.seat == seat:
            own[each.name] = each.change
        elif each.change > 0 and each.name in (points, *money):
            transfers.setdefault(each.seat, {})[each.name] = each.change
    return Balance(seat, -sum(own.get(name, 0) for name in money), own.get(points, 0), transfers, points)


def is_number(value: object) -> TypeGuard[int]:
    """Whether a figure is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def _differing_figures(seat: Seat, own: Mapping[str, Any], other_figures: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in own.items():
        other_value = other_figures.get(name)
        if is_number(value) and is_number(other_value) and value != other_value:
            yield Difference(seat, name, value, other_value)
