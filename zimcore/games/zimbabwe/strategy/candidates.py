"""Commands worth trying: a few of each kind, found with sets of squares, without listing all legal commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares, bits
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
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, SPECIALISTS, CraftsmanType
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, craftsman_groups, type_names
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import building_ground, free_starts, may_build, may_raise
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types
from zimcore.games.zimbabwe.rules.rule import is_legal
from zimcore.games.zimbabwe.state import State

MAX_STARTS, MAX_BIDS, MAX_SITES, MAX_SPOTS, MAX_TILES = 5, 6, 5, 2, 2
"""The most start areas, gifts, building sites, places of a craftsman's type in each orientation, and squares for a
resource."""


def candidates(state: State, seat: Seat) -> Iterator[tuple[AnyCommand]]:
    """Plans of one legal command each, among them passing and ending the turn."""
    finders_by_phase = {
        "setup": (start_candidates,),
        "bidding": (bid_candidates,),
        "actions": (
            god_candidates,
            specialist_candidates,
            building_candidates,
            craftsman_candidates,
            raise_candidates,
            price_candidates,
            turn_end_candidates,
        ),
    }
    for find_candidates in finders_by_phase.get(state.phase, ()):
        yield from zip(find_candidates(state, seat))


def order_by_overlap(sets: Iterable[Squares], candidates_mask: Squares) -> Iterator[Squares]:
    """Yields the squares of `candidates_mask`: those in most of the other sets first.

    >>> [*order_by_overlap([0b0110, 0b0010], 0b1111)]
    [2, 4, 1, 8]
    """
    tiers = [candidates_mask]
    for squares in sets:
        for count in reversed(range(len(tiers))):
            overlap = tiers[count] & squares
            if overlap and count + 1 == len(tiers):
                tiers.append(overlap)
            elif overlap:
                tiers[count + 1] |= overlap
    yielded_squares = 0
    for tier in reversed(tiers):
        yield from bits(tier & ~yielded_squares)
        yielded_squares |= tier


def start_candidates(state: State, seat: Seat) -> Iterator[Start]:
    """The start areas with most kinds of resources around, then with most resources."""
    board, steps = state.board, state.range_in_steps

    def count_resources(square: Squares) -> tuple[int, int]:
        counts = [(board.ball(square, steps) & resources).bit_count() for resources in state.resources.values()]
        return sum(map(bool, counts)), sum(counts)

    for square in sorted(bits(free_starts(state)), key=count_resources, reverse=True)[:MAX_STARTS]:
        yield Start(board.name[square])


def bid_candidates(state: State, seat: Seat) -> Iterator[Give | Pass]:
    """Passing, and the least gifts."""
    if generosity.may_pass(state, seat):
        yield Pass()
    yield from map(Give, generosity.gifts(state, seat)[:MAX_BIDS])


def god_candidates(state: State, seat: Seat) -> Iterator[Adore]:
    """All gods that can be adored."""
    for group in GROUPED_KINDS["adore"].all_groups(state):
        yield from (command for command in group.commands(state) if isinstance(command, Adore))


def specialist_candidates(state: State, seat: Seat) -> Iterator[AnyCommand]:
    """Uses of specialists: each amount for the Herd, resources for the seat's craftsmen, others once."""
    for kind, command_type in (("hire", Hire), ("use", Use)):
        for name in GROUPED_KINDS[kind].find_names(state):
            specialist = SPECIALISTS[name]
            if specialist.places_resource:
                commands: Iterator[AnyCommand] = _resource_commands(state, seat, command_type, name)
            elif specialist.places_water or specialist.lifts_zoning:
                continue  # its benefits show only after further commands
            else:
                commands = (
                    command
                    for group in GROUPED_KINDS[kind].find_groups(state, name)
                    for command in group.commands(state)
                )
            yield from (command for command in commands if is_legal(state, seat, command))


def _resource_commands(state: State, seat: Seat, command_type: type[Hire | Use], name: str) -> Iterator[AnyCommand]:
    """Commands for the squares where most of the seat's craftsmen could use a resource."""
    for resource in RESOURCES:
        own_craftsmen = [
            craftsman
            for craftsman in state.craftsmen
            if craftsman.owner == seat and CRAFTSMEN[craftsman.type].resource == resource
        ]
        balls = [state.squares_in_range(craftsman.zone) for craftsman in own_craftsmen]
        for square in islice(order_by_overlap(balls, state.empty_land), MAX_TILES if own_craftsmen else 0):
            yield command_type(name, None, resource, (state.board.name[square],))


def building_candidates(state: State, seat: Seat) -> Iterator[Build]:
    """Building sites that most types of craftsmen reach without a hub."""
    if not may_build(state, seat):
        return
    obsolete_types, reach_by_type = find_obsolete_types(state), dict[CraftsmanType, Squares]()
    for craftsman in state.craftsmen:
        if craftsman.type not in obsolete_types:
            reach_by_type[craftsman.type] = reach_by_type.get(craftsman.type, 0) | state.board.ball(
                craftsman.zone, state.range_in_steps
            )
    for square in islice(order_by_overlap(reach_by_type.values(), building_ground(state)), MAX_SITES):
        yield Build((state.board.name[square],))


def craftsman_candidates(state: State, seat: Seat) -> Iterator[PlaceCraftsman]:
    """For each type, the places in reach of most monuments of others; new technologies at price 2 and the highest."""
    board, monument_squares = state.board, state.monument_squares
    balls_of_others, own_balls = [], 0
    for square, monument in state.monuments.items():
        ball = board.ball(board.square[square], state.range_in_steps, monument_squares)
        if monument.owner != seat:
            balls_of_others.append(ball)
        else:
            own_balls |= ball
    for type_ in type_names(state):
        has_technology = f"{seat}/{type_}" in state.technologies
        for group in craftsman_groups(state, type_):
            for corners, width, height in group.find_places():
                corners_by_monument = [
                    board.corners_touching(squares_in_range, width, height)
                    for squares_in_range in (*balls_of_others, own_balls)
                ]
                for corner in islice(order_by_overlap(corners_by_monument, corners), MAX_SPOTS):
                    squares = board.rectangle(corner, width, height)
                    for price in (None,) if has_technology else (2, CONSTANTS.max_price):
                        yield PlaceCraftsman(type_, squares, price)


def raise_candidates(state: State, seat: Seat) -> Iterator[Raise]:
    """Raises of each monument alone, and of as many together as can be paid for: highest first, and lowest first."""
    if not may_raise(state, seat):
        return
    planner = Planner(state, seat, state.cattle[seat])
    single_plans = {monument: plan for monument in planner.growing_monuments() if (plan := planner.plan((monument,)))}
    yield from (plan.command for plan in single_plans.values())
    monuments_by_level = sorted(single_plans, key=lambda monument: -state.monuments[monument].level)
    yielded_sets = {frozenset([monument]) for monument in single_plans}
    for order in (monuments_by_level, monuments_by_level[::-1]):
        chosen_squares: tuple[Square, ...] = ()
        plan = None
        for monument in order:
            larger_plan = planner.plan((*chosen_squares, monument))
            if larger_plan:
                chosen_squares, plan = (*chosen_squares, monument), larger_plan
        if plan and frozenset(chosen_squares) not in yielded_sets:
            yielded_sets.add(frozenset(chosen_squares))
            yield plan.command


def price_candidates(state: State, seat: Seat) -> Iterator[SetPrices]:
    """All prices at once, as high as possible, if the turn has no action yet."""
    highest_prices = {
        type_: max(possible_prices) for type_, possible_prices in new_prices(state, seat).items() if possible_prices
    }
    if state.turn.action or not highest_prices:
        return
    yield SetPrices(tuple(highest_prices.items()))


def turn_end_candidates(state: State, seat: Seat) -> Iterator[EndTurn]:
    """The end of the turn, if it is legal."""
    if may_end(state, seat):
        yield EndTurn()
