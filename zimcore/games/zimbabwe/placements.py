"""Where things can be done: commands that are alike but for their squares, and those squares as sets of the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import msgspec

from zimcore.games.zimbabwe.board import Fits
from zimcore.games.zimbabwe.commands import Adore, AnyCommand, Build, Hire, PlaceCraftsman, Square, Start, Use
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, SPECIALISTS, Type
from zimcore.games.zimbabwe.rules.cards import may_adore, may_hire, may_take_a_card, may_use, tile_is_left
from zimcore.games.zimbabwe.rules.craftsmen import fits, may_place, may_place_one, overlap
from zimcore.games.zimbabwe.rules.monuments import building_ground, free_starts, may_build
from zimcore.games.zimbabwe.rules.rule import stands
from zimcore.games.zimbabwe.state import State

PRICES = range(1, CONSTANTS.max_price + 1)
NOWHERE = (Fits(1, 0, 0),)
"""The one place of what takes no squares: a rectangle without any."""


class Alike(msgspec.Struct, frozen=True, gc=False):
    """Commands that are alike but for their squares and prices; in notation they all begin with these words.

    `where` finds the places where they are legal now, `make` all commands for the squares of one of them.
    """

    words: str
    where: Callable[[], tuple[Fits, ...]]
    make: Callable[[tuple[Square, ...]], tuple[AnyCommand, ...]]

    def commands(self, state: State) -> Iterator[AnyCommand]:
        """All of them, place by place."""
        squares = chain.from_iterable(state.board.rectangles(*fit) for fit in self.where())
        return chain.from_iterable(map(self.make, squares))


class CommandKind(NamedTuple):
    """A kind of command: the things that it could be about (gods, types of craftsmen), and the groups for one."""

    things: Callable[[State], Iterable[str]]
    groups: Callable[[State, str], list[Alike]]

    def all(self, state: State) -> Iterator[Alike]:
        """The groups for all things."""
        return chain.from_iterable(self.groups(state, thing) for thing in self.things(state))


def _anywhere(
    state: State,
    words: str,
    room: Callable[[State], tuple[Fits, ...]],
    make: Callable[[tuple[Square, ...]], AnyCommand],
) -> Alike:
    """Commands that are legal on any free place, one for each."""
    return Alike(words, partial(room, state), lambda squares: (make(squares),))


def _single(state: State, words: str, command: AnyCommand) -> Alike:
    """One command without squares."""
    return Alike(
        words, lambda: NOWHERE if stands(state, state.actor or "", command) else (), lambda squares: (command,)
    )


def _only(state: State) -> Iterable[str]:
    """The one thing of a kind that has no names."""
    return ("",)


def starts(state: State, thing: str) -> list[Alike]:
    """First monuments."""
    return [_anywhere(state, "start", _starts, lambda squares: Start(*squares))]


def _starts(state: State) -> tuple[Fits, ...]:
    return (Fits(free_starts(state)),)


def gods(state: State) -> Iterable[str]:
    """Gods that could be adored, as far as it does not matter which."""
    adored = state.adores
    if state.turn.seat in adored or not may_adore(state, state.turn.seat):
        return ()
    return [god for god in state.setup.gods if god not in adored.values()]


def adorations(state: State, god: str) -> list[Alike]:
    """One god."""
    return [_single(state, f"adore {god}", Adore(god))]


def specialists(state: State) -> Iterable[str]:
    """Specialists that could be hired, as far as it does not matter for what."""
    seat = state.turn.seat
    free = [name for name, owner in state.specialists.items() if not owner]
    return [name for name in free if may_hire(state, seat, name)] if free and may_take_a_card(state, seat) else ()


def own_specialists(state: State) -> Iterable[str]:
    """Specialists that could be used, as far as it does not matter for what."""
    seat, used = state.turn.seat, state.turn.used
    return [name for name in state.specialists_of(seat) if name not in used and may_use(state, seat, name)]


def jobs(how: type[Hire | Use], state: State, name: str) -> list[Alike]:
    """What a specialist could do, in groups that differ only in the squares."""
    specialist, words = SPECIALISTS[name], f"{VERBS[how]} {name}"
    if specialist.places_resource:
        kinds = [(kind, partial(how, name, None, kind)) for kind in RESOURCES]
        return [_anywhere(state, f"{words} {kind}", _land, job) for kind, job in kinds if _tile(state, job())]
    if specialist.places_water:
        job = partial(how, name, None, None)
        return [_anywhere(state, words, water_places, job)] if _tile(state, job()) else []
    if len(specialist.costs) > 1:
        return [_single(state, f"{words} {cost}", how(name, cost)) for cost in specialist.costs]
    return [_single(state, words, how(name))]


def _tile(state: State, job: Hire | Use) -> bool:
    return tile_is_left(state, state.turn.seat, job) is None


def _land(state: State) -> tuple[Fits, ...]:
    return (Fits(state.empty),)


VERBS: dict[type[Hire | Use], str] = {Hire: "hire", Use: "use"}


def water_places(state: State) -> tuple[Fits, ...]:
    """Empty squares with a common edge (R-SPEC-05)."""
    return overlap(state, 2, 1), overlap(state, 1, 2)


def buildings(state: State, thing: str) -> list[Alike]:
    """One monument."""
    return [_anywhere(state, "build", _ground, Build)] if may_build(state, state.turn.seat) else []


def _ground(state: State) -> tuple[Fits, ...]:
    return (Fits(building_ground(state)),)


def types(state: State) -> Iterable[str]:
    """Types of craftsmen that could be placed, as far as it does not matter which."""
    return CRAFTSMEN if may_place(state, state.turn.seat) else ()


def placements(state: State, type_: Type) -> list[Alike]:
    """Craftsmen of a type, with a new technology at every price."""
    seat = state.turn.seat
    if not may_place_one(state, seat, type_):
        return []
    prices = (None,) if f"{seat}/{type_}" in state.technologies else PRICES
    return [Alike(f"craft {type_}", partial(fits, state, type_), partial(_placements_by_price, type_, prices))]


def _placements_by_price(
    type_: Type, prices: Iterable[int | None], squares: tuple[Square, ...]
) -> tuple[AnyCommand, ...]:
    return tuple([PlaceCraftsman(type_, squares, price) for price in prices])


ALIKE: dict[str, CommandKind] = {
    "start": CommandKind(_only, starts),
    "adore": CommandKind(gods, adorations),
    "hire": CommandKind(specialists, partial(jobs, Hire)),
    "use": CommandKind(own_specialists, partial(jobs, Use)),
    "build": CommandKind(_only, buildings),
    "craft": CommandKind(types, placements),
}
"""The kinds that have nothing but groups of commands that are alike."""
