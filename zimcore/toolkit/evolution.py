"""The states and events of a game, from the functions `on_<event>` in the module that its author wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, reduce
from importlib import import_module
from operator import or_
from types import ModuleType
from typing import Any, cast, get_type_hints

import msgspec

from zimcore.game import Command, Deal, Event, GameError, Outcome, Played, Seat, Upcaster
from zimcore.toolkit.notation import commands_of, forms_of, name_of
from zimcore.toolkit.redeal import HiddenRedealt, Redeal, refill

CANONICAL_ENCODER = msgspec.msgpack.Encoder(order="sorted")
IMMUTABLE_TYPES = frozenset({int, str, float, bool, bytes, type(None), tuple, frozenset})
"""Types of values that a copy shares with the original. A tuple must hold no list, set or dict that changes: all copies
would share it, which `zim check` reports."""


class Evolution:
    """Implements `Evolution` of `zimcore.game` with the functions of an author's module.

    Raises `GameError` if something is missing there. Events and commands are the Structs with a tag that the module
    defines; the state is its `State`.
    """

    def __init__(self, author_module: ModuleType) -> None:
        self.author_module = author_module
        event_types = [
            event_type for event_type in forms_of(author_module, Event) if not issubclass(event_type, Played)
        ]
        is_redealt_by_toolkit = hasattr(author_module, "SECRETS") and not hasattr(author_module, "redeal")
        self.EVENTS: Sequence[type[Event]] = (
            self._played_type([Redeal] if is_redealt_by_toolkit else []),
            *event_types,
            *([HiddenRedealt] if is_redealt_by_toolkit else []),
        )
        self.UPCASTERS: Mapping[str, Upcaster] = getattr(author_module, "UPCASTERS", {})
        self.MARKS: Mapping[type[Event], Callable[[Any, Any], str | None]] = {
            event_type: lambda event, _: f"r{event.round}"
            for event_type in event_types
            if "round" in event_type.__struct_fields__
        }
        """The names of positions after events: a round's first is `r4`."""
        if not any(issubclass(command_type, Deal) for command_type in commands_of(author_module)):
            raise GameError(
                f"{author_module.__name__} has no SetUp",
                "a command that sets a match up is a Deal",
                [f"zim check {author_module.__name__}:GAME"],
            )
        for required_name in ("State", "SetUp", "set_up", "to_move", "outcome"):
            self._required_member(required_name, "the game can't do without it")
        self._appliers: dict[type[Event], Callable[[Any, Any], object]] = {
            event_type: self._required_member(f"on_{name_of(event_type)}", f"{event_type.__name__} needs it")
            for event_type in event_types
        }
        self._appliers[HiddenRedealt] = refill

    def _required_member(self, name: str, reason: str) -> Any:
        member = getattr(self.author_module, name, None)
        if member is None:
            raise GameError(
                f"{self.author_module.__name__} has no {name}",
                reason,
                [f"zim check {self.author_module.__name__}:GAME"],
            )
        return member

    def _played_type(self, toolkit_commands: Sequence[type[Command]]) -> type[Event]:
        """The author's own `Played`, or one for all commands of the module; with commands of the toolkit."""
        own_types = [event_type for event_type in forms_of(self.author_module, Event) if issubclass(event_type, Played)]
        if own_types and not toolkit_commands:
            return cast("type[Event]", own_types[0])
        base_type = own_types[0] if own_types else Played
        command_types = [get_type_hints(base_type)["command"]] if own_types else commands_of(self.author_module)
        return _make_played(self.author_module.__name__, base_type, (*command_types, *toolkit_commands))

    def initial(self) -> Any:
        """An empty `State`."""
        return self.author_module.State()

    def evolve(self, state: Any, event: Event) -> None:
        """Applies an event with its `on_<event>`."""
        apply = self._appliers.get(type(event))
        if apply:
            apply(state, event)

    def copy(self, state: Any) -> Any:
        """A copy of the state that shares nothing that can change (see `IMMUTABLE_TYPES`)."""
        return copy_value(state)

    def canonical(self, state: Any) -> bytes:
        """All fields of a state, encoded with sorted keys."""
        return CANONICAL_ENCODER.encode(state)

    def seats(self, state: Any) -> tuple[Seat, ...]:
        """The seats, from the state's field `seats`."""
        return tuple(state.seats)

    def to_move(self, state: Any) -> tuple[Seat, ...]:
        """The seats to move, by the author's function."""
        return tuple(self.author_module.to_move(state))

    def invariant(self, state: Any) -> str:
        """What is wrong with a state, as a clause; "" if nothing is. `zim check` calls that of the author's module."""
        return ""

    def outcome(self, state: Any) -> Outcome:
        """The outcome, by the author's function."""
        return cast("Outcome", self.author_module.outcome(state))


@cache
def _make_played(module_name: str, base_type: type[Event], commands: tuple[Any, ...]) -> type[Event]:
    """A type of `Played` for these commands. It is pickled by the name of the author's module."""
    fields = [("seat", str), ("command", reduce(or_, commands))]
    tag = "played.1" if base_type is Played else str(base_type.__struct_config__.tag)
    members = {"__reduce__": lambda event: (_unpickle_played, (module_name, event.seat, event.command))}
    played_type = msgspec.defstruct("Played", fields, bases=(base_type,), namespace=members, frozen=True, tag=tag)
    return cast("type[Event]", played_type)


def _unpickle_played(module_name: str, seat: Seat, command: Command) -> Event:
    played_type: Callable[..., Event] = Evolution(import_module(module_name)).EVENTS[0]
    return played_type(seat=seat, command=command)


def copy_value(value: Any) -> Any:
    """A copy of a value, which can be changed without changing the value.

    >>> before = {"amina": [1, 2]}
    >>> after = copy_value(before)
    >>> after["amina"].append(3)
    >>> before
    {'amina': [1, 2]}
    """
    value_type = type(value)
    if value_type in IMMUTABLE_TYPES:
        return value
    if value_type is dict:
        return value.copy() if IMMUTABLE_TYPES.issuperset(map(type, value.values())) else _copy_entries(value)
    if isinstance(value, msgspec.Struct):
        return value if value_type.__struct_config__.frozen else _copy_struct(value)
    match value:
        case dict():
            return _copy_entries(value)
        case list():
            return [copy_value(item) for item in value]
        case set():
            return set(value)
    return value


def _copy_entries(value: dict[Any, Any]) -> dict[Any, Any]:
    return {key: copy_value(item) for key, item in value.items()}


def _copy_struct(value: msgspec.Struct) -> msgspec.Struct:
    """A shallow copy, in which only fields that can change are copied again: most fields of a state can't."""
    struct_copy = copy(value)
    for name in value.__struct_fields__:
        field_value = getattr(value, name)
        if type(field_value) not in IMMUTABLE_TYPES:
            setattr(struct_copy, name, copy_value(field_value))
    return struct_copy
