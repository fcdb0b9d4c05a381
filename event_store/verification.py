"""The proof that a stream is what was appended to it: no bit altered, no entry missing or moved."""

from __future__ import annotations

from collections.abc import Iterator

from event_store.chain import Entry, check_parent
from event_store.line_history import EntryReader, Line, advance, lineage


def verify_entries(read: EntryReader, line: Line) -> Iterator[Entry]:
    """The entries that make a line, those before its forks too; each was checked as it was read, and then that it
    builds on what stands before it.

    The line given is a new one (`Line(stream)`), so that the caller knows how far it came. Raises `AlteredError` for
    an entry that is not what was appended, any other `DamagedError` for one that can't be read at all.
    """
    last: dict[str, bytes] = {}
    for entry in lineage(read, line.stream):
        check_parent(entry, line.head if entry.is_commit else last.get(entry.stream, b""))
        advance(line, entry)
        last[entry.stream] = entry.digest
        yield entry
