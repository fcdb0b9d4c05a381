"""Pickles events without the fields that storage leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

ReduceResult: TypeAlias = tuple[Callable[..., Any], tuple[type[msgspec.Struct], dict[str, Any]]]


def without_defaults(struct: msgspec.Struct) -> ReduceResult:
    """The result of `__reduce__` for a Struct with `omit_defaults`, so that its copy is stored in the same bytes.

    `omit_defaults` leaves out only the very object that is the default, not an equal one such as a text from a pickle.
    """
    fields = ((field, getattr(struct, field.name)) for field in msgspec.structs.fields(struct))
    return _make_struct, (type(struct), {field.name: value for field, value in fields if value is not field.default})


def _make_struct(struct_type: type[msgspec.Struct], fields: dict[str, Any]) -> msgspec.Struct:
    return struct_type(**fields)
