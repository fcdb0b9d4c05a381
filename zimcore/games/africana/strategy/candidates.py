"""Turns worth trying: drawing, buying, and the routes with most to do now or later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from zimcore.game import Seat
from zimcore.games.africana.commands import AnyCommand, Discard, Draw, EndTurn
from zimcore.games.africana.legal import discard_commands, purchase_commands
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.state import State
from zimcore.games.africana.strategy.features import outlook
from zimcore.games.africana.strategy.routes import routes

Plan = Sequence[AnyCommand]

MAX_ROUTES, MAX_DISCARDS = 6, 30
"""The most routes to try, and the most choices of discards."""


def candidates(state: State, seat: Seat) -> Iterator[Plan]:
    """The plans of the seat to move.

    Drawing with a full hand, and ending a turn without an action, are left out while anything else is possible:
    otherwise bots would wait for better cards forever.
    """
    turn = state.turn
    if turn.over:
        yield from _discards(state)
    elif turn.action == "books":
        yield from _purchases(state)
        yield (EndTurn(),)
    elif turn.action == "move":
        yield from _route_plans(state, seat)
        if RULEBOOK.is_legal(state, seat, EndTurn()):
            yield (EndTurn(),)
    else:
        can_draw = len(state.pile) + len(state.discards) > 0
        plans = [*_purchases(state), *_route_plans(state, seat)]
        if can_draw and (len(state.hands[seat]) < state.box.limits.hand or not plans):
            plans.append((Draw(),))
        yield from plans or [(EndTurn(),)]


def _purchases(state: State) -> Iterator[Plan]:
    """Buying the top cards of the book, while the player has room for them."""
    if len(state.unfinished[state.turn.seat]) < state.box.limits.adventures:
        yield from (
            (purchase, EndTurn())
            for purchase in purchase_commands(state)
            if RULEBOOK.is_legal(state, state.turn.seat, purchase)
        )


def _route_plans(state: State, seat: Seat) -> list[Plan]:
    """The best routes, each with the end of the turn; a route without a step needs something to do on the spot."""
    routes_with_commands = [route for route in routes(state, seat) if route.commands]
    routes_with_commands.sort(
        key=lambda route: route.gain + outlook(state, seat, route.place, route.deeds), reverse=True
    )
    return [(*route.commands, EndTurn()) for route in routes_with_commands[:MAX_ROUTES]]


def _discards(state: State) -> Iterator[tuple[Discard]]:
    """Choices of discards."""
    yield from zip(islice(discard_commands(state), MAX_DISCARDS))
