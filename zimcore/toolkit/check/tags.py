"""Labels on the hidden values of a deal, which they keep wherever the rules move them.

A label says from where in the deal a value comes: `deck[3]`. Numbers, truths and texts carry one; other values, such
as members of an `Enum`, are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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


TAGGED = {int: TaggedInt, str: TaggedStr, float: TaggedFloat, bool: TaggedBool}


def add_tag(value: Any, tag: Tag) -> Any:
    """A value with a label. A Struct's fields all get it; a value that has a label already keeps it.

    >>> two = add_tag(2, "deck[0]")
    >>> two + 1, two.tag
    (3, 'deck[0]')
    """
    if isinstance(value, msgspec.Struct):
        fields = {name: add_tag(getattr(value, name), tag) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    if isinstance(value, tuple):
        return tuple(add_tag(item, tag) for item in value)
    form: Any = TAGGED.get(type(value))
    if form is None:
        return value
    tagged_value = form(value)
    tagged_value.tag = tag
    return tagged_value


def map_items(value: Any, change: Callable[[Tag, Any], Any], tag: Tag) -> Any:
    """A field's value with each item changed: of dicts, lists and tuples. A tuple of several types is one item."""
    if isinstance(value, Mapping):
        return {key: map_items(item, change, f"{tag}[{key}]") for key, item in value.items()}
    if isinstance(value, list) or (isinstance(value, tuple) and len({*map(type, value)}) <= 1):
        return type(value)(map_items(item, change, f"{tag}[{index}]") for index, item in enumerate(value))
    return change(tag, value)


def items_by_tag(value: Any, tag: Tag) -> Deal:
    """The items of a field, by label.

    >>> items_by_tag({"ann": (4, 2)}, "hands")
    {'hands[ann][0]': 4, 'hands[ann][1]': 2}
    """
    deal_items: Deal = {}
    map_items(value, lambda label, item: deal_items.setdefault(label, item), tag)
    return deal_items


def tags_in(value: Any) -> set[Tag]:
    """All labels in a value."""
    return {
        single.tag
        for single in single_values(value)
        if isinstance(single, (TaggedInt, TaggedStr, TaggedFloat, TaggedBool))
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


def difference(one: Any, other: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Where two values first differ, and how: the path of fields, and both values there. None if they are equal.

    >>> difference({"ann": (4, 2)}, {"ann": (4, 3)}, "State.hands")
    ('State.hands[ann][1]', 2, 3)
    """
    if one is other:
        return None
    if isinstance(one, msgspec.Struct) and isinstance(other, msgspec.Struct) and type(one) is type(other):
        path = path or type(one).__name__
        pairs = [(f"{path}.{name}", getattr(one, name), getattr(other, name)) for name in one.__struct_fields__]
    elif isinstance(one, Mapping) and isinstance(other, Mapping):
        if [*one] != [*other]:
            return path, [*one], [*other]
        pairs = [(f"{path}[{key}]", one[key], other[key]) for key in one]
    elif isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        pairs = [(f"{path}[{at}]", first, second) for at, (first, second) in enumerate(zip(one, other, strict=False))]
        if len(one) != len(other) and not any(difference(*pair[1:], pair[0]) for pair in pairs):
            return path, one, other
    elif one is UNKNOWN or other is UNKNOWN or one != other:
        return path, one, other
    else:
        return None
    return next(
        (inner_difference for at, first, second in pairs if (inner_difference := difference(first, second, at))), None
    )
