"""Groups of commands that differ only in their squares, with these squares as sets of the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

import msgspec

from zimcore.games.zimbabwe.board import RectanglePlaces
from zimcore.games.zimbabwe.commands import Adore, AnyCommand, Build, Hire, PlaceCraftsman, Square, Start, Use
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, SPECIALISTS, CraftsmanType
from zimcore.games.zimbabwe.rules.cards import may_adore, may_hire, may_take_a_card, may_use, tile_is_left
from zimcore.games.zimbabwe.rules.craftsmen import craftsman_places, empty_places_touching, may_place, may_place_one
from zimcore.games.zimbabwe.rules.monuments import building_ground, free_starts, may_build
from zimcore.games.zimbabwe.rules.rule import is_legal
from zimcore.games.zimbabwe.state import State

PRICES = range(1, CONSTANTS.max_price + 1)
NO_SQUARES = (RectanglePlaces(1, 0, 0),)
"""The only place of a command without squares: an empty rectangle."""


class SimilarCommands(msgspec.Struct, frozen=True, gc=False):
    """Commands that differ only in squares and prices; their notation begins with the same words.

    `find_places` returns the places where they are legal now, `make_commands` all commands for the squares of a place.
    """

    words: str
    find_places: Callable[[], tuple[RectanglePlaces, ...]]
    make_commands: Callable[[tuple[Square, ...]], tuple[AnyCommand, ...]]

    def commands(self, state: State) -> Iterator[AnyCommand]:
        """Yields all commands, place by place."""
        squares_of_places = chain.from_iterable(state.board.rectangles(*places) for places in self.find_places())
        return chain.from_iterable(map(self.make_commands, squares_of_places))


class CommandKind(NamedTuple):
    """A kind of commands: functions for the names it has now (gods, types of craftsmen), and the groups of a name."""

    find_names: Callable[[State], Iterable[str]]
    find_groups: Callable[[State, str], list[SimilarCommands]]

    def all_groups(self, state: State) -> Iterator[SimilarCommands]:
        """Yields the groups of all names."""
        return chain.from_iterable(self.find_groups(state, name) for name in self.find_names(state))


def _group_for_free_places(
    state: State,
    words: str,
    find_places: Callable[[State], tuple[RectanglePlaces, ...]],
    make_command: Callable[[tuple[Square, ...]], AnyCommand],
) -> SimilarCommands:
    """Commands that are legal on any free place, one for each place."""
    return SimilarCommands(words, partial(find_places, state), lambda squares: (make_command(squares),))


def _group_without_squares(state: State, words: str, command: AnyCommand) -> SimilarCommands:
    """A single command without squares."""
    return SimilarCommands(
        words, lambda: NO_SQUARES if is_legal(state, state.actor or "", command) else (), lambda squares: (command,)
    )


def _no_names(state: State) -> Iterable[str]:
    """The empty name, for a kind whose commands have none."""
    return ("",)


def start_groups(state: State, name: str) -> list[SimilarCommands]:
    """The group of first monuments."""
    return [_group_for_free_places(state, "start", _start_places, lambda squares: Start(*squares))]


def _start_places(state: State) -> tuple[RectanglePlaces, ...]:
    return (RectanglePlaces(free_starts(state)),)


def god_names(state: State) -> Iterable[str]:
    """The gods that can be adored, before the rules about each god."""
    god_by_adorer = state.adores
    if state.turn.seat in god_by_adorer or not may_adore(state, state.turn.seat):
        return ()
    return [god for god in state.setup.gods if god not in god_by_adorer.values()]


def adore_groups(state: State, god: str) -> list[SimilarCommands]:
    """The command for one god."""
    return [_group_without_squares(state, f"adore {god}", Adore(god))]


def specialist_names(state: State) -> Iterable[str]:
    """The specialists that can be hired, before the rules about their use."""
    seat = state.turn.seat
    free_specialists = [name for name, owner in state.specialists.items() if not owner]
    return (
        [name for name in free_specialists if may_hire(state, seat, name)]
        if free_specialists and may_take_a_card(state, seat)
        else ()
    )


def own_specialist_names(state: State) -> Iterable[str]:
    """The seat's specialists that can be used, before the rules about their use."""
    seat = state.turn.seat
    return [name for name in state.specialists_of(seat) if may_use(state, seat, name)]


def specialist_groups(command_type: type[Hire | Use], state: State, name: str) -> list[SimilarCommands]:
    """The uses of a specialist, in groups that differ only in squares."""
    specialist, words = SPECIALISTS[name], f"{VERBS[command_type]} {name}"
    if specialist.places_resource:
        resources_and_makers = [(resource, partial(command_type, name, None, resource)) for resource in RESOURCES]
        return [
            _group_for_free_places(state, f"{words} {resource}", _land_places, make_command)
            for resource, make_command in resources_and_makers
            if _has_tile(state, make_command())
        ]
    if specialist.places_water:
        make_command = partial(command_type, name, None, None)
        return (
            [_group_for_free_places(state, words, water_places, make_command)]
            if _has_tile(state, make_command())
            else []
        )
    if len(specialist.costs) > 1:
        return [_group_without_squares(state, f"{words} {cost}", command_type(name, cost)) for cost in specialist.costs]
    return [_group_without_squares(state, words, command_type(name))]


def _has_tile(state: State, command: Hire | Use) -> bool:
    return tile_is_left(state, state.turn.seat, command) is None


def _land_places(state: State) -> tuple[RectanglePlaces, ...]:
    return (RectanglePlaces(state.empty_land),)


VERBS: dict[type[Hire | Use], str] = {Hire: "hire", Use: "use"}


def water_places(state: State) -> tuple[RectanglePlaces, ...]:
    """Pairs of empty squares with a common edge (R-SPEC-05), as masks."""
    return empty_places_touching(state, 2, 1), empty_places_touching(state, 1, 2)


def build_groups(state: State, name: str) -> list[SimilarCommands]:
    """The group of building one monument."""
    return (
        [_group_for_free_places(state, "build", _building_places, Build)] if may_build(state, state.turn.seat) else []
    )


def _building_places(state: State) -> tuple[RectanglePlaces, ...]:
    return (RectanglePlaces(building_ground(state)),)


def type_names(state: State) -> Iterable[str]:
    """The types of craftsmen that can be placed, before the rules about each type."""
    return CRAFTSMEN if may_place(state, state.turn.seat) else ()


def craftsman_groups(state: State, type_: CraftsmanType) -> list[SimilarCommands]:
    """The places for a craftsman of a type, with a new technology at every price."""
    seat = state.turn.seat
    if not may_place_one(state, seat, type_):
        return []
    prices = (None,) if f"{seat}/{type_}" in state.technologies else PRICES
    return [
        SimilarCommands(
            f"craft {type_}", partial(craftsman_places, state, type_), partial(_placements_by_price, type_, prices)
        )
    ]


def _placements_by_price(
    type_: CraftsmanType, prices: Iterable[int | None], squares: tuple[Square, ...]
) -> tuple[AnyCommand, ...]:
    return tuple([PlaceCraftsman(type_, squares, price) for price in prices])


GROUPED_KINDS: dict[str, CommandKind] = {
    "start": CommandKind(_no_names, start_groups),
    "adore": CommandKind(god_names, adore_groups),
    "hire": CommandKind(specialist_names, partial(specialist_groups, Hire)),
    "use": CommandKind(own_specialist_names, partial(specialist_groups, Use)),
    "build": CommandKind(_no_names, build_groups),
    "craft": CommandKind(type_names, craftsman_groups),
}
"""The kinds that consist of groups of similar commands."""
