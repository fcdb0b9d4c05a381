"""Draws a random legal command of each kind; None if there is none. Not every command is as likely as the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from random import Random

from zimcore.games.zimbabwe.board import nth_square
from zimcore.games.zimbabwe.commands import AnyCommand, Build, EndTurn, Give, Pass, Raise, Ritual, SetPrices, Square
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, SimilarCommands
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.planner.buyer import Buyer
from zimcore.games.zimbabwe.planner.raisable import affordable_monuments
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import may_raise, monuments_left, second_building_ground
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.sampling import in_random_order, random_below, random_item

CHEAPEST_SHARE = 1 / 64
"""The share of raises drawn from the cheapest plans directly."""


def sample_grouped_kind(kind: str, state: State, rng: Random) -> AnyCommand | None:
    """Draws a name of the kind (a god, a type), then a group (a resource for the Shaman), a place and a price.

    Names and groups come in random order; those without a legal command are passed over.
    """
    for name in in_random_order(GROUPED_KINDS[kind].find_names(state), rng):
        groups = GROUPED_KINDS[kind].find_groups(state, name)
        for group in in_random_order(groups, rng) if len(groups) > 1 else groups:
            command = sample_group(group, state, rng)
            if command is not None:
                return command
    return None


def sample_group(group: SimilarCommands, state: State, rng: Random) -> AnyCommand | None:
    """Draws a place uniformly, then a price."""
    place_sets = group.find_places()
    index = random_below(sum([place_set.corners.bit_count() for place_set in place_sets]), rng)
    for corners, width, height in place_sets:
        count = corners.bit_count()
        if index < count:
            return random_item(
                group.make_commands(state.board.rectangle(nth_square(corners, index), width, height)), rng
            )
        index -= count
    return None


def sample_gift(state: State, rng: Random) -> Give | None:
    """Draws an amount uniformly."""
    amount = random_item(generosity.gifts(state, state.actor or ""), rng)
    return None if amount is None else Give(amount)


def sample_pass(state: State, rng: Random) -> Pass | None:
    """A pass, if it is legal."""
    return Pass() if generosity.may_pass(state, state.actor or "") else None


def sample_building(state: State, rng: Random) -> AnyCommand | None:
    """Draws a square; if two monuments are allowed, half the time another square that goes with it."""
    command = sample_grouped_kind("build", state, rng)
    if isinstance(command, Build) and monuments_left(state, state.turn.seat) > 1 and rng.random() < 0.5:
        board = state.board
        built_squares = board.mask(command.squares)
        further_ground = second_building_ground(state, built_squares)
        if further_ground:
            return Build(
                board.names(built_squares | nth_square(further_ground, random_below(further_ground.bit_count(), rng)))
            )
    return command


def sample_pricing(state: State, rng: Random) -> SetPrices | None:
    """Draws a combination of new prices uniformly."""
    prices_by_type = new_prices(state, state.turn.seat)
    combination_count = prod(len(prices) + 1 for prices in prices_by_type.values())
    # Number 0 is the combination without a new price.
    combination_number = 1 + random_below(combination_count - 1, rng)
    chosen_prices = []
    for type_, prices in prices_by_type.items():
        combination_number, price_index = divmod(combination_number, len(prices) + 1)
        if price_index:
            chosen_prices.append((type_, prices[price_index - 1]))
    return SetPrices(tuple(chosen_prices)) if chosen_prices else None


def sample_raise(state: State, rng: Random) -> Raise | None:
    """Draws a set of the player's monuments, mostly with goods of the nearest craftsmen, rarely with the cheapest.

    Monuments come in random order: it takes the first that can be raised, then each further one half the time. If no
    monument can be raised with the nearest craftsmen, but perhaps with others, it draws from the cheapest plans.
    """
    monuments = affordable_monuments(state, state.turn.seat) if may_raise(state, state.turn.seat) else []
    if monuments and rng.random() >= CHEAPEST_SHARE:
        buyer = Buyer(state, state.turn.seat)
        nearby_raise = random_raise(buyer, monuments, rng)
        if nearby_raise or not buyer.is_uncertain:
            return nearby_raise
    return cheapest_raise(state, monuments, rng) if monuments else None


def random_raise(buyer: Buyer, monuments: list[Square], rng: Random) -> Raise | None:
    """A random raise with goods of the nearest craftsmen."""
    rituals: dict[Square, Ritual] = {}
    for square in in_random_order(monuments, rng):
        ritual = None if rituals and rng.random() < 0.5 else buyer.buy_ritual(square)
        if ritual:
            rituals[square] = ritual
    return Raise(tuple([rituals[square] for square in monuments if square in rituals])) if rituals else None


def cheapest_raise(state: State, monuments: list[Square], rng: Random) -> Raise | None:
    """A random raise with the cheapest goods."""
    planner = Planner(state, state.turn.seat, state.cattle[state.turn.seat])
    chosen_squares: tuple[Square, ...] = ()
    plan = None
    for square in in_random_order(monuments, rng):
        if chosen_squares and rng.random() < 0.5:
            continue
        larger_set = tuple([monument for monument in monuments if monument in chosen_squares or monument == square])
        larger_plan = planner.plan(larger_set)
        if larger_plan:
            chosen_squares, plan = larger_set, larger_plan
    return plan.command if plan else None


def sample_end(state: State, rng: Random) -> EndTurn | None:
    """The end of the turn, if it is legal."""
    return EndTurn() if may_end(state, state.turn.seat) else None


SAMPLERS: dict[str, Callable[[State, Random], AnyCommand | None]] = {
    "start": partial(sample_grouped_kind, "start"),
    "bid": sample_gift,
    "pass": sample_pass,
    "adore": partial(sample_grouped_kind, "adore"),
    "hire": partial(sample_grouped_kind, "hire"),
    "use": partial(sample_grouped_kind, "use"),
    "build": sample_building,
    "craft": partial(sample_grouped_kind, "craft"),
    "price": sample_pricing,
    "raise": sample_raise,
    "end": sample_end,
}
