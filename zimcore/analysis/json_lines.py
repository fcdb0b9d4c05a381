"""Reads and appends to cache files with one JSON document on each line. You can delete such a file at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

Record = TypeVar("Record", bound=msgspec.Struct)


def read_records(path: Path, record_type: type[Record]) -> Iterator[Record]:
    """The records in the readable lines of a file; none if it is missing or not accessible.

    Skips lines that don't decode, for example after a crash cut one off.
    """
    decoder = msgspec.json.Decoder(record_type)
    with suppress(OSError), path.open("rb") as lines:
        for line in lines:
            with suppress(msgspec.DecodeError):
                yield decoder.decode(line)


def append_record(path: Path, record: msgspec.Struct) -> None:
    """Adds a record as a line, and creates the file if it is missing. Raises `OSError` if it can't be written."""
    line = b"\n" + msgspec.json.encode(record)  # starts a new line, in case the last one was cut off
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:  # a single write, so that lines of several processes don't mix
        file.write(line)
