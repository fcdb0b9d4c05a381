"""Hints for a refused command: the nearest legal ones, where these are cheap to find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from zimcore.game import Command, Refusal, Refused, Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    EndTurn,
    Give,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    SetPrices,
    Square,
    Start,
    Use,
)
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, SPECIALISTS
from zimcore.games.zimbabwe.legal import pairs
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import cheapest, why_not
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.craftsmen import footprints
from zimcore.games.zimbabwe.rules.monuments import building_ground
from zimcore.games.zimbabwe.rules.rituals import growing
from zimcore.games.zimbabwe.rules.rule import stands
from zimcore.games.zimbabwe.state import State

MAX_HINTS = 3
"""The most hints for a refusal."""


def add_hints(state: State, seat: Seat, command: Command, refusal_answer: Refused) -> Refused:
    """A refusal with the nearest legal commands, and with the planner's reason if a raise has no goods."""
    refusals = refusal_answer.refusals
    if isinstance(command, Raise) and any(not ritual.goods for ritual in command.rituals):
        with_reasons = [_no_goods(state, seat, command, refusal) for refusal in refusals]
        refusals = tuple(refusal for refusal in with_reasons if refusal) or refusals
    return Refused(refusals, _hints(state, seat, command))


def _no_goods(state: State, seat: Seat, command: Raise, refusal: Refusal) -> Refusal | None:
    """The refusal of a raise without goods, with the planner's reason; None if goods are not what it lacks.

    A short `raise` has no goods if there is no plan for it.
    """
    if refusal.code != "R-RAI-02":
        return refusal
    can_grow = growing(state, seat)
    reason = why_not(state, seat, [ritual.monument for ritual in command.rituals if ritual.monument in can_grow])
    return replace(refusal, reason=reason) if reason else None


def _hints(state: State, seat: Seat, command: Command) -> tuple[str, ...]:
    near = (
        _prices if state.unpriced_technologies(seat) and isinstance(command, UNPRICED) else NEAREST.get(type(command))
    )
    if near is None or state.actor != seat:
        return ()
    legal = (other for other in near(state, seat, command) if stands(state, seat, other))
    return tuple(format_command(other) for other in islice(legal, MAX_HINTS))


def _near(state: State, squares: Iterable[Square], to: tuple[Square, ...]) -> list[Square]:
    """Squares by their straight distance from another one; if that is not on the board, by the likeness of names."""
    if not to:
        return list(squares)
    if to[0] not in state.board.square:
        from difflib import SequenceMatcher  # only slips need it

        return sorted(squares, key=lambda square: -SequenceMatcher(None, to[0], square).ratio())
    column, row = _place(to[0])
    return sorted(squares, key=lambda square: max(abs(_place(square)[0] - column), abs(_place(square)[1] - row)))


def _place(square: Square) -> tuple[int, int]:
    return ord(square[0]), int(square[1:])


def _names(state: State, squares: Squares) -> tuple[Square, ...]:
    return state.board.names(squares)


def _starts(state: State, seat: Seat, command: Start) -> Iterator[Start]:
    return map(Start, _near(state, _names(state, state.starts), (command.square,)))


def _gifts(state: State, seat: Seat, command: Give) -> Iterator[Give | Pass]:
    least, most = generosity.minimum_gift(state), generosity.largest_gift(state, seat)
    yield Give(least)
    if most > least:
        yield Give(most)
    yield Pass()


def _buildings(state: State, seat: Seat, command: Build) -> Iterator[Build]:
    return (Build((square,)) for square in _near(state, _names(state, building_ground(state)), command.squares))


def _placements(state: State, seat: Seat, command: PlaceCraftsman) -> Iterator[PlaceCraftsman]:
    if command.type not in CRAFTSMEN:
        return
    owned = f"{seat}/{command.type}" in state.technologies
    price = None if owned else command.price or 1
    ways = sorted(footprints(state, command.type), key=lambda way: way == command.squares)  # the one that is meant last
    places = {squares[0]: squares for squares in ways}
    for square in _near(state, places, command.squares):
        yield PlaceCraftsman(command.type, places[square], price)


def _uses(state: State, seat: Seat, command: Hire | Use) -> Iterator[Hire | Use]:
    specialist = SPECIALISTS.get(command.specialist)
    if specialist is None:
        return
    if specialist.places_resource:
        squares = _near(state, _names(state, state.empty), command.squares)
        yield from (replace(command, squares=(square,)) for square in squares)
    elif specialist.places_water:
        places = {pair[0]: pair for pair in pairs(state)}
        yield from (replace(command, squares=places[square]) for square in _near(state, places, command.squares))
    else:
        yield from (replace(command, cattle=cattle) for cattle in specialist.costs)


def _out(state: State, seat: Seat, command: Pass | EndTurn) -> Iterator[AnyCommand]:
    """In the bidding, passing or the least gift; later, the end of the turn."""
    if state.phase == "bidding":
        yield from (Pass(), Give(generosity.minimum_gift(state)))
    else:
        yield EndTurn()


def _raises(state: State, seat: Seat, command: Raise) -> Iterator[Raise]:
    """Raises for the named monuments that can be raised; if none of these is the player's, for any others."""
    own, named = growing(state, seat), {ritual.monument for ritual in command.rituals}
    if named.isdisjoint(own):
        yield from (plan.command for plan in (cheapest(state, seat, [square]) for square in own) if plan)
        return
    plan = cheapest(state, seat, [square for square in own if square in named])
    if plan:
        yield plan.command


def _prices(state: State, seat: Seat, command: Command) -> Iterator[SetPrices]:
    missing = state.unpriced_technologies(seat)
    return (SetPrices(tuple((type_, price) for type_ in missing)) for price in range(1, CONSTANTS.max_price + 1))


UNPRICED = (Adore, Hire, Use, EndTurn)
"""Commands that have to wait for the prices of new technologies (R-PRI-01)."""
NEAREST: dict[type[Command], Callable[[State, Seat, Any], Iterator[AnyCommand]]] = {
    Start: _starts,
    Give: _gifts,
    Pass: _out,
    EndTurn: _out,
    Build: _buildings,
    PlaceCraftsman: _placements,
    Hire: _uses,
    Use: _uses,
    Raise: _raises,
}
