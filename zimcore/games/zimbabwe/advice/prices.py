"""Prices of the own technologies: who would pay them."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.commands import SetPrices
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.rules.prices import new_prices
from zimcore.games.zimbabwe.state import State


def pricings(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """One technology at a time, those first that most monuments of others depend on."""
    distances, technologies = Distances(state), state.technologies_of(seat)
    served = {type_: distances.customers(type_, seat) for type_ in technologies}
    for type_, prices in sorted(new_prices(state, seat).items(), key=lambda each: -served[each[0]]):
        for price in sorted(prices, reverse=True):
            change = f"{technologies[type_].price} cattle now, {price} then"
            yield Advice(
                format_command(SetPrices(((type_, price),))),
                (change, f"{served[type_]} monuments of others within reach"),
            )
