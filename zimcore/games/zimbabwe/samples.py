"""Draws a random legal command of each kind; None if there is none. Each function states its probabilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from random import Random

from zimcore.games.zimbabwe.board import nth
from zimcore.games.zimbabwe.commands import AnyCommand, Build, EndTurn, Give, Pass, Raise, Ritual, SetPrices, Square
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, SimilarCommands
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.planner.buyer import Buyer
from zimcore.games.zimbabwe.planner.raisable import affordable
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import ground_beside, may_raise, monuments_left
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.sampling import any_of, below, in_random_order

CHEAPEST = 1 / 64
"""The share of raises drawn from the cheapest plans directly."""


def sample_similar(kind: str, state: State, rng: Random) -> AnyCommand | None:
    """Draws a thing of the kind (a god, a type), then a group (a resource for the Shaman), a place and a price."""
    for thing in in_random_order(GROUPED_KINDS[kind].things(state), rng):
        groups = GROUPED_KINDS[kind].groups(state, thing)
        for group in in_random_order(groups, rng) if len(groups) > 1 else groups:
            command = sample_of_group(group, state, rng)
            if command is not None:
                return command
    return None


def sample_of_group(group: SimilarCommands, state: State, rng: Random) -> AnyCommand | None:
    """Draws a place uniformly, then a price."""
    fits = group.where()
    place = below(sum([fit.corners.bit_count() for fit in fits]), rng)
    for corners, width, height in fits:
        count = corners.bit_count()
        if place < count:
            return any_of(group.make(state.board.rectangle(nth(corners, place), width, height)), rng)
        place -= count
    return None


def gift(state: State, rng: Random) -> Give | None:
    """Draws an amount uniformly."""
    amount = any_of(generosity.gifts(state, state.actor or ""), rng)
    return None if amount is None else Give(amount)


def pass_(state: State, rng: Random) -> Pass | None:
    """A pass, if it is legal."""
    return Pass() if generosity.may_pass(state, state.actor or "") else None


def building(state: State, rng: Random) -> AnyCommand | None:
    """Draws a square; if two monuments are allowed, half the time another square that goes with it."""
    command = sample_similar("build", state, rng)
    if isinstance(command, Build) and monuments_left(state, state.turn.seat) > 1 and rng.random() < 0.5:
        board = state.board
        one = board.mask(command.squares)
        others = ground_beside(state, one)
        if others:
            return Build(board.names(one | nth(others, below(others.bit_count(), rng))))
    return command


def pricing(state: State, rng: Random) -> SetPrices | None:
    """Draws a combination of new prices uniformly."""
    new = new_prices(state, state.turn.seat)
    combinations = prod(len(prices) + 1 for prices in new.values())
    # Number 0 is the combination without a new price.
    number, chosen = 1 + below(combinations - 1, rng), []
    for type_, prices in new.items():
        number, place = divmod(number, len(prices) + 1)
        if place:
            chosen.append((type_, prices[place - 1]))
    return SetPrices(tuple(chosen)) if chosen else None


def raise_(state: State, rng: Random) -> Raise | None:
    """Draws a set of the player's monuments, mostly with goods of the nearest craftsmen, rarely with the cheapest.

    Monuments come in random order: it takes the first that can be raised, then each further one half the time. If the
    nearest craftsmen raise nothing but that proves nothing, it draws from the cheapest plans.
    """
    own = affordable(state, state.turn.seat) if may_raise(state, state.turn.seat) else []
    if own and rng.random() >= CHEAPEST:
        buyer = Buyer(state, state.turn.seat)
        near = random_raise(buyer, own, rng)
        if near or not buyer.in_doubt:
            return near
    return cheapest_raise(state, own, rng) if own else None


def random_raise(buyer: Buyer, own: list[Square], rng: Random) -> Raise | None:
    """A random raise with goods of the nearest craftsmen."""
    rituals: dict[Square, Ritual] = {}
    for square in in_random_order(own, rng):
        ritual = None if rituals and rng.random() < 0.5 else buyer.ritual(square)
        if ritual:
            rituals[square] = ritual
    return Raise(tuple([rituals[square] for square in own if square in rituals])) if rituals else None


def cheapest_raise(state: State, own: list[Square], rng: Random) -> Raise | None:
    """A random raise with the cheapest goods."""
    planner = Planner(state, state.turn.seat, state.cattle[state.turn.seat])
    chosen: tuple[Square, ...] = ()
    plan = None
    for square in in_random_order(own, rng):
        if chosen and rng.random() < 0.5:
            continue
        larger = tuple([each for each in own if each in chosen or each == square])
        cheaper = planner.plan(larger)
        if cheaper:
            chosen, plan = larger, cheaper
    return plan.command if plan else None


def end(state: State, rng: Random) -> EndTurn | None:
    """The end of the turn, if it is legal."""
    return EndTurn() if may_end(state, state.turn.seat) else None


SAMPLERS: dict[str, Callable[[State, Random], AnyCommand | None]] = {
    "start": partial(sample_similar, "start"),
    "bid": gift,
    "pass": pass_,
    "adore": partial(sample_similar, "adore"),
    "hire": partial(sample_similar, "hire"),
    "use": partial(sample_similar, "use"),
    "build": building,
    "craft": partial(sample_similar, "craft"),
    "price": pricing,
    "raise": raise_,
    "end": end,
}
