"""What any single command brings, in the same words as advice."""

from __future__ import annotations

from itertools import chain

from zimcore.game import Seat
from zimcore.games.zimbabwe.advice.bidding import brings_bid
from zimcore.games.zimbabwe.advice.cards import brings_god, brings_job
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.advice.placing import brings_monument, brings_start, goods_near, looked_at
from zimcore.games.zimbabwe.advice.placing import placing_effects as brings_craftsman
from zimcore.games.zimbabwe.advice.prices import brings_price
from zimcore.games.zimbabwe.advice.raising import raise_option
from zimcore.games.zimbabwe.advice.raising import raising_effects as brings_raise
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
            return brings_start(state, square)
        case Give() | Pass():
            bid = preview_bid(state, command.amount if isinstance(command, Give) else 0)
            return brings_bid(bid) if bid else ()
        case Adore(god=name):
            return brings_god(state, seat, name)
        case Hire() | Use():
            return brings_job(state, seat, command)
        case Build(squares=squares):
            distances = Distances(state)
            return tuple(chain.from_iterable(brings_monument(goods_near(distances, each)) for each in squares))
        case PlaceCraftsman(type=type_, squares=squares):
            (place,) = looked_at(state, seat, type_, (squares,), Distances(state))
            return tuple(brings_craftsman(state, seat, type_, place))
        case Raise():
            return brings_raise(state, seat, raise_option(state, seat, command))
        case SetPrices(prices=prices):
            distances = Distances(state)
            return tuple(chain.from_iterable(brings_price(state, seat, *each, distances) for each in prices))
        case _:
            return ()
