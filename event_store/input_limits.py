"""Limits for files from others, checked while a file is read and before its lines are decoded."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, TypeVar

import msgspec

from event_store.errors import DamagedError

DocumentT = TypeVar("DocumentT", bound=msgspec.Struct)

JSON_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"')
NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
NO_LIMIT = 1 << 62


class InputLimits(msgspec.Struct, frozen=True):
    """The most bytes and lines that a file may have, and how deep its JSON may be nested."""

    max_size: int = 64 << 20
    max_lines: int = 1_000_000
    max_depth: int = 64


FOREIGN_FILE = InputLimits()
"""The limits for files from others."""
OWN_FILE = InputLimits(NO_LIMIT, NO_LIMIT)
"""The limits for a file of your own, which may have any size."""


def lines_of(file: BinaryIO, limits: InputLimits = FOREIGN_FILE) -> Iterator[bytes]:
    """The lines of a file, without what editors and mail add: a byte order mark, CRLF, empty lines.

    Raises `DamagedError` as soon as a limit is passed.
    """
    size = line_count = 0
    while line := file.readline(limits.max_size + 1):
        size, line_count = size + len(line), line_count + 1
        if size > limits.max_size:
            raise _too_large_error(f"it has more than {limits.max_size:,} bytes")
        if line_count > limits.max_lines:
            raise _too_large_error(f"it has more than {limits.max_lines:,} lines")
        if is_nested_deeper(line, limits.max_depth):
            raise DamagedError(
                "the file can't be read",
                f"line {line_count} is nested deeper than {limits.max_depth} brackets",
                ("help import",),
            )
        if line_count == 1:
            if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise DamagedError("the file can't be read", "it is in UTF-16: save it as UTF-8", ("help import",))
            line = line.removeprefix(codecs.BOM_UTF8)
        if line.strip():
            yield line.removesuffix(b"\n").rstrip(b"\r") + b"\n" * line.endswith(b"\n")


def is_nested_deeper(line: bytes, limit: int) -> bool:
    """Whether the brackets in a line of JSON are nested deeper than `limit`.

    >>> is_nested_deeper(b'{"a": [[1]]}', 2), is_nested_deeper(b'["[[[", [1]]', 2)
    (True, False)
    """
    if line.count(b"[") + line.count(b"{") <= limit:
        return False
    depth = 0
    for bracket in JSON_STRINGS.sub(b"", line).translate(None, NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > limit:
            return True
    return False


def decode_exact(line: bytes, document_type: type[DocumentT]) -> DocumentT:
    """Decodes a line of JSON that must be exactly as Zim writes it, except for its line ending.

    An additional field is covered by no digest, and yet readers of the file may believe it. Raises
    `msgspec.ValidationError` for one, and msgspec's other errors for a line that can't be decoded.
    """
    document = msgspec.json.decode(line, type=document_type)
    if line.rstrip(b"\r\n") != msgspec.json.encode(document):
        raise msgspec.ValidationError(_describe_additions(line, document))
    return document


def _describe_additions(line: bytes, document: msgspec.Struct) -> str:
    """Says which fields a line has that its Struct does not have.

    >>> _describe_additions(b'{"max_size": 1, "max_lines": 2, "max_depth": 3, "text": "hi"}', InputLimits(1, 2, 3))
    "it has fields that no digest covers: 'text'"
    """
    fields_in_line = msgspec.json.decode(line)
    known_fields = msgspec.json.decode(msgspec.json.encode(document))
    unknown_names = ", ".join(map(repr, sorted(fields_in_line.keys() - known_fields.keys())))
    return f"it has fields that no digest covers: {unknown_names}" if unknown_names else "it is not as Zim writes it"


def _too_large_error(why: str) -> DamagedError:
    return DamagedError("the file is too large to read", why, ("import FILE --any-size",))
