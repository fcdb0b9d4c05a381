"""Advice on raises and their alternatives: who is paid, and whose craftsmen lose their last resources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice

import msgspec

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import Planner, best_raises, cheapest_plan
from zimcore.games.zimbabwe.planner.markers import assign_resources
from zimcore.games.zimbabwe.planner.offers import SupplyChain
from zimcore.games.zimbabwe.rules.rituals import hubs_to_pay, markers_that_count, price_for, purchases, raise_cost
from zimcore.games.zimbabwe.rules.rule import is_legal
from zimcore.games.zimbabwe.state import Craftsman, State

MAX_CHAINS, MAX_CHOICES, MAX_TRIES, MAX_OPTIONS = 8, 12, 200, 8
"""For one monument, the most chains (the cheapest) and combinations of them; then the most ways to try, and to list."""


class RaiseOption(msgspec.Struct, frozen=True):
    """A way to raise monuments: its price in cattle, who is paid, the resources used, and the craftsmen drained.

    `payments` is by player, with `hubs` for payments to the stock or to the god of hubs. `drained_craftsmen` are other
    players' craftsmen that can't work for any later player of this round after it.
    """

    command: Raise
    cost: int
    payments: dict[str, int]
    resources: tuple[Square, ...]
    drained_craftsmen: tuple[Craftsman, ...]


def raise_option(state: State, seat: Seat, command: Raise) -> RaiseOption:
    """The cost, payments and effects of a raise."""
    supplies = [purchase.supply for ritual in command.rituals for purchase in purchases(state, ritual)]
    resources = tuple(sorted({supply.resource for supply in supplies}))
    return RaiseOption(
        command,
        raise_cost(state, seat, command),
        _payments(state, seat, command),
        resources,
        _drained_craftsmen(state, seat, supplies),
    )


def _payments(state: State, seat: Seat, command: Raise) -> dict[str, int]:
    cattle_by_payee = Counter[str]()
    for purchase in chain.from_iterable(purchases(state, ritual) for ritual in command.rituals):
        if purchase.maker:
            cattle_by_payee[purchase.maker.owner] += price_for(state, seat, purchase.maker)
            cattle_by_payee["hubs"] += (hubs_to_pay(state, purchase) or 0) * CONSTANTS.hub_cost
    return dict((+cattle_by_payee).most_common())


def _drained_craftsmen(state: State, seat: Seat, supplies: Sequence[Supply]) -> tuple[Craftsman, ...]:
    """Other players' craftsmen that could still work for a later player of this round, and no longer can.

    Each later player's god decides the range of their turn, and how often they may use a resource.
    """
    new_markers, later_seats = Counter(supply.resource for supply in supplies), _later_seats(state, seat)
    return tuple(
        craftsman
        for craftsman in state.craftsmen
        if craftsman.owner != seat
        and any(_can_work(state, craftsman, later_seat, {}) for later_seat in later_seats)
        and not any(_can_work(state, craftsman, later_seat, new_markers) for later_seat in later_seats)
    )


def _later_seats(state: State, seat: Seat) -> tuple[Seat, ...]:
    """The players who come after a seat in this round."""
    return state.order[state.order.index(seat) + 1 :] if seat in state.order else ()


def _can_work(state: State, craftsman: Craftsman, later_seat: Seat, new_markers: Mapping[Square, int]) -> bool:
    """Whether a craftsman has a resource that a later player may use after these new markers (R-RNG-06, R-RAI-07)."""
    god, used_markers = state.god_modifiers(later_seat), markers_that_count(state, later_seat)
    if used_markers is not state.used_markers:
        new_markers = {}  # a house rule: others' markers do not count for them
    resources = state.squares_in_range(craftsman.zone, god.range) & state.resources[CRAFTSMEN[craftsman.type].resource]
    return any(
        used_markers.get(resource, 0) + new_markers.get(resource, 0) < god.markers
        for resource in state.board.names(resources)
    )


def alternatives(state: State, seat: Seat, monuments: Sequence[Square]) -> list[RaiseOption]:
    """The cheapest way to raise these monuments, and others that differ in who is paid or what is used up.

    The others have other goods for one monument; equally cheap ones come first, then those that drain more craftsmen of
    others. All are legal and can be paid now.
    """
    plan = cheapest_plan(state, seat, monuments)
    if plan is None or not is_legal(state, seat, plan.command):
        return []
    options = {_distinguishing_key(best_option := raise_option(state, seat, plan.command)): best_option}
    for command in islice(_raises_with_other_goods(state, seat, plan.command), MAX_TRIES):
        other_option = raise_option(state, seat, command)
        if _distinguishing_key(other_option) not in options and is_legal(state, seat, command):
            options[_distinguishing_key(other_option)] = other_option
    return [
        best_option,
        *sorted(list(options.values())[1:], key=lambda option: (option.cost, -len(option.drained_craftsmen)))[
            : MAX_OPTIONS - 1
        ],
    ]


def _distinguishing_key(option: RaiseOption) -> tuple[object, ...]:
    """The key by which ways differ: payments, and craftsmen drained."""
    return tuple(sorted(option.payments.items())), option.drained_craftsmen


def _raises_with_other_goods(state: State, seat: Seat, command: Raise) -> Iterator[Raise]:
    """The raise with other goods for one of its monuments."""
    planner = Planner(state, seat, state.cattle[seat])
    for index, ritual in enumerate(command.rituals):
        for goods in _goods_choices(planner, ritual.monument):
            yield Raise((*command.rituals[:index], Ritual(ritual.monument, goods), *command.rituals[index + 1 :]))


def _goods_choices(planner: Planner, monument: Square) -> Iterator[tuple[Good, ...]]:
    """Goods that raise a monument, from the cheapest supplies: with the first resources, or with one other."""
    demand, name_of_square = planner.demand(monument), planner.state.board.name
    chain_combinations = combinations([supply for _, supply in demand.all_offers[:MAX_CHAINS]], demand.goods_needed)
    for supplies in islice(
        (chains for chains in chain_combinations if demand.may_repeat or _have_different_types(chains)), MAX_CHOICES
    ):
        sources = [source for supply in supplies for source in supply.sources]
        assignment = assign_resources([source.free_resources for source in sources], planner.market.capacity)
        for resources in (
            _swapped_assignments(assignment, [source.free_resources for source in sources]) if assignment else ()
        ):
            resource_names = (name_of_square[resource] for resource in resources)
            yield tuple(
                Good(*[Supply(source.maker.type, source.maker.at, next(resource_names)) for source in supply.sources])
                for supply in supplies
            )


def _have_different_types(supplies: Sequence[SupplyChain]) -> bool:
    return len({supply.type for supply in supplies}) == len(supplies)


def _swapped_assignments(assignment: list[Squares], free_resources: Sequence[Squares]) -> Iterator[list[Squares]]:
    """An assignment of resources, and those in which one source takes another resource."""
    yield assignment
    for index, resources in enumerate(free_resources):
        yield from (
            [*assignment[:index], other_resource, *assignment[index + 1 :]]
            for other_resource in bits(resources)
            if other_resource not in assignment
        )


def raise_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """The sets of monuments worth raising; if monuments are named, the ways to raise exactly these."""
    if state.turn.action not in (None, "raise"):
        return
    words_before_goods = [word.rstrip(";") for word in words if "@" not in word]
    monuments = [square for square in words_before_goods if square in Planner(state, seat).growing_monuments()]
    if monuments and len(set(monuments)) == len(monuments):
        options = iter(alternatives(state, seat, monuments))
    else:
        options = (raise_option(state, seat, plan.command) for plan in best_raises(state, seat).plans)
    for option in options:
        if is_legal(state, seat, option.command):
            yield Advice(format_command(option.command), raising_effects(state, seat, option))


def _vp_gain(state: State, square: Square) -> int:
    level = state.monuments[square].level
    return CONSTANTS.level_vp[level + 1] - CONSTANTS.level_vp[level]


def raising_effects(state: State, seat: Seat, option: RaiseOption) -> tuple[str, ...]:
    """The effects of a way in words.

    For example `+4 VP, -6 cattle`, `pays Lozi 2, yourself 1`, `takes the last clay in reach of Zulu's potter at b1`.
    """
    vp = sum(_vp_gain(state, ritual.monument) for ritual in option.command.rituals)
    return (f"+{vp} VP, -{option.cost} cattle", f"pays {payment_text(option, seat)}", *_resources_taken(option))


def _resources_taken(option: RaiseOption) -> Iterator[str]:
    """The resources that others lose, in words."""
    for resource in dict.fromkeys(CRAFTSMEN[craftsman.type].resource for craftsman in option.drained_craftsmen):
        drained_craftsmen = [
            craftsman for craftsman in option.drained_craftsmen if CRAFTSMEN[craftsman.type].resource == resource
        ]
        users_text = ", ".join(
            f"{craftsman.owner.title()}'s {craftsman.type} at {craftsman.at}" for craftsman in drained_craftsmen
        )
        yield f"takes the last {resource} in reach of {users_text}"


def payment_text(option: RaiseOption, seat: Seat) -> str:
    """The payments in words: `Lozi 2, yourself 1, hubs 1`."""
    payee_names = {seat: "yourself", "hubs": "hubs"}
    return (
        ", ".join(f"{payee_names.get(payee, payee.title())} {cattle}" for payee, cattle in option.payments.items())
        or "nobody"
    )
