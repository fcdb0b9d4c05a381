"""Commands and events as text, from their fields: `Bid(coins=3)` is `bid 3`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import msgspec

from zimcore.game import Command, Deal, Event, GameError, NotationError, Played, Seat
from zimcore.toolkit.words import one_of, spaced

SEQUENCE_TYPES = (msgspec.inspect.VarTupleType, msgspec.inspect.ListType, msgspec.inspect.TupleType)
"""Types of a field that takes several words."""
WORD_TYPES = (
    *(msgspec.inspect.IntType, msgspec.inspect.FloatType, msgspec.inspect.StrType, msgspec.inspect.BoolType),
    *(msgspec.inspect.NoneType, msgspec.inspect.EnumType, msgspec.inspect.LiteralType, msgspec.inspect.AnyType),
)
"""Types of a field that is one word."""


MAX_HIDDEN = 8
"""How many hidden values are written one by one, as `?`; of more there is their number."""


def name_of(struct_type: type[msgspec.Struct]) -> str:
    """The tag of a command or an event without its version: "bid_sealed"."""
    return str(struct_type.__struct_config__.tag).rpartition(".")[0]


def usage(command_type: type[msgspec.Struct]) -> str:
    """How a command is written: `bid COINS`."""
    return " ".join([name_of(command_type), *(name.upper() for name in command_type.__struct_fields__)])


def forms_of(author_module: ModuleType, base_type: type[msgspec.Struct]) -> list[Any]:
    """The Structs of a kind that an author's module defines, in its order."""
    struct_types = [
        member for member in vars(author_module).values() if isinstance(member, type) and issubclass(member, base_type)
    ]
    return [struct_type for struct_type in struct_types if struct_type.__module__ == author_module.__name__]


def commands_of(author_module: ModuleType) -> list[type[Command]]:
    """The commands that an author's module defines."""
    return forms_of(author_module, Command)


class Notation:
    """A verb and then the fields in their order; if the last one is a tuple it takes all remaining words."""

    def __init__(self, author_module: ModuleType, commands: Sequence[type[Command]]) -> None:
        self.author_module = author_module
        self.command_by_verb = {
            name_of(command_type): command_type for command_type in commands if not issubclass(command_type, Deal)
        }
        self.SYNTAX: Mapping[str, str] = {
            name: usage(command_type) for name, command_type in self.command_by_verb.items()
        }
        if not hasattr(author_module, "parse"):
            for command_type in commands:
                _check_fields(command_type)
        self.aliases: Mapping[str, str] = getattr(author_module, "ALIASES", {})

    def verbs(self, state: Any) -> Sequence[str]:
        """The verbs of all commands."""
        return tuple(self.SYNTAX)

    def parse(self, text: str, state: Any) -> tuple[Seat | None, Command]:
        """The seat named, if any, and the command."""
        seat, colon, command_text = text.rpartition(":")
        verb, *words = command_text.split() or [""]
        command_type = self.command_by_verb[
            one_of(self.aliases.get(verb.lower(), verb.lower()), self.command_by_verb, "command")
        ]
        return (seat.strip().lower() if colon else None), self._make_command(command_type, text, words)

    def _make_command(self, command_type: type[Command], text: str, words: Sequence[str]) -> Command:
        names = command_type.__struct_fields__
        last_index = len(names) - 1 if names and _takes_several(command_type) else None
        values: dict[str, Any] = dict(zip(names, words, strict=False))
        if last_index is not None:
            values[names[last_index]] = words[last_index:]
        if last_index is None and len(words) > len(names):
            raise NotationError(text, f"too many words: {usage(command_type)}", ("legal",))
        try:
            return msgspec.convert({name: _lower(value) for name, value in values.items()}, command_type, strict=False)
        except msgspec.ValidationError as error:
            raise NotationError(
                text, f"{str(error).lower()}; it is written {usage(command_type)}", ("legal",)
            ) from None

    def continues(self, command: str, part: str) -> bool:
        """Returns False: no command continues another."""
        return False

    def format(self, command: Command) -> str:
        """The verb and the fields, without fields at the end that have their default."""
        values = msgspec.structs.astuple(command)
        count = len(values)
        for field in reversed(msgspec.structs.fields(command)):
            if values[count - 1] is not field.default:
                break
            count -= 1
        words = [word for value in values[:count] for word in _words(value)]
        return " ".join([name_of(type(command)).replace("set_up", "set up"), *words])

    def describe(self, event: Event) -> str:
        """An event in words, by the author's `DESCRIPTIONS` (`{BidSealed: "{seat} bids {coins}"}`) or by its fields."""
        if isinstance(event, Played):
            return f"{event.seat or 'somebody'}: {self.format(event.command)}"
        values = msgspec.structs.asdict(event)
        template = getattr(self.author_module, "DESCRIPTIONS", {}).get(type(event))
        if template:
            return str(template).format_map({name: " ".join(_words(value)) for name, value in values.items()})
        seat_text = f"{values.pop('seat')}: " if "seat" in values else ""
        return seat_text + " ".join(
            [spaced(name_of(type(event))), *(word for value in values.values() for word in _words(value))]
        )

    def summary(self, events: Sequence[Event]) -> str:
        """The descriptions of all events after `Played`."""
        return ", ".join(self.describe(event) for event in events if not isinstance(event, Played))

    def describe_turn(self, events: Sequence[Event]) -> str:
        """The events that the author describes, without the player as their subject; else the command."""
        played_events = [event for event in events if isinstance(event, Played)]
        descriptions = [
            self.describe(event) for event in events if type(event) in getattr(self.author_module, "DESCRIPTIONS", {})
        ]
        seat = played_events[0].seat if played_events else ""
        texts = [text.removeprefix(f"{seat} ") if seat else text for text in descriptions]
        return ", ".join(texts or (self.format(event.command) for event in played_events))


def _takes_several(command_type: type[Command]) -> bool:
    struct_type = msgspec.inspect.type_info(command_type)
    assert isinstance(struct_type, msgspec.inspect.StructType)
    return bool(struct_type.fields) and isinstance(struct_type.fields[-1].type, SEQUENCE_TYPES)


def _check_fields(command_type: type[Command]) -> None:
    """Raises `GameError` for a field that can't be typed: a command is words, and only its last field takes several."""
    if issubclass(command_type, Deal):
        return
    struct_type = msgspec.inspect.type_info(command_type)
    assert isinstance(struct_type, msgspec.inspect.StructType)
    for field in struct_type.fields:
        is_last = field is struct_type.fields[-1]
        if not (_is_word(field.type) or (is_last and _has_words(field.type))):
            raise GameError(
                f"{command_type.__name__}.{field.name} can't be typed",
                "a field of a command is a number, a text or an Enum, and the last one may be a tuple of these",
                ["define parse(text, state) and format(command)"],
            )


def _is_word(field_type: msgspec.inspect.Type) -> bool:
    if isinstance(field_type, msgspec.inspect.UnionType):
        return all(map(_is_word, field_type.types))
    return isinstance(field_type, WORD_TYPES)


def _has_words(field_type: msgspec.inspect.Type) -> bool:
    if isinstance(field_type, msgspec.inspect.TupleType):
        return all(map(_is_word, field_type.item_types))
    sequence_types = (msgspec.inspect.VarTupleType, msgspec.inspect.ListType)
    return isinstance(field_type, sequence_types) and _is_word(field_type.item_type)


def _lower(value: Any) -> Any:
    return [word.lower() for word in value] if isinstance(value, (list, tuple)) else value.lower()


def _words(value: Any) -> list[str]:
    match value:
        case None:
            return ["-"]
        case dict():
            return [", ".join(f"{key} {' '.join(_words(item))}" for key, item in value.items())]
        case tuple() | list():
            words = [word for item in value for word in _words(item)]
            is_long = len(words) > MAX_HIDDEN and all(word == "?" for word in words)
            return [f"{len(words)} hidden"] if is_long else words
        case msgspec.Struct():
            return [word for item in msgspec.structs.astuple(value) for word in _words(item)]
    return [str(value)]
