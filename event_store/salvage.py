"""Lists every fault of a damaged store, and copies its intact streams to a new one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile

import msgspec

from event_store import chain
from event_store.chain import Entry, Row
from event_store.errors import ConflictError, DamagedError, StoreError
from event_store.line_history import EntryReader, Line
from event_store.marks import SALVAGE
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


def check_target(new_store: EventStore) -> None:
    """Makes the new store. Raises `ConflictError` if it has anything but an unfinished salvage, which goes on."""
    new_store.create()
    unfinished = new_store.unfinished()
    if unfinished is not None and unfinished.work != SALVAGE:
        raise ConflictError(
            f"the store {new_store.url} is not free", str(unfinished), (unfinished.command(new_store.url),)
        )
    if unfinished is None and new_store.streams():
        why = "the data that can be saved goes into a new store"
        hints = (f"zim --store {shlex.quote(new_store.url)} verify --all", "db salvage sqlite:///NEW-2.db --open")
        raise ConflictError(f"the store {new_store.url} is not empty", why, hints)


def salvage(
    store: EventStore,
    new_store: EventStore,
    batches: Iterable[Sequence[str]] | None = None,
    mend: Callable[[Sequence[str]], None] = lambda lost_streams: None,
    check: Callable[[str, Sequence[Entry]], None] = lambda stream, entries: None,
) -> SalvageResult:
    """Copies every intact stream to a new store. A fork is intact only if the streams it was forked from are. `check`
    raises `DamagedError` for entries that are as they were written, and mean nothing.

    The streams of `batches` are copied in that order; those that the new store has already are skipped. After each
    batch `mend` gets its streams that are not intact. Call `check_target` first. Raises `StoreError` if the new store
    can't be written.
    """
    read_entries, copied_streams, lost_streams = _scanning_reader(store), list[str](), list[str]()
    for streams in [[stream] for stream in store.streams()] if batches is None else batches:
        lost_count = len(lost_streams)
        for stream in streams:
            is_saved = _save_stream(read_entries, new_store, stream, check)
            (copied_streams if is_saved else lost_streams).append(stream)
        mend(lost_streams[lost_count:])
    return SalvageResult(tuple(copied_streams), tuple(lost_streams))


def _save_stream(
    read_entries: EntryReader, new_store: EventStore, stream: str, check: Callable[[str, Sequence[Entry]], None]
) -> bool:
    """Copies a stream if it is intact. Raises `StoreError` if the new store can't be written."""
    try:
        for _ in verify_entries(read_entries, Line(stream)):
            pass
        entries = [*read_entries(stream)]
        check(stream, entries)
    except StoreError:
        return False
    try:
        new_store.adopt(entries)
    except DamagedError:  # its name, or a topic, is no text that a database takes
        return False
    return bool(entries)  # without rows, only the index has this name: another stream's name, damaged


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
