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
    seats = (figures_of_seat for figures_of_seat in values.values() if isinstance(figures_of_seat, Mapping))
    return next((name for figures_of_seat in seats for name in figures_of_seat), "")


def differences(first_values: Values, second_values: Values) -> Iterator[Difference]:
    """The numbers of each seat that differ between two positions, in the order in which the first names them."""
    for seat, first_figures in first_values.items():
        second_figures = second_values.get(seat)
        if isinstance(first_figures, Mapping) and isinstance(second_figures, Mapping):
            yield from _differing_figures(seat, first_figures, second_figures)


def balance(differences_found: Iterable[Difference], seat: Seat, money: Collection[str], points: str) -> Balance:
    """The balance of differences for a seat; `money` names the figures that are money, `points` the one for points.

    >>> found = [Difference("zulu", "cattle", 5, 1), Difference("lozi", "on_cards", 0, 4)]
    >>> balance(found, "zulu", ["cattle", "on_cards"], "vp")
    Balance(seat='zulu', cost=4, vp=0, profits={'lozi': {'on_cards': 4}}, points='vp')
    """
    own_changes, transfers = dict[str, int](), dict[Seat, dict[str, int]]()
    for difference in differences_found:
        if difference.seat == seat:
            own_changes[difference.name] = difference.change
        elif difference.change > 0 and difference.name in (points, *money):
            transfers.setdefault(difference.seat, {})[difference.name] = difference.change
    return Balance(
        seat, -sum(own_changes.get(name, 0) for name in money), own_changes.get(points, 0), transfers, points
    )


def is_number(value: object) -> TypeGuard[int]:
    """Whether a figure is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def _differing_figures(
    seat: Seat, first_figures: Mapping[str, Any], second_figures: Mapping[str, Any]
) -> Iterator[Difference]:
    for name, first_value in first_figures.items():
        second_value = second_figures.get(name)
        if is_number(first_value) and is_number(second_value) and first_value != second_value:
            yield Difference(seat, name, first_value, second_value)
