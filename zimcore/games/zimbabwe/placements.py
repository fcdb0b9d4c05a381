"""Groups of commands that differ only in their squares, with these squares as sets of the board."""

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
from zimcore.games.zimbabwe.rules.rule import is_legal
from zimcore.games.zimbabwe.state import State

PRICES = range(1, CONSTANTS.max_price + 1)
NOWHERE = (Fits(1, 0, 0),)
"""The only place of a command without squares: an empty rectangle."""


class SimilarCommands(msgspec.Struct, frozen=True, gc=False):
    """Commands that differ only in squares and prices; their notation begins with the same words.

    `where` returns the places where they are legal now, `make` all commands for the squares of one place.
    """

    words: str
    where: Callable[[], tuple[Fits, ...]]
    make: Callable[[tuple[Square, ...]], tuple[AnyCommand, ...]]

    def commands(self, state: State) -> Iterator[AnyCommand]:
        """Yields all commands, place by place."""
        squares = chain.from_iterable(state.board.rectangles(*fit) for fit in self.where())
        return chain.from_iterable(map(self.make, squares))


class CommandKind(NamedTuple):
    """A kind of commands: its things (gods, types of craftsmen), and the groups for each thing."""

    things: Callable[[State], Iterable[str]]
    groups: Callable[[State, str], list[SimilarCommands]]

    def all(self, state: State) -> Iterator[SimilarCommands]:
        """Yields the groups of all things."""
        return chain.from_iterable(self.groups(state, thing) for thing in self.things(state))


def _group_for_free_places(
    state: State,
    words: str,
    find_places: Callable[[State], tuple[Fits, ...]],
    make: Callable[[tuple[Square, ...]], AnyCommand],
) -> SimilarCommands:
    """Commands that are legal on any free place, one for each place."""
    return SimilarCommands(words, partial(find_places, state), lambda squares: (make(squares),))


def _group_without_squares(state: State, words: str, command: AnyCommand) -> SimilarCommands:
    """A single command without squares."""
    return SimilarCommands(
        words, lambda: NOWHERE if is_legal(state, state.actor or "", command) else (), lambda squares: (command,)
    )


def _nameless_thing(state: State) -> Iterable[str]:
    """The single, nameless thing of a kind without names."""
    return ("",)


def starts(state: State, thing: str) -> list[SimilarCommands]:
    """The group of first monuments."""
    return [_group_for_free_places(state, "start", _start_places, lambda squares: Start(*squares))]


def _start_places(state: State) -> tuple[Fits, ...]:
    return (Fits(free_starts(state)),)


def gods(state: State) -> Iterable[str]:
    """The gods that can be adored, before the rules about each god."""
    adored = state.adores
    if state.turn.seat in adored or not may_adore(state, state.turn.seat):
        return ()
    return [god for god in state.setup.gods if god not in adored.values()]


def adorations(state: State, god: str) -> list[SimilarCommands]:
    """The command for one god."""
    return [_group_without_squares(state, f"adore {god}", Adore(god))]


def specialists(state: State) -> Iterable[str]:
    """The specialists that can be hired, before the rules about their use."""
    seat = state.turn.seat
    free = [name for name, owner in state.specialists.items() if not owner]
    return [name for name in free if may_hire(state, seat, name)] if free and may_take_a_card(state, seat) else ()


def own_specialists(state: State) -> Iterable[str]:
    """The seat's specialists that can be used, before the rules about their use."""
    seat, used = state.turn.seat, state.turn.used
    return [name for name in state.specialists_of(seat) if name not in used and may_use(state, seat, name)]


def jobs(command_type: type[Hire | Use], state: State, name: str) -> list[SimilarCommands]:
    """The uses of a specialist, in groups that differ only in squares."""
    specialist, words = SPECIALISTS[name], f"{VERBS[command_type]} {name}"
    if specialist.places_resource:
        kinds = [(kind, partial(command_type, name, None, kind)) for kind in RESOURCES]
        return [
            _group_for_free_places(state, f"{words} {kind}", _land_places, job)
            for kind, job in kinds
            if _has_tile(state, job())
        ]
    if specialist.places_water:
        job = partial(command_type, name, None, None)
        return [_group_for_free_places(state, words, water_places, job)] if _has_tile(state, job()) else []
    if len(specialist.costs) > 1:
        return [_group_without_squares(state, f"{words} {cost}", command_type(name, cost)) for cost in specialist.costs]
    return [_group_without_squares(state, words, command_type(name))]


def _has_tile(state: State, job: Hire | Use) -> bool:
    return tile_is_left(state, state.turn.seat, job) is None


def _land_places(state: State) -> tuple[Fits, ...]:
    return (Fits(state.empty),)


VERBS: dict[type[Hire | Use], str] = {Hire: "hire", Use: "use"}


def water_places(state: State) -> tuple[Fits, ...]:
    """Pairs of empty squares with a common edge (R-SPEC-05), as masks."""
    return overlap(state, 2, 1), overlap(state, 1, 2)


def buildings(state: State, thing: str) -> list[SimilarCommands]:
    """The group of building one monument."""
    return (
        [_group_for_free_places(state, "build", _building_places, Build)] if may_build(state, state.turn.seat) else []
    )


def _building_places(state: State) -> tuple[Fits, ...]:
    return (Fits(building_ground(state)),)


def types(state: State) -> Iterable[str]:
    """The types of craftsmen that can be placed, before the rules about each type."""
    return CRAFTSMEN if may_place(state, state.turn.seat) else ()


def placements(state: State, type_: Type) -> list[SimilarCommands]:
    """The places for a craftsman of a type, with a new technology at every price."""
    seat = state.turn.seat
    if not may_place_one(state, seat, type_):
        return []
    prices = (None,) if f"{seat}/{type_}" in state.technologies else PRICES
    return [
        SimilarCommands(f"craft {type_}", partial(fits, state, type_), partial(_placements_by_price, type_, prices))
    ]


def _placements_by_price(
    type_: Type, prices: Iterable[int | None], squares: tuple[Square, ...]
) -> tuple[AnyCommand, ...]:
    return tuple([PlaceCraftsman(type_, squares, price) for price in prices])


GROUPED_KINDS: dict[str, CommandKind] = {
    "start": CommandKind(_nameless_thing, starts),
    "adore": CommandKind(gods, adorations),
    "hire": CommandKind(specialists, partial(jobs, Hire)),
    "use": CommandKind(own_specialists, partial(jobs, Use)),
    "build": CommandKind(_nameless_thing, buildings),
    "craft": CommandKind(types, placements),
}
"""The kinds that consist of groups of similar commands."""
