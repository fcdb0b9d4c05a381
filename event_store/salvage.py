"""Lists every fault of a damaged store, and copies its intact streams to a new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import takewhile

import msgspec

from event_store import chain
from event_store.chain import Entry, Row
from event_store.errors import ConflictError, DamagedError, StoreError
from event_store.line_history import EntryReader, Line
from event_store.store import EventStore
from event_store.verification import verify_entries


class StreamFault(msgspec.Struct, frozen=True):
    """One fault of a store: its stream ("" for the database itself), its revision if known, and what is wrong."""

    stream: str
    revision: int | None
    what: str


class SalvageResult(msgspec.Struct, frozen=True):
    """The streams that were copied to the new store, and those that are lost."""

    copied_streams: tuple[str, ...]
    lost_streams: tuple[str, ...]


def faults(store: EventStore) -> Iterator[StreamFault]:
    """Yields every fault of every stream, even of one that no name leads to. One fault does not hide another."""
    try:
        store.check_database()
    except StoreError as error:
        yield StreamFault("", None, str(error))
    for stream in store.streams():
        yield from _stream_faults(store, stream)


def _stream_faults(store: EventStore, stream: str) -> Iterator[StreamFault]:
    try:
        errors = [each for each in store.entries_or_errors(stream) if isinstance(each, DamagedError)]
        if not errors:  # each entry is intact: now check that commits build on one another, across forks
            for _ in verify_entries(store.read, Line(stream)):
                pass
    except StoreError as error:
        yield StreamFault(stream, getattr(error, "revision", None), str(error))
    else:
        yield from (StreamFault(stream, each.revision, str(each)) for each in errors)


def salvage(store: EventStore, new_store: EventStore) -> SalvageResult:
    """Copies every intact stream to a new store. A fork is intact only if the streams it was forked from are.

    Raises `ConflictError` if the new store is not empty.
    """
    new_store.create()
    if new_store.streams():
        raise ConflictError(
            f"the store {new_store.url} is not empty", "the data that can be saved goes into a new store"
        )
    read_entries, copied_streams, lost_streams = _scanning_reader(store), list[str](), list[str]()
    for stream in store.streams():
        try:
            for _ in verify_entries(read_entries, Line(stream)):
                pass
            entries = [*read_entries(stream)]
            new_store.adopt(entries)
            # Without rows, only the index has this name: another stream's name, damaged.
            (copied_streams if entries else lost_streams).append(stream)
        except StoreError:
            lost_streams.append(stream)
    return SalvageResult(tuple(copied_streams), tuple(lost_streams))


def _scanning_reader(store: EventStore) -> EntryReader:
    """Reads a stream by the index, or by scanning all rows if the index fails."""
    rows_by_stream: dict[str, list[Row]] | None = None

    def read_or_scan(stream: str, after: int = -1, until: int | None = None) -> Iterable[Entry]:
        nonlocal rows_by_stream
        try:
            return list(store.read(stream, after, until))
        except StoreError:
            if rows_by_stream is None:
                rows_by_stream = _scan_streams(store)
            rows = sorted(rows_by_stream.get(stream, []))
            entries = store.checked_stream(stream, rows, chain.entries(stream, rows, store.codec))
            last_revision = rows[-1][0] if rows and until is None else until or -1
            entries_read = [*takewhile(lambda entry: entry.revision <= last_revision, entries)]
            if not entries_read:
                raise
            return [entry for entry in entries_read if entry.revision > after]

    return read_or_scan


def _scan_streams(store: EventStore) -> dict[str, list[Row]]:
    """All rows by stream, up to the first one that the database can't read."""
    rows_by_stream: dict[str, list[Row]] = {}
    with suppress(StoreError):
        for stream, row in store.rows():
            if not chain.has_revision(row):
                continue
            rows_by_stream.setdefault(stream, []).append(row)
    return rows_by_stream
