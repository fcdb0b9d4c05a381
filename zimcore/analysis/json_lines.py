"""What was worked out once, in files of one JSON document a line. Such a file can be dropped at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

Kept = TypeVar("Kept", bound=msgspec.Struct)


def read_lines(path: Path, kind: type[Kept]) -> Iterator[Kept]:
    """The lines of a file that can be read; none if it is missing or may not be read.

    A line that was cut off, as by a crash, is left out.
    """
    decoder = msgspec.json.Decoder(kind)
    with suppress(OSError), path.open("rb") as lines:
        for each in lines:
            with suppress(msgspec.DecodeError):
                yield decoder.decode(each)


def append_line(path: Path, kept: msgspec.Struct) -> None:
    """Adds a line, and makes the file if it is missing. Raises `OSError` where nothing can be written."""
    line = b"\n" + msgspec.json.encode(kept)  # on a line of its own after one that was cut off, too
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as out:  # one write, which does not mix with those of others who append
        out.write(line)
