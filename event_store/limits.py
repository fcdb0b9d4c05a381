"""What a file from elsewhere may be, at most: checked while it is read, before anything is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from event_store.errors import DamagedError

STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"')
NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
ENDLESS = 1 << 62


class Limits(msgspec.Struct, frozen=True):
    """Bytes of a file, lines in it, and how deep its JSON may be nested."""

    size: int = 64 << 20
    lines: int = 1_000_000
    depth: int = 64


FOREIGN = Limits()
"""For files of anybody's."""
OWN = Limits(ENDLESS, ENDLESS)
"""For a file of one's own, however large it is."""


def lines_of(file: BinaryIO, limits: Limits = FOREIGN) -> Iterator[bytes]:
    """The lines of a file. Raises `DamagedError` as soon as there is more than the limits allow."""
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


def deeper_than(line: bytes, most: int) -> bool:
    """Whether brackets in a line of JSON are nested deeper than that.

    >>> deeper_than(b'{"a": [[1]]}', 2), deeper_than(b'["[[[", [1]]', 2)
    (True, False)
    """
    if line.count(b"[") + line.count(b"{") <= most:
        return False
    depth = 0
    for bracket in STRINGS.sub(b"", line).translate(None, NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > most:
            return True
    return False


def _too_much(why: str) -> DamagedError:
    return DamagedError("the file is more than is read", why, ("import FILE --any-size, if it is your own",))
