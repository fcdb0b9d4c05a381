"""Limits for files from others, checked while a file is read and before its lines are decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, TypeVar

import msgspec

from event_store.errors import DamagedError

Form = TypeVar("Form", bound=msgspec.Struct)

STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"')
NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
ENDLESS = 1 << 62


class InputLimits(msgspec.Struct, frozen=True):
    """The most bytes and lines that a file may have, and how deep its JSON may be nested."""

    size: int = 64 << 20
    lines: int = 1_000_000
    depth: int = 64


FOREIGN = InputLimits()
"""For files from others."""
OWN = InputLimits(ENDLESS, ENDLESS)
"""For a file of your own, of any size."""


def lines_of(file: BinaryIO, limits: InputLimits = FOREIGN) -> Iterator[bytes]:
    """The lines of a file. Raises `DamagedError` as soon as a limit is passed."""
    size = count = 0
    while line := file.readline(limits.size + 1):
        size, count = size + len(line), count + 1
        if size > limits.size:
            raise _too_much(f"it has more than {limits.size:,} bytes")
        if count > limits.lines:
            raise _too_much(f"it has more than {limits.lines:,} lines")
        if deeper_than(line, limits.depth):
            raise _too_much(f"line {count} is nested deeper than {limits.depth} brackets")
        yield line


def deeper_than(line: bytes, limit: int) -> bool:
    """Whether the brackets in a line of JSON are nested deeper than `limit`.

    >>> deeper_than(b'{"a": [[1]]}', 2), deeper_than(b'["[[[", [1]]', 2)
    (True, False)
    """
    if line.count(b"[") + line.count(b"{") <= limit:
        return False
    depth = 0
    for bracket in STRINGS.sub(b"", line).translate(None, NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > limit:
            return True
    return False


def decode_exact(line: bytes, form: type[Form]) -> Form:
    """Decodes a line of JSON that must be exactly as Zim writes it, except for its line ending.

    An additional field is covered by no digest, and yet readers of the file may believe it. Raises
    `msgspec.ValidationError` for one, and msgspec's other errors for a line that can't be decoded.
    """
    document = msgspec.json.decode(line, type=form)
    if line.rstrip(b"\r\n") != msgspec.json.encode(document):
        raise msgspec.ValidationError(f"{_more(line, document)} in it, which nothing proves")
    return document


def _more(line: bytes, document: msgspec.Struct) -> str:
    """Names the fields of a line that its Struct does not have.

    >>> _more(b'{"size": 1, "lines": 2, "depth": 3, "text": "zulu resigns"}', InputLimits(1, 2, 3))
    "there is 'text'"
    """
    fields_in_line = msgspec.json.decode(line)
    known_fields = msgspec.json.decode(msgspec.json.encode(document))
    return (
        ", ".join(f"there is {name!r}" for name in fields_in_line.keys() - known_fields.keys())
        or "there is something more"
    )


def _too_much(why: str) -> DamagedError:
    return DamagedError("the file is too large to read", why, ("import FILE --any-size",))
