"""Verifies that a stream is what was appended to it: no bit altered, no entry missing or moved."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from event_store.chain import Entry, check_parent
from event_store.line_history import EntryReader, Line, advance, unread_entries


def verify_entries(read: EntryReader, line: Line, verified_lines: Collection[Line] = ()) -> Iterator[Entry]:
    """Yields the entries of a line and of the streams that it was forked from, and checks that each builds on the last.

    Pass a new line (`Line(stream)`): each entry is applied to it, so after an error it shows how far the check came.
    What it shares with `verified_lines` is neither read nor yielded again. Raises `AlteredError` for an entry that is
    not what was appended, another `DamagedError` for one that can't be read.
    """
    last_digests: dict[str, bytes] = {}
    for entry in unread_entries(read, line, verified_lines):
        check_parent(entry, line.head if entry.is_commit else last_digests.get(entry.stream, b""))
        advance(line, entry)
        last_digests[entry.stream] = entry.digest
        yield entry
