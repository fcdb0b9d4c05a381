"""What any single command brings, in the same words as advice."""

from __future__ import annotations

from itertools import chain

from zimcore.game import Seat
from zimcore.games.zimbabwe.advice.bidding import bid_effects
from zimcore.games.zimbabwe.advice.cards import god_effects, specialist_effects
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.advice.placing import (
    evaluate_sites,
    goods_near,
    monument_effects,
    placing_effects,
    start_effects,
)
from zimcore.games.zimbabwe.advice.prices import price_effects
from zimcore.games.zimbabwe.advice.raising import raise_option, raising_effects
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    Give,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    SetPrices,
    Start,
    Use,
)
from zimcore.games.zimbabwe.previews import preview_bid
from zimcore.games.zimbabwe.state import State


def describe_effects(state: State, seat: Seat, command: AnyCommand) -> tuple[str, ...]:
    """The effects of a legal command, its cost first; none for the end of a turn."""
    match command:
        case Start(square=square):
            return start_effects(state, square)
        case Give() | Pass():
            bid = preview_bid(state, command.amount if isinstance(command, Give) else 0)
            return bid_effects(bid) if bid else ()
        case Adore(god=name):
            return god_effects(state, seat, name)
        case Hire() | Use():
            return specialist_effects(state, seat, command)
        case Build(squares=squares):
            distances = Distances(state)
            return tuple(chain.from_iterable(monument_effects(goods_near(distances, square)) for square in squares))
        case PlaceCraftsman(type=type_, squares=squares):
            (site,) = evaluate_sites(state, seat, type_, (squares,), Distances(state))
            return tuple(placing_effects(state, seat, type_, site))
        case Raise():
            return raising_effects(state, seat, raise_option(state, seat, command))
        case SetPrices(prices=prices):
            distances = Distances(state)
            return tuple(
                chain.from_iterable(price_effects(state, seat, *type_and_price, distances) for type_and_price in prices)
            )
        case _:
            return ()
