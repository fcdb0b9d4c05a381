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
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, SPECIALISTS, Type
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, placements, types
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import building_ground, free_starts, may_build, may_raise
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.rules.rituals import obsolete
from zimcore.games.zimbabwe.rules.rule import stands
from zimcore.games.zimbabwe.state import State

STARTS, BIDS, SITES, SPOTS, TILES = 5, 6, 5, 2, 2
"""The most start areas, gifts, building sites, places of a craftsman's type in each position, and squares for a
resource."""


def candidates(state: State, seat: Seat) -> Iterator[tuple[AnyCommand]]:
    """Legal commands of the seat to move, among them passing and ending the turn."""
    kinds = {"setup": (starts,), "bidding": (bids,), "actions": (gods, jobs, buildings, crafts, raises, prices, ends)}
    for kind in kinds.get(state.phase, ()):
        yield from zip(kind(state, seat))


def in_most(sets: Iterable[Squares], among: Squares) -> Iterator[Squares]:
    """Yields the squares of `among`: those in most of the other sets first.

    >>> [*in_most([0b0110, 0b0010], 0b1111)]
    [2, 4, 1, 8]
    """
    tiers = [among]
    for each in sets:
        for times in reversed(range(len(tiers))):
            more = tiers[times] & each
            if more and times + 1 == len(tiers):
                tiers.append(more)
            elif more:
                tiers[times + 1] |= more
    yielded = 0
    for tier in reversed(tiers):
        yield from bits(tier & ~yielded)
        yielded |= tier


def starts(state: State, seat: Seat) -> Iterator[Start]:
    """The start areas with most kinds of resources around, then with most resources."""
    board, steps = state.board, state.steps

    def around(square: Squares) -> tuple[int, int]:
        near = [(board.ball(square, steps) & each).bit_count() for each in state.resources.values()]
        return sum(map(bool, near)), sum(near)

    for square in sorted(bits(free_starts(state)), key=around, reverse=True)[:STARTS]:
        yield Start(board.name[square])


def bids(state: State, seat: Seat) -> Iterator[Give | Pass]:
    """Passing, and the least gifts."""
    if generosity.may_pass(state, seat):
        yield Pass()
    yield from map(Give, generosity.gifts(state, seat)[:BIDS])


def gods(state: State, seat: Seat) -> Iterator[Adore]:
    """All gods that can be adored."""
    for group in GROUPED_KINDS["adore"].all(state):
        yield from (command for command in group.commands(state) if isinstance(command, Adore))


def jobs(state: State, seat: Seat) -> Iterator[AnyCommand]:
    """Uses of specialists: each amount for the Herd, resources for the seat's craftsmen, others once."""
    for kind, how in (("hire", Hire), ("use", Use)):
        for name in GROUPED_KINDS[kind].things(state):
            specialist = SPECIALISTS[name]
            if specialist.places_resource:
                commands: Iterator[AnyCommand] = _for_craftsmen(state, seat, how, name)
            elif specialist.places_water or specialist.lifts_zoning:
                continue  # its benefits show only after further commands
            else:
                commands = (
                    command for group in GROUPED_KINDS[kind].groups(state, name) for command in group.commands(state)
                )
            yield from (command for command in commands if stands(state, seat, command))


def _for_craftsmen(state: State, seat: Seat, how: type[Hire | Use], name: str) -> Iterator[AnyCommand]:
    """Commands for the squares where most of the seat's craftsmen could use a resource."""
    for resource in RESOURCES:
        own = [each for each in state.craftsmen if each.owner == seat and CRAFTSMEN[each.type].resource == resource]
        balls = [state.ground(each.zone) for each in own]
        for square in islice(in_most(balls, state.empty), TILES if own else 0):
            yield how(name, None, resource, (state.board.name[square],))


def buildings(state: State, seat: Seat) -> Iterator[Build]:
    """Building sites that most types of craftsmen reach without a hub."""
    if not may_build(state, seat):
        return
    obsolete_types, reached = obsolete(state), dict[Type, Squares]()
    for each in state.craftsmen:
        if each.type not in obsolete_types:
            reached[each.type] = reached.get(each.type, 0) | state.board.ball(each.zone, state.steps)
    for square in islice(in_most(reached.values(), building_ground(state)), SITES):
        yield Build((state.board.name[square],))


def crafts(state: State, seat: Seat) -> Iterator[PlaceCraftsman]:
    """For each type, the places in reach of most monuments of others; new technologies at price 2 and the highest."""
    board, standing = state.board, state.monument_squares
    theirs, own = [], 0
    for square, monument in state.monuments.items():
        ball = board.ball(board.square[square], state.steps, standing)
        if monument.owner != seat:
            theirs.append(ball)
        else:
            own |= ball
    for type_ in types(state):
        known = f"{seat}/{type_}" in state.technologies
        for group in placements(state, type_):
            for corners, width, height in group.where():
                reached = [board.touching(each, width, height) for each in (*theirs, own)]
                for corner in islice(in_most(reached, corners), SPOTS):
                    squares = board.rectangle(corner, width, height)
                    for price in (None,) if known else (2, CONSTANTS.max_price):
                        yield PlaceCraftsman(type_, squares, price)


def raises(state: State, seat: Seat) -> Iterator[Raise]:
    """Raises of each monument alone, and of as many together as can be paid for: highest first, and lowest first."""
    if not may_raise(state, seat):
        return
    planner = Planner(state, seat, state.cattle[seat])
    single = {each: plan for each in planner.growing_monuments() if (plan := planner.plan((each,)))}
    yield from (plan.command for plan in single.values())
    highest = sorted(single, key=lambda each: -state.monuments[each].level)
    yielded = {frozenset([each]) for each in single}
    for order in (highest, highest[::-1]):
        together: tuple[Square, ...] = ()
        plan = None
        for each in order:
            further = planner.plan((*together, each))
            if further:
                together, plan = (*together, each), further
        if plan and frozenset(together) not in yielded:
            yielded.add(frozenset(together))
            yield plan.command


def prices(state: State, seat: Seat) -> Iterator[SetPrices]:
    """All prices at once, as high as possible, if the turn has no action yet."""
    highest = {type_: max(new) for type_, new in new_prices(state, seat).items() if new}
    if state.turn.action or not highest:
        return
    yield SetPrices(tuple(highest.items()))


def ends(state: State, seat: Seat) -> Iterator[EndTurn]:
    """The end of the turn, if it is legal."""
    if may_end(state, seat):
        yield EndTurn()
