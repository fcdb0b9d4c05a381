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
SINGLE_SQUARE, WIDE_PAIR, TALL_PAIR = (1, 1), (2, 1), (1, 2)
"""Width and height of what is placed, in squares."""
TYPES, PRICE_COUNT = tuple(CRAFTSMEN), CONSTANTS.max_price

CommandMaker = Callable[[tuple[Square, ...]], AnyCommand]
"""A function that makes a command for some squares."""


class ActionKind(NamedTuple):
    """A kind of actions: its words, as in `places`, and the size of what it places, in squares: (0, 0) for nothing.

    `maker` is a tuple with a command for each number, or a function that makes one for the squares of a place.
    """

    words: str
    size: tuple[int, int]
    maker: CommandMaker | tuple[AnyCommand, ...]


def _placement_kinds() -> list[ActionKind]:
    """Kinds that place something on squares."""
    kinds = [
        ActionKind("start", SINGLE_SQUARE, lambda squares: Start(*squares)),
        ActionKind("build", SINGLE_SQUARE, Build),
    ]
    for type_, craftsman in CRAFTSMEN.items():
        sizes = dict.fromkeys((craftsman.size, craftsman.size[::-1]))
        kinds += [ActionKind(f"craft {type_}", size, partial(PlaceCraftsman, type_)) for size in sizes]
    for command_type, verb in VERBS.items():
        for name, specialist in SPECIALISTS.items():
            if specialist.places_resource:
                named_makers = [
                    (f"{verb} {name} {resource}", partial(command_type, name, None, resource)) for resource in RESOURCES
                ]
                kinds += [ActionKind(words, SINGLE_SQUARE, make_command) for words, make_command in named_makers]
            if specialist.places_water:
                kinds += [
                    ActionKind(f"{verb} {name}", size, partial(command_type, name, None, None))
                    for size in (WIDE_PAIR, TALL_PAIR)
                ]
    return kinds


def _plain_kinds() -> list[ActionKind]:
    """Kinds that need no squares."""
    return [
        *[ActionKind(f"adore {god}", (0, 0), (Adore(god),)) for god in GODS],
        *[kind for command_type, verb in VERBS.items() for kind in _specialist_kinds(command_type, verb)],
        ActionKind(
            "price", (0, 0), tuple(SetPrices(((type_, price + 1),)) for type_ in TYPES for price in range(PRICE_COUNT))
        ),
        ActionKind("bid", (0, 0), tuple(Give(amount + 1) for amount in range(MAX_GIFT))),
        ActionKind("pass", (0, 0), (Pass(),)),
        ActionKind("end", (0, 0), (EndTurn(),)),
    ]


def _specialist_kinds(command_type: type[Hire | Use], verb: str) -> list[ActionKind]:
    """Kinds for specialists that place nothing."""
    kinds = []
    for name, specialist in SPECIALISTS.items():
        if len(specialist.costs) > 1:
            kinds += [
                ActionKind(f"{verb} {name} {cost}", (0, 0), (command_type(name, cost),)) for cost in specialist.costs
            ]
        elif not (specialist.places_resource or specialist.places_water):
            kinds.append(ActionKind(f"{verb} {name}", (0, 0), (command_type(name),)))
    return kinds


def _refuse_to_make(squares: tuple[Square, ...]) -> AnyCommand:
    """Is never called: the goods of a raise depend on the position, see `_cheapest_raise`."""
    raise NotImplementedError


RAISE = ActionKind("raise", SINGLE_SQUARE, _refuse_to_make)
KINDS = (*_placement_kinds(), RAISE, *_plain_kinds())


class Numbers(NamedTuple):
    """The first number of each kind, in the order of `KINDS`, and by words and size."""

    first_numbers: tuple[int, ...]
    first_number_by_kind: Mapping[tuple[str, int, int], int]


@cache
def _numbers(players: int) -> Numbers:
    action_counts = [_count_actions(kind, players) for kind in KINDS]
    first_numbers = tuple(accumulate(action_counts, initial=0))[:-1]
    return Numbers(
        first_numbers,
        {(kind.words, *kind.size): first_number for kind, first_number in zip(KINDS, first_numbers, strict=True)},
    )


def _count_actions(kind: ActionKind, players: int) -> int:
    return prod(shape(players)) if callable(kind.maker) else len(kind.maker)


def actions(players: int) -> Mapping[str, int]:
    """The kinds of actions with the number of each; `craft potter 2x1` has the size, as that tile can be turned.

    Actions on a place are numbered by its top left square, as squares are in the board.
    """
    rotatable_words = {kind.words for kind in KINDS if kind.size[0] != kind.size[1]}
    kind_names = [
        f"{kind.words} {kind.size[0]}x{kind.size[1]}" if kind.words in rotatable_words else kind.words for kind in KINDS
    ]
    return {kind_name: _count_actions(kind, players) for kind_name, kind in zip(kind_names, KINDS, strict=True)}


def mask(state: State, seat: Seat, begun: Sequence[int] = ()) -> int:
    """The legal actions as bits; sets of squares of the board are parts of it."""
    return MASKS[state.phase](state, seat) if seat == state.actor else 0


def _place_bits(kinds: Sequence[str], state: State) -> int:
    first_number_by_kind, action_bits = _numbers(len(state.seats)).first_number_by_kind, 0
    for kind in kinds:
        for group in GROUPED_KINDS[kind].all_groups(state):
            for corners, width, height in group.find_places():
                action_bits |= corners << first_number_by_kind[group.words, width, height]
    return action_bits


def _setup_mask(state: State, seat: Seat) -> int:
    check_board(state)
    return _place_bits(("start",), state)


def _bidding_mask(state: State, seat: Seat) -> int:
    first_number_by_kind = _numbers(len(state.seats)).first_number_by_kind
    gifts = generosity.gifts(state, seat)
    affordable_gift_bits = (1 << min(gifts.stop - 1, MAX_GIFT)) - 1
    return (
        affordable_gift_bits >> gifts.start - 1 << gifts.start - 1 << first_number_by_kind["bid", 0, 0]
        | 1 << first_number_by_kind["pass", 0, 0]
    )


def _action_mask(state: State, seat: Seat) -> int:
    first_number_by_kind = _numbers(len(state.seats)).first_number_by_kind
    action_bits = (
        _place_bits(("adore", "hire", "use", "build", "craft"), state)
        | raisable_monuments(state, seat) << first_number_by_kind["raise", 1, 1]
    )
    for type_, prices in new_prices(state, seat).items():
        for price in prices:
            action_bits |= 1 << first_number_by_kind["price", 0, 0] + TYPES.index(type_) * PRICE_COUNT + price - 1
    return action_bits | may_end(state, seat) << first_number_by_kind["end", 0, 0]


MASKS: Mapping[str, Callable[[State, Seat], int]] = {
    "setup": _setup_mask,
    "bidding": _bidding_mask,
    "actions": _action_mask,
}


def command(state: State, seat: Seat, actions: Sequence[int]) -> AnyCommand:
    """The command of a single action."""
    first_numbers, (action,) = _numbers(len(state.seats)).first_numbers, actions
    kind_index = bisect(first_numbers, action) - 1
    kind, number_in_kind = KINDS[kind_index], action - first_numbers[kind_index]
    if kind is RAISE:
        return _cheapest_raise(state, seat, state.board.name[1 << number_in_kind])
    if callable(kind.maker):
        return kind.maker(state.board.rectangle(1 << number_in_kind, *kind.size))
    return kind.maker[number_in_kind]


def _cheapest_raise(state: State, seat: Seat, monument: Square) -> Raise:
    """The cheapest raise of a monument, or one with the nearest craftsmen if the search was cut short."""
    plan = Planner(state, seat, state.cattle[seat]).plan((monument,))
    if plan:
        return plan.command
    ritual = Buyer(state, seat).buy_ritual(monument)
    assert ritual, "the action is not one of the mask"
    return Raise((ritual,))
