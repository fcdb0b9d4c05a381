"""The legal commands of a position, as a view.

Where they differ only in squares, those squares are one set of the board, and no command is tried for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, product
from typing import TypeAlias, TypeVar

from zimcore.game import Command, Seat
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
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, SPECIALISTS
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import plans
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.craftsmen import footprints, may_be_placed, overlap
from zimcore.games.zimbabwe.rules.monuments import building_ground, zoning_is_lifted
from zimcore.games.zimbabwe.rules.rule import GUARDS, stands
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import begin


class LegalCommands:
    """What can be played now: iterable, `in`, `bool`, `count()`, by kind; nothing is made before it is asked for.

    A command is `in` it if and only if `decide` accepts it. Going through it gives each thing that can be done once,
    where there are several ways to say it (squares in another order); for each set of monuments that can be raised it
    gives one cheapest plan. Without a seat it is for whose turn it is.
    """

    def __init__(self, state: State, seat: Seat | None = None) -> None:
        self.state = state
        self.seat = seat or state.actor or ""
        self.kinds: tuple[str, ...] = tuple(KINDS.get(state.phase, ())) if self.seat == state.actor else ()
        """The kinds of command that this phase of the game knows: `craft`."""

    def __iter__(self) -> Iterator[AnyCommand]:
        return chain.from_iterable(map(self.of, self.kinds))

    def __contains__(self, command: object) -> bool:
        return isinstance(command, Command) and type(command) in GUARDS and stands(self.state, self.seat, command)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __repr__(self) -> str:
        return f"<{self.count()} legal commands for {self.seat or 'nobody'}>"

    def of(self, kind: str) -> Iterator[AnyCommand]:
        """Those of one kind."""
        return KINDS[self.state.phase][kind](self.state)

    def count(self, kind: str = "") -> int:
        """How many there are, of one kind or of all."""
        return sum(1 for _ in (self.of(kind) if kind else self))

    def texts(self, beginning: str = "") -> Iterator[str]:
        """The commands in notation, those whose words begin like these: `cra pot d`."""
        words = beginning.lower().split()
        kinds = (kind for kind in self.kinds if begin([kind], words[:1]))
        texts = (format_command(command) for kind in kinds for command in self.of(kind))
        return (text for text in texts if begin(text.split(), words))


Commands = TypeVar("Commands", bound=AnyCommand)


def alike(state: State, commands: Iterable[Commands]) -> Iterator[Commands]:
    """All of some commands or none: they differ only in what is known to be legal, so that the first speaks for all."""
    following = iter(commands)
    first = next(following, None)
    if first is not None and stands(state, state.actor or "", first):
        yield first
        yield from following


def starts(state: State) -> Iterator[Start]:
    """First monuments."""
    return map(Start, state.board.names(state.starts & ~state.monument_squares))


def gifts(state: State) -> Iterator[Give]:
    """Gifts from the least to the largest."""
    seat = state.actor or ""
    return (Give(n) for n in range(generosity.minimum_gift(state), generosity.largest_gift(state, seat) + 1))


def passes(state: State) -> Iterator[Pass]:
    """No more bids."""
    yield Pass()


def adorations(state: State) -> Iterator[Adore]:
    """Gods that are free."""
    for god in state.setup.gods:
        yield from alike(state, [Adore(god)])


def hires(state: State) -> Iterator[Hire]:
    """Specialists nobody has, with everything that they could do."""
    for name in state.specialists:
        for jobs in _jobs(state, name):
            yield from alike(state, (Hire(name, *job) for job in jobs))


def uses(state: State) -> Iterator[Use]:
    """The same for own specialists."""
    for name in state.specialists_of(state.turn.seat):
        for jobs in _jobs(state, name):
            yield from alike(state, (Use(name, *job) for job in jobs))


Job: TypeAlias = tuple[int | None, str | None, tuple[Square, ...]]
"""What a specialist is to do: cattle, resource and squares, as in `Hire`."""


def _jobs(state: State, name: str) -> Iterator[Iterable[Job]]:
    """What a specialist could do, in groups that differ only in the squares."""
    specialist = SPECIALISTS[name]
    if specialist.places_resource:
        names, squares = state.board.name, state.empty
        yield from (((None, resource, (names[square],)) for square in bits(squares)) for resource in RESOURCES)
    elif specialist.places_water:
        yield ((None, None, pair) for pair in pairs(state))
    elif len(specialist.costs) > 1:
        yield from ([(cost, None, ())] for cost in specialist.costs)
    else:
        yield [(None, None, ())]


def pairs(state: State) -> Iterator[tuple[Square, ...]]:
    """Empty squares with a common edge (R-SPEC-05)."""
    for width, height in ((2, 1), (1, 2)):
        yield from state.board.rectangles(overlap(state, width, height), width, height)


def buildings(state: State) -> Iterator[Build]:
    """One monument, or two where the god allows (R-MON-02)."""
    ground = building_ground(state)
    yield from alike(state, map(Build, state.board.rectangles(ground, 1, 1)))
    if state.blessing(state.turn.seat).monuments > 1:
        yield from alike(state, map(Build, _two_apart(state, ground)))


def _two_apart(state: State, ground: Squares) -> Iterator[tuple[Square, ...]]:
    """Two building grounds that zoning allows together (R-MON-01, R-SPEC-07)."""
    board, lifted = state.board, zoning_is_lifted(state)
    for one in bits(ground):
        ground &= ~one
        others = ground if lifted else ground & ~board.around(one)
        yield from ((board.name[one], other) for other in board.names(others))


def placements(state: State) -> Iterator[PlaceCraftsman]:
    """Craftsmen of every type, and with a new technology every price."""
    for type_ in CRAFTSMEN:
        if not may_be_placed(state, state.turn.seat, type_):
            continue
        owned = f"{state.turn.seat}/{type_}" in state.technologies
        prices = (None,) if owned else range(1, CONSTANTS.max_price + 1)
        places = footprints(state, type_)
        yield from alike(state, (PlaceCraftsman(type_, place, price) for place in places for price in prices))


def pricings(state: State) -> Iterator[SetPrices]:
    """New prices for any of the own technologies, each of which is possible or not whatever the others become."""
    seat = state.turn.seat
    priced = [[(type_, price) for price in range(1, CONSTANTS.max_price + 1)] for type_ in state.technologies_of(seat)]
    possible = [[None, *(new for new in prices if stands(state, seat, SetPrices((new,))))] for prices in priced]
    for prices in islice(product(*possible), 1, None):
        yield SetPrices(tuple(filter(None, prices)))


def raises(state: State) -> Iterator[Raise]:
    """For each set of own monuments the cheapest plan."""
    if state.turn.action is None:
        yield from (plan.command for plan in plans(state, state.turn.seat))


def ends(state: State) -> Iterator[EndTurn]:
    """The end of the turn."""
    yield EndTurn()


KINDS: dict[str, dict[str, Callable[[State], Iterator[AnyCommand]]]] = {
    "setup": {"start": starts},
    "bidding": {"bid": gifts, "pass": passes},
    "actions": {
        "adore": adorations,
        "hire": hires,
        "use": uses,
        "build": buildings,
        "craft": placements,
        "price": pricings,
        "raise": raises,
        "end": ends,
    },
}
