"""What is wrong with a store, all of it; and what can be saved."""

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
    """Something that is not as it was appended: in which stream ("" for the database), at which revision, if known."""

    stream: str
    revision: int | None
    what: str


class SalvageResult(msgspec.Struct, frozen=True):
    """The streams that were brought to another store, and those that were not."""

    streams: tuple[str, ...]
    lost: tuple[str, ...]


def faults(store: EventStore) -> Iterator[StreamFault]:
    """Every fault of every stream, whether a name leads to it or not. One does not hide another."""
    try:
        store.check()
    except StoreError as error:
        yield StreamFault("", None, str(error))
    for stream in store.streams():
        yield from _faults_of(store, stream)


def _faults_of(store: EventStore, stream: str) -> Iterator[StreamFault]:
    try:
        found = [each for each in store.entries_or_errors(stream) if isinstance(each, DamagedError)]
        if not found:  # each entry is as it was: do they lead from one to the next, and from where it was forked?
            for _ in verify_entries(store.read, Line(stream)):
                pass
    except StoreError as error:
        yield StreamFault(stream, getattr(error, "revision", None), str(error))
    else:
        yield from (StreamFault(stream, each.revision, str(each)) for each in found)


def salvage(store: EventStore, new: EventStore) -> SalvageResult:
    """Brings every stream that is intact to a new store; a fork is when what it was forked from is, too.

    Raises `ConflictError` for a store that is not empty.
    """
    new.create()
    if new.streams():
        raise ConflictError(f"the store {new.url} is not empty", "the data that can be saved goes into a new store")
    read, streams, lost = _reader(store), list[str](), list[str]()
    for stream in store.streams():
        try:
            for _ in verify_entries(read, Line(stream)):
                pass
            entries = [*read(stream)]
            new.adopt(entries)
            # A name that only the index has leads to nothing: it was another one.
            (streams if entries else lost).append(stream)
        except StoreError:
            lost.append(stream)
    return SalvageResult(tuple(streams), tuple(lost))


def _reader(store: EventStore) -> EntryReader:
    """Reads a stream by the index; if the index is incomplete, from all rows."""
    scanned: dict[str, list[Row]] = {}

    def read_or_scan(stream: str, after: int = -1, until: int | None = None) -> Iterable[Entry]:
        try:
            return list(store.read(stream, after, until))
        except StoreError:
            if not scanned:
                scanned.update(_scan_streams(store))
            rows = sorted(scanned.get(stream, []))
            found = store.whole(stream, rows, chain.entries(stream, rows, store.codec))
            last = rows[-1][0] if rows and until is None else until or -1
            wanted = [*takewhile(lambda entry: entry.revision <= last, found)]
            if not wanted:
                raise
            return [entry for entry in wanted if entry.revision > after]

    return read_or_scan


def _scan_streams(store: EventStore) -> dict[str, list[Row]]:
    """The rows by stream, as far as they can be read one after the other."""
    found: dict[str, list[Row]] = {"": []}
    with suppress(StoreError):
        for stream, row in store.rows():
            if not chain.is_numbered(row):
                continue
            found.setdefault(stream, []).append(row)
    return found
