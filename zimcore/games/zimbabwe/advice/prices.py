"""Advice on prices of the seat's technologies, by their customers."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.commands import SetPrices
from zimcore.games.zimbabwe.components import CraftsmanType
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.rules.prices import new_prices
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import numbered


def price_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """One higher price at a time, first those of technologies with most monuments of others in reach.

    A god lets prices fall too, but who follows advice that goes down and up again never ends the turn.
    """
    distances = Distances(state)
    customer_counts = {type_: distances.count_customers(type_, seat) for type_ in state.technologies_of(seat)}
    for type_, prices in sorted(new_prices(state, seat).items(), key=lambda item: -customer_counts[item[0]]):
        current_price = state.technologies_of(seat)[type_].price or 0
        for price in sorted((price for price in prices if price > current_price), reverse=True):
            yield Advice(
                format_command(SetPrices(((type_, price),))), price_effects(state, seat, type_, price, distances)
            )


def price_effects(state: State, seat: Seat, type_: CraftsmanType, price: int, distances: Distances) -> tuple[str, ...]:
    """The old and new price of a technology, and how many monuments of others are in reach."""
    change_text = f"{type_}: {state.technologies_of(seat)[type_].price} cattle now, {price} then"
    return change_text, f"{numbered(distances.count_customers(type_, seat), 'monument')} of others within reach"
