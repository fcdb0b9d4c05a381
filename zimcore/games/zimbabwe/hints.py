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
from zimcore.games.zimbabwe.legal import water_pairs
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import cheapest_plan, explain_impossible
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.craftsmen import footprints
from zimcore.games.zimbabwe.rules.monuments import building_ground
from zimcore.games.zimbabwe.rules.rituals import growing_monuments
from zimcore.games.zimbabwe.rules.rule import is_legal
from zimcore.games.zimbabwe.state import State

MAX_HINTS = 3
"""The most hints for a refusal."""


def add_hints(state: State, seat: Seat, command: Command, refused: Refused) -> Refused:
    """A refusal with the nearest legal commands, and with the planner's reason if a raise has no goods."""
    refusals = refused.refusals
    if isinstance(command, Raise) and any(not ritual.goods for ritual in command.rituals):
        explained_refusals = [_explain_missing_goods(state, seat, command, refusal) for refusal in refusals]
        refusals = tuple(refusal for refusal in explained_refusals if refusal) or refusals
    return Refused(refusals, _hints(state, seat, command))


def _explain_missing_goods(state: State, seat: Seat, command: Raise, refusal: Refusal) -> Refusal | None:
    """The refusal of a raise without goods, with the planner's reason; None if goods are not what it lacks.

    A short `raise` has no goods if there is no plan for it. If some are named, the rule says what is missing.
    """
    if refusal.code != "R-RAI-02" or any(ritual.goods for ritual in command.rituals):
        return refusal
    growing_squares = growing_monuments(state, seat)
    reason = explain_impossible(
        state, seat, [ritual.monument for ritual in command.rituals if ritual.monument in growing_squares]
    )
    return replace(refusal, reason=reason) if reason else None


def _hints(state: State, seat: Seat, command: Command) -> tuple[str, ...]:
    suggest = (
        _suggest_prices
        if state.unpriced_technologies(seat) and isinstance(command, COMMANDS_AFTER_PRICING)
        else SUGGESTERS.get(type(command))
    )
    if suggest is None or state.actor != seat:
        return ()
    legal_suggestions = (
        suggestion for suggestion in suggest(state, seat, command) if is_legal(state, seat, suggestion)
    )
    return tuple(format_command(suggestion) for suggestion in islice(legal_suggestions, MAX_HINTS))


def _sort_by_distance(state: State, squares: Iterable[Square], squares_typed: tuple[Square, ...]) -> list[Square]:
    """Squares by their straight distance from another one; if that is not on the board, by the likeness of names."""
    if not squares_typed:
        return list(squares)
    if squares_typed[0] not in state.board.square:
        from difflib import SequenceMatcher  # only slips need it

        return sorted(squares, key=lambda square: -SequenceMatcher(None, squares_typed[0], square).ratio())
    column, row = _coordinates(squares_typed[0])
    return sorted(
        squares, key=lambda square: max(abs(_coordinates(square)[0] - column), abs(_coordinates(square)[1] - row))
    )


def _coordinates(square: Square) -> tuple[int, int]:
    return ord(square[0]), int(square[1:])


def _square_names(state: State, squares: Squares) -> tuple[Square, ...]:
    return state.board.names(squares)


def _suggest_starts(state: State, seat: Seat, command: Start) -> Iterator[Start]:
    return map(Start, _sort_by_distance(state, _square_names(state, state.start_areas), (command.square,)))


def _suggest_gifts(state: State, seat: Seat, command: Give) -> Iterator[Give | Pass]:
    least_gift, largest_gift = generosity.minimum_gift(state), generosity.largest_gift(state, seat)
    yield Give(least_gift)
    if largest_gift > least_gift:
        yield Give(largest_gift)
    yield Pass()


def _suggest_buildings(state: State, seat: Seat, command: Build) -> Iterator[Build]:
    return (
        Build((square,))
        for square in _sort_by_distance(state, _square_names(state, building_ground(state)), command.squares)
    )


def _suggest_placements(state: State, seat: Seat, command: PlaceCraftsman) -> Iterator[PlaceCraftsman]:
    if command.type not in CRAFTSMEN:
        return
    has_technology = f"{seat}/{command.type}" in state.technologies
    price = None if has_technology else command.price or 1
    sorted_footprints = sorted(
        footprints(state, command.type), key=lambda footprint: footprint == command.squares
    )  # the one that is meant last
    footprint_by_square = {squares[0]: squares for squares in sorted_footprints}
    for square in _sort_by_distance(state, footprint_by_square, command.squares):
        yield PlaceCraftsman(command.type, footprint_by_square[square], price)


def _suggest_uses(state: State, seat: Seat, command: Hire | Use) -> Iterator[Hire | Use]:
    specialist = SPECIALISTS.get(command.specialist)
    if specialist is None:
        return
    if specialist.places_resource:
        squares = _sort_by_distance(state, _square_names(state, state.empty_land), command.squares)
        yield from (replace(command, squares=(square,)) for square in squares)
    elif specialist.places_water:
        pair_by_square = {pair[0]: pair for pair in water_pairs(state)}
        yield from (
            replace(command, squares=pair_by_square[square])
            for square in _sort_by_distance(state, pair_by_square, command.squares)
        )
    else:
        yield from (replace(command, cattle=cattle) for cattle in specialist.costs)


def _suggest_stopping(state: State, seat: Seat, command: Pass | EndTurn) -> Iterator[AnyCommand]:
    """In the bidding, passing or the least gift; later, the end of the turn."""
    if state.phase == "bidding":
        yield from (Pass(), Give(generosity.minimum_gift(state)))
    else:
        yield EndTurn()


def _suggest_raises(state: State, seat: Seat, command: Raise) -> Iterator[Raise]:
    """Raises for the named monuments that can be raised; if none of these is the player's, for any others."""
    own_monuments, named_monuments = growing_monuments(state, seat), {ritual.monument for ritual in command.rituals}
    if named_monuments.isdisjoint(own_monuments):
        yield from (plan.command for plan in (cheapest_plan(state, seat, [square]) for square in own_monuments) if plan)
        return
    plan = cheapest_plan(state, seat, [square for square in own_monuments if square in named_monuments])
    if plan:
        yield plan.command


def _suggest_prices(state: State, seat: Seat, command: Command) -> Iterator[SetPrices]:
    unpriced_types = state.unpriced_technologies(seat)
    return (SetPrices(tuple((type_, price) for type_ in unpriced_types)) for price in range(1, CONSTANTS.max_price + 1))


COMMANDS_AFTER_PRICING = (Adore, Hire, Use, EndTurn)
"""Commands that have to wait for the prices of new technologies (R-PRI-01)."""
SUGGESTERS: dict[type[Command], Callable[[State, Seat, Any], Iterator[AnyCommand]]] = {
    Start: _suggest_starts,
    Give: _suggest_gifts,
    Pass: _suggest_stopping,
    EndTurn: _suggest_stopping,
    Build: _suggest_buildings,
    PlaceCraftsman: _suggest_placements,
    Hire: _suggest_uses,
    Use: _suggest_uses,
    Raise: _suggest_raises,
}
