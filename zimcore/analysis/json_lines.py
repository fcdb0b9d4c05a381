"""Reads and appends to cache files with one JSON document on each line. You can delete such a file at any time."""

from __future__ import annotations

import os
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


class CacheFile:
    """Records that are added to a cache. After a failure, which `write_error` is, no more are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write_error: OSError | None = None

    def append(self, record: msgspec.Struct) -> None:
        """Adds a record, unless an earlier one could not be written: a cache may cost no answer."""
        if not self.write_error:
            try:
                append_record(self.path, record)
            except OSError as error:
                self.write_error = error


def append_record(path: Path, record: msgspec.Struct) -> None:
    """Adds a record as a line to a file that only its owner may read; a missing one is created. Raises `OSError`."""
    line = b"\n" + msgspec.json.encode(record)  # starts a new line, in case the last one was cut off
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as file:  # a single write, so that lines of several processes don't mix
        file.write(line)
