"""One legal command of a kind, drawn at random; None where there is none. Each says how likely what is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from random import Random

from zimcore.games.zimbabwe.board import nth
from zimcore.games.zimbabwe.commands import AnyCommand, Build, EndTurn, Give, Pass, Raise, Ritual, SetPrices, Square
from zimcore.games.zimbabwe.placements import ALIKE, Alike
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.planner.buyer import Buyer
from zimcore.games.zimbabwe.planner.raisable import affordable
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import ground_beside, may_raise, monuments_left
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.sampling import any_of, below, in_random_order

CHEAPEST = 1 / 64
"""How often a raise is drawn from the cheapest plans at once."""


def alike(kind: str, state: State, rng: Random) -> AnyCommand | None:
    """Any thing of the kind (a god, a type), then any way (a resource for the shaman), place and price."""
    for thing in in_random_order(ALIKE[kind].things(state), rng):
        groups = ALIKE[kind].groups(state, thing)
        for group in in_random_order(groups, rng) if len(groups) > 1 else groups:
            command = one_alike(group, state, rng)
            if command is not None:
                return command
    return None


def one_alike(group: Alike, state: State, rng: Random) -> AnyCommand | None:
    """Any place, each as likely, then any price."""
    fits = group.where()
    place = below(sum([fit.corners.bit_count() for fit in fits]), rng)
    for corners, width, height in fits:
        count = corners.bit_count()
        if place < count:
            return any_of(group.make(state.board.rectangle(nth(corners, place), width, height)), rng)
        place -= count
    return None


def gift(state: State, rng: Random) -> Give | None:
    """Any amount."""
    amount = any_of(generosity.gifts(state, state.actor or ""), rng)
    return None if amount is None else Give(amount)


def pass_(state: State, rng: Random) -> Pass | None:
    """No more bids."""
    return Pass() if generosity.may_pass(state, state.actor or "") else None


def building(state: State, rng: Random) -> AnyCommand | None:
    """Any square; where two monuments are allowed, half the time another one that goes with it."""
    command = alike("build", state, rng)
    if isinstance(command, Build) and monuments_left(state, state.turn.seat) > 1 and rng.random() < 0.5:
        board = state.board
        one = board.mask(command.squares)
        others = ground_beside(state, one)
        if others:
            return Build(board.names(one | nth(others, below(others.bit_count(), rng))))
    return command


def pricing(state: State, rng: Random) -> SetPrices | None:
    """Any of the combinations of new prices, each as likely."""
    new = new_prices(state, state.turn.seat)
    combinations = prod(len(prices) + 1 for prices in new.values())
    # Number 0 is the one with no new price at all.
    number, chosen = 1 + below(combinations - 1, rng), []
    for type_, prices in new.items():
        number, place = divmod(number, len(prices) + 1)
        if place:
            chosen.append((type_, prices[place - 1]))
    return SetPrices(tuple(chosen)) if chosen else None


def raise_(state: State, rng: Random) -> Raise | None:
    """A set of the player's monuments, mostly by goods of the nearest craftsmen, now and then by the cheapest ones.

    They come in random order; when one is in the set, each further one half the time. Only where the nearest craftsmen
    raise nothing, and that proves nothing, the cheapest plans say whether anything can be raised.
    """
    own = affordable(state, state.turn.seat) if may_raise(state, state.turn.seat) else []
    if own and rng.random() >= CHEAPEST:
        buyer = Buyer(state, state.turn.seat)
        near = bought(buyer, own, rng)
        if near or not buyer.in_doubt:
            return near
    return cheapest_raise(state, own, rng) if own else None


def bought(buyer: Buyer, own: list[Square], rng: Random) -> Raise | None:
    """From the nearest craftsmen."""
    rituals: dict[Square, Ritual] = {}
    for square in in_random_order(own, rng):
        ritual = None if rituals and rng.random() < 0.5 else buyer.ritual(square)
        if ritual:
            rituals[square] = ritual
    return Raise(tuple([rituals[square] for square in own if square in rituals])) if rituals else None


def cheapest_raise(state: State, own: list[Square], rng: Random) -> Raise | None:
    """As cheap as these monuments can be raised."""
    planner = Planner(state, state.turn.seat, state.cattle[state.turn.seat])
    chosen: tuple[Square, ...] = ()
    plan = None
    for square in in_random_order(own, rng):
        if chosen and rng.random() < 0.5:
            continue
        larger = tuple([each for each in own if each in chosen or each == square])
        found = planner.plan(larger)
        if found:
            chosen, plan = larger, found
    return plan.command if plan else None


def end(state: State, rng: Random) -> EndTurn | None:
    """The end of the turn."""
    return EndTurn() if may_end(state, state.turn.seat) else None


SAMPLERS: dict[str, Callable[[State, Random], AnyCommand | None]] = {
    "start": partial(alike, "start"),
    "bid": gift,
    "pass": pass_,
    "adore": partial(alike, "adore"),
    "hire": partial(alike, "hire"),
    "use": partial(alike, "use"),
    "build": building,
    "craft": partial(alike, "craft"),
    "price": pricing,
    "raise": raise_,
    "end": end,
}
