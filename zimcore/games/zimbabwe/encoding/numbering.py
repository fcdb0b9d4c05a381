"""Commands as numbers, one kind after another; most kinds have a number for each square.

The price of a new technology is an action after placing its tile. Monuments are built and raised one at a time. An
agent does not choose goods: a raise uses the cheapest.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate
from math import prod
from typing import NamedTuple

from zimcore.game import Seat
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
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, RESOURCES, SPECIALISTS
from zimcore.games.zimbabwe.encoding.squares import check_board, shape
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, VERBS
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.planner.buyer import Buyer
from zimcore.games.zimbabwe.planner.raisable import raisable_monuments
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.state import State

MAX_GIFT = 120
"""The largest gift that has a number."""
ONE, ACROSS, DOWN = (1, 1), (2, 1), (1, 2)
"""Width and height of what is placed, in squares."""
TYPES, PRICES = tuple(CRAFTSMEN), CONSTANTS.max_price

CommandMaker = Callable[[tuple[Square, ...]], AnyCommand]
"""A function that makes a command for some squares."""


class Kind(NamedTuple):
    """A kind of actions: its words, as in `places`, and the size of what it places, in squares: (0, 0) for nothing.

    `make` is a tuple with a command for each number, or a function that makes one for the squares of a place.
    """

    words: str
    size: tuple[int, int]
    make: CommandMaker | tuple[AnyCommand, ...]


def _placement_kinds() -> list[Kind]:
    """Kinds that place something on squares."""
    kinds = [Kind("start", ONE, lambda squares: Start(*squares)), Kind("build", ONE, Build)]
    for type_, craftsman in CRAFTSMEN.items():
        sizes = dict.fromkeys((craftsman.size, craftsman.size[::-1]))
        kinds += [Kind(f"craft {type_}", size, partial(PlaceCraftsman, type_)) for size in sizes]
    for command_type, verb in VERBS.items():
        for name, specialist in SPECIALISTS.items():
            if specialist.places_resource:
                jobs = [(f"{verb} {name} {kind}", partial(command_type, name, None, kind)) for kind in RESOURCES]
                kinds += [Kind(words, ONE, job) for words, job in jobs]
            if specialist.places_water:
                kinds += [
                    Kind(f"{verb} {name}", size, partial(command_type, name, None, None)) for size in (ACROSS, DOWN)
                ]
    return kinds


def _plain_kinds() -> list[Kind]:
    """Kinds that need no squares."""
    return [
        *[Kind(f"adore {god}", (0, 0), (Adore(god),)) for god in GODS],
        *[kind for command_type, verb in VERBS.items() for kind in _job_kinds(command_type, verb)],
        Kind("price", (0, 0), tuple(SetPrices(((type_, price + 1),)) for type_ in TYPES for price in range(PRICES))),
        Kind("bid", (0, 0), tuple(Give(amount + 1) for amount in range(MAX_GIFT))),
        Kind("pass", (0, 0), (Pass(),)),
        Kind("end", (0, 0), (EndTurn(),)),
    ]


def _job_kinds(command_type: type[Hire | Use], verb: str) -> list[Kind]:
    """Kinds for specialists that place nothing."""
    kinds = []
    for name, specialist in SPECIALISTS.items():
        if len(specialist.costs) > 1:
            kinds += [Kind(f"{verb} {name} {cost}", (0, 0), (command_type(name, cost),)) for cost in specialist.costs]
        elif not (specialist.places_resource or specialist.places_water):
            kinds.append(Kind(f"{verb} {name}", (0, 0), (command_type(name),)))
    return kinds


def _refuse_to_make(squares: tuple[Square, ...]) -> AnyCommand:
    """Is never called: the goods of a raise depend on the position, see `_cheapest_raise`."""
    raise NotImplementedError


RAISE = Kind("raise", ONE, _refuse_to_make)
KINDS = (*_placement_kinds(), RAISE, *_plain_kinds())


class Numbers(NamedTuple):
    """The first number of each kind, in the order of `KINDS`, and by words and size."""

    first_numbers: tuple[int, ...]
    by_name: Mapping[tuple[str, int, int], int]


@cache
def _numbers(players: int) -> Numbers:
    counts = [_count_actions(kind, players) for kind in KINDS]
    first_numbers = tuple(accumulate(counts, initial=0))[:-1]
    return Numbers(
        first_numbers, {(kind.words, *kind.size): first for kind, first in zip(KINDS, first_numbers, strict=True)}
    )


def _count_actions(kind: Kind, players: int) -> int:
    return prod(shape(players)) if callable(kind.make) else len(kind.make)


def actions(players: int) -> Mapping[str, int]:
    """The kinds of actions with the number of each; `craft potter 2x1` has the size, as that tile can be turned.

    Actions on a place are numbered by its top left square, as squares are in the board.
    """
    rotatable = {kind.words for kind in KINDS if kind.size[0] != kind.size[1]}
    names = [f"{kind.words} {kind.size[0]}x{kind.size[1]}" if kind.words in rotatable else kind.words for kind in KINDS]
    return {name: _count_actions(kind, players) for name, kind in zip(names, KINDS, strict=True)}


def mask(state: State, seat: Seat, begun: Sequence[int] = ()) -> int:
    """The legal actions as bits; sets of squares of the board are parts of it."""
    return MASKS[state.phase](state, seat) if seat == state.actor else 0


def _place_bits(kinds: Sequence[str], state: State) -> int:
    by_name, bits = _numbers(len(state.seats)).by_name, 0
    for kind in kinds:
        for group in GROUPED_KINDS[kind].all(state):
            for corners, width, height in group.where():
                bits |= corners << by_name[group.words, width, height]
    return bits


def _setup_mask(state: State, seat: Seat) -> int:
    check_board(state)
    return _place_bits(("start",), state)


def _bidding_mask(state: State, seat: Seat) -> int:
    by_name = _numbers(len(state.seats)).by_name
    gifts = generosity.gifts(state, seat)
    affordable = (1 << min(gifts.stop - 1, MAX_GIFT)) - 1
    return affordable >> gifts.start - 1 << gifts.start - 1 << by_name["bid", 0, 0] | 1 << by_name["pass", 0, 0]


def _action_mask(state: State, seat: Seat) -> int:
    by_name = _numbers(len(state.seats)).by_name
    bits = (
        _place_bits(("adore", "hire", "use", "build", "craft"), state)
        | raisable_monuments(state, seat) << by_name["raise", 1, 1]
    )
    for type_, prices in new_prices(state, seat).items():
        for price in prices:
            bits |= 1 << by_name["price", 0, 0] + TYPES.index(type_) * PRICES + price - 1
    return bits | may_end(state, seat) << by_name["end", 0, 0]


MASKS: Mapping[str, Callable[[State, Seat], int]] = {
    "setup": _setup_mask,
    "bidding": _bidding_mask,
    "actions": _action_mask,
}


def command(state: State, seat: Seat, actions: Sequence[int]) -> AnyCommand:
    """The command of a single action."""
    first_numbers, (action,) = _numbers(len(state.seats)).first_numbers, actions
    kind_index = bisect(first_numbers, action) - 1
    kind, number = KINDS[kind_index], action - first_numbers[kind_index]
    if kind is RAISE:
        return _cheapest_raise(state, seat, state.board.name[1 << number])
    if callable(kind.make):
        return kind.make(state.board.rectangle(1 << number, *kind.size))
    return kind.make[number]


def _cheapest_raise(state: State, seat: Seat, monument: Square) -> Raise:
    """The cheapest raise of a monument, or one with the nearest craftsmen if the search was cut short."""
    plan = Planner(state, seat, state.cattle[seat]).plan((monument,))
    if plan:
        return plan.command
    ritual = Buyer(state, seat).buy_ritual(monument)
    assert ritual, "the action is not one of the mask"
    return Raise((ritual,))
