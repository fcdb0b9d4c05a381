"""Says which field of a request body is wrong, and in which entry of a mapping: `options.players`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

MAX_KEY_LENGTH = 64
"""The most characters of a wrong key in an error."""


def describe_fault(error: msgspec.ValidationError, document: object, body_type: Any, *, is_strict: bool = True) -> str:
    """What is wrong with a document that is not a body of this type, after the name of the field.

    msgspec writes `$.options[...]` for every entry of a mapping; `document` has its key. `is_strict` is as for
    `msgspec.convert`.

    >>> class Body(msgspec.Struct):
    ...     options: Mapping[str, str]
    >>> document = {"options": {"seed": "7", "players": 2}}
    >>> try:
    ...     msgspec.convert(document, Body)
    ... except msgspec.ValidationError as error:
    ...     print(describe_fault(error, document, Body))
    options.players: Expected `str`, got `int`
    """
    fault, _, location = str(error).partition(" - at `")
    field_name = location.rpartition("$")[2].strip("`.").removesuffix("[...]")
    is_in_entry = location.startswith("key` in") or location.endswith("[...]`")
    entries = document.get(field_name) if is_in_entry and isinstance(document, Mapping) else None
    if isinstance(entries, Mapping):
        field_types = {field.name: field.type for field in msgspec.structs.fields(body_type)}
        mapping_type = field_types[field_name]
        wrong_key = next((key for key in entries if not is_valid_entry(key, entries[key], mapping_type, is_strict)), "")
        field_name = f"{field_name}.{wrong_key[:MAX_KEY_LENGTH]}".rstrip(".")
    return f"{field_name}: {fault}" if field_name else fault


def is_valid_entry(key: str, value: object, mapping_type: Any, is_strict: bool) -> bool:
    """Whether a key and its value are a valid entry of a mapping of this type."""
    try:
        msgspec.convert({key: value}, mapping_type, strict=is_strict)
    except msgspec.ValidationError:
        return False
    return True
