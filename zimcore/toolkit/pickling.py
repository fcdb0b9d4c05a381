"""Pickles of facts: they leave out what storing leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

Reduced: TypeAlias = tuple[Callable[..., Any], tuple[type[msgspec.Struct], dict[str, Any]]]


def without_defaults(fact: msgspec.Struct) -> Reduced:
    """What `__reduce__` of a Struct with `omit_defaults` has to say, so that its twin is stored in the same bytes.

    `omit_defaults` leaves out the very object that is the default, not an equal one: a text that was read from a pickle
    would be stored.
    """
    fields = ((field, getattr(fact, field.name)) for field in msgspec.structs.fields(fact))
    return _make, (type(fact), {field.name: value for field, value in fields if value is not field.default})


def _make(kind: type[msgspec.Struct], fields: dict[str, Any]) -> msgspec.Struct:
    return kind(**fields)
