"""Labels on the hidden values of a deal, which they keep wherever the rules move them.

A label says from where in the deal a value comes: `deck[3]`. Numbers, truths and texts carry one; other values, such
as members of an `Enum`, are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from zimcore.toolkit.unknown import UNKNOWN

Tag = str
Deal = dict[Tag, Any]
"""The hidden values of a command by label."""


class TaggedInt(int):
    """A number with a label."""

    tag: Tag


class TaggedStr(str):
    """A text with a label."""

    tag: Tag


class TaggedFloat(float):
    """A number with a fraction and a label."""

    tag: Tag


class TaggedBool(int):
    """A truth with a label: `bool` has no subclasses."""

    tag: Tag

    def __repr__(self) -> str:
        return repr(bool(self))


TAGGED_TYPES = {int: TaggedInt, str: TaggedStr, float: TaggedFloat, bool: TaggedBool}


def add_tag(value: Any, tag: Tag) -> Any:
    """A value with a label. A Struct's fields all get it; a value that has a label already keeps it.

    >>> tagged_number = add_tag(2, "deck[0]")
    >>> tagged_number + 1, tagged_number.tag
    (3, 'deck[0]')
    """
    if isinstance(value, msgspec.Struct):
        fields = {name: add_tag(getattr(value, name), tag) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    if isinstance(value, tuple):
        return tuple(add_tag(item, tag) for item in value)
    tagged_type: Any = TAGGED_TYPES.get(type(value))
    if tagged_type is None:
        return value
    tagged_value = tagged_type(value)
    tagged_value.tag = tag
    return tagged_value


def map_items(value: Any, change_item: Callable[[Tag, Any], Any], tag: Tag) -> Any:
    """A field's value with each item changed: of dicts, lists and tuples. A tuple of several types is one item."""
    if isinstance(value, Mapping):
        return {key: map_items(item, change_item, f"{tag}[{key}]") for key, item in value.items()}
    if isinstance(value, list) or (isinstance(value, tuple) and len({*map(type, value)}) <= 1):
        return type(value)(map_items(item, change_item, f"{tag}[{index}]") for index, item in enumerate(value))
    return change_item(tag, value)


def items_by_tag(value: Any, tag: Tag) -> Deal:
    """The items of a field, by label.

    >>> items_by_tag({"ann": (4, 2)}, "hands")
    {'hands[ann][0]': 4, 'hands[ann][1]': 2}
    """
    deal_items: Deal = {}
    map_items(value, lambda label, item: deal_items.setdefault(label, item), tag)
    return deal_items


def map_tagged(value: Any, new_values: Deal) -> Any:
    """A Struct with the values that have labels replaced by those of another deal, in its fields, tuples and lists."""
    if isinstance(value, msgspec.Struct):
        fields = {name: map_tagged(getattr(value, name), new_values) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    if isinstance(value, (tuple, list)):
        return type(value)(map_tagged(item, new_values) for item in value)
    return new_values.get(getattr(value, "tag", ""), value)


def same_but_for_order(commands: Iterable[Any], command: Any) -> Any:
    """The first command with the values of another one, in any order: sorted cards may be listed; None without one."""
    values = sorted(map(str, single_values(command)))
    return next(
        (
            each
            for each in commands
            if each == command or (type(each) is type(command) and sorted(map(str, single_values(each))) == values)
        ),
        None,
    )


def tags_in(value: Any) -> set[Tag]:
    """All labels in a value."""
    return {
        single_value.tag
        for single_value in single_values(value)
        if isinstance(single_value, (TaggedInt, TaggedStr, TaggedFloat, TaggedBool))
    }


def single_values(value: Any) -> Iterator[Any]:
    """The single values in anything: those in its Structs, dicts (keys as well), lists, tuples and sets."""
    if isinstance(value, msgspec.Struct):
        value = [getattr(value, name) for name in value.__struct_fields__]
    elif isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from single_values(item)
    elif value is not UNKNOWN:
        yield value


def difference(value: Any, other_value: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Where two values first differ, and how: the path of fields, and both values there. None if they are equal.

    >>> difference({"ann": (4, 2)}, {"ann": (4, 3)}, "State.hands")
    ('State.hands[ann][1]', 2, 3)
    """
    if value is other_value:
        return None
    if (
        isinstance(value, msgspec.Struct)
        and isinstance(other_value, msgspec.Struct)
        and type(value) is type(other_value)
    ):
        path = path or type(value).__name__
        paths_and_values = [
            (f"{path}.{name}", getattr(value, name), getattr(other_value, name)) for name in value.__struct_fields__
        ]
    elif isinstance(value, Mapping) and isinstance(other_value, Mapping):
        if [*value] != [*other_value]:
            return path, [*value], [*other_value]
        paths_and_values = [(f"{path}[{key}]", value[key], other_value[key]) for key in value]
    elif isinstance(value, (tuple, list)) and isinstance(other_value, (tuple, list)):
        paths_and_values = [
            (f"{path}[{item_path}]", item, other_item)
            for item_path, (item, other_item) in enumerate(zip(value, other_value, strict=False))
        ]
        if len(value) != len(other_value) and not any(
            difference(*path_and_values[1:], path_and_values[0]) for path_and_values in paths_and_values
        ):
            return path, value, other_value
    elif value is UNKNOWN or other_value is UNKNOWN or value != other_value:
        return path, value, other_value
    else:
        return None
    return next(
        (
            inner_difference
            for item_path, item, other_item in paths_and_values
            if (inner_difference := difference(item, other_item, item_path))
        ),
        None,
    )
