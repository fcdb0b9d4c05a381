"""Exports a whole store as lines of JSON, stream by stream, and imports it again.

The first line names the format. Each further line holds one entry: its stream, the revision of its first row, and the
topics and bytes of its rows. The last line has the number of entries and a digest of them all, so that a truncated file
is noticed. Equal stores export to equal bytes, so a new store made by an import exports to the same file.

An import is unpacked into a temporary store and checked there before anything is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TypeAlias

import msgspec

from event_store.chain import Entry
from event_store.errors import ConflictError, DamagedError
from event_store.input_limits import FOREIGN_FILE, decode_exact, is_nested_deeper
from event_store.marks import check_form, may_name_stream
from event_store.salvage import faults
from event_store.store import EventStore, revision_taken_error

EXPORT_FORMAT = "store.1"
FOOT_PREFIX = b'{"entries"'
ROWS_PER_TRANSACTION = 5000
"""Rows unpacked per transaction."""

CheckAndBatch: TypeAlias = Callable[[EventStore], Iterable[Sequence[Entry]]]
"""Checks the unpacked store and raises an error if it is wrong; yields batches of the entries to store.

Each batch is stored in one transaction.
"""
ReportProgress: TypeAlias = Callable[[int, int], None]
"""Called with the count done so far and the total (0 if unknown)."""


ConflictErrorOf: TypeAlias = Callable[[EventStore, Entry], ConflictError]


class ExportHead(msgspec.Struct, frozen=True, rename={"format": "zim"}):
    """The first line of an export: its format, under the key `zim`."""

    format: str


REVISION_LIMIT = 2**62
"""The revisions in an import must be smaller than this, so that every database can store them."""


class ExportEntry(msgspec.Struct, frozen=True, rename={"first_revision": "revision"}):
    """An entry: its stream, the revision of its first row, and its rows (topic, bytes). The last row is the seal."""

    stream: str
    first_revision: int
    rows: tuple[tuple[str, bytes], ...]


class ExportFoot(msgspec.Struct, frozen=True):
    """The last line: how many entries there are, and the BLAKE2b (16 bytes, hex) of their digests."""

    entries: int
    digest: str


def export_lines(store: EventStore, is_left_out: Callable[[str], bool] = lambda stream: False) -> Iterator[bytes]:
    """Yields the lines of an export. Streams for which `is_left_out` is true are skipped.

    Before the first line is yielded, it raises `DamagedError` for an entry that is not as it was appended.

    All entries are read as they are at one moment, in storage order, which needs no index. Equal stores may differ in
    storage order, so the lines are collected in a temporary file and yielded sorted by stream.
    """
    total, line_spans_by_stream = ExportTotal(), dict[str, list[tuple[int, int, bytes]]]()
    with TemporaryFile() as spool:
        for entry in store.all_entries():
            if is_left_out(entry.stream):
                continue
            rows = tuple((topic, content) for _, topic, content in entry.all_rows)
            offset, line = spool.tell(), _encode_line(ExportEntry(entry.stream, entry.rows[0][0], rows))
            spool.write(line)
            line_spans_by_stream.setdefault(entry.stream, []).append((offset, len(line), entry.digest))
        yield _encode_line(ExportHead(EXPORT_FORMAT))
        for stream in sorted(line_spans_by_stream):
            for offset, size, digest in line_spans_by_stream[stream]:
                spool.seek(offset)
                yield spool.read(size)
                total.add(digest)
    yield _encode_line(total.foot())


def stream_batches(unpacked_store: EventStore) -> Iterator[Sequence[Entry]]:
    """All entries, one batch per stream."""
    for stream in unpacked_store.streams():
        yield list(unpacked_store.read(stream))


def import_lines(
    store: EventStore,
    lines: Iterable[bytes],
    check_and_batch: CheckAndBatch = stream_batches,
    report_progress: ReportProgress = lambda done, total: None,
    conflict_error: ConflictErrorOf = lambda unpacked_store, entry: revision_taken_error(entry),
) -> int:
    """Imports the lines of an export and returns the number of entries. Entries that the store already has are kept.

    Raises `DamagedError` for lines that were altered or cut off, and `ConflictError` if the store has a different entry
    at a revision of the export. Nothing is stored then, nor when `check_and_batch` raises an error before its first
    batch. If a later batch fails, the batches before it stay; repeat the import to complete it.

    `report_progress` gets the number of unpacked entries. `conflict_error` makes the `ConflictError` for an unpacked
    entry that the store has otherwise.
    """
    with (
        TemporaryDirectory(prefix="zim-import-") as folder,
        EventStore.open(f"sqlite:///{Path(folder, 'unpacked.db')}") as unpacked_store,
    ):
        unpacked_store.codec, unpacked_store.root_stream = store.codec, store.root_stream
        entry_count = _unpack_lines(unpacked_store, lines, report_progress)
        for fault in faults(unpacked_store):
            raise DamagedError("the export was altered", fault.what, ["get the file again"])
        for conflicting_entry in _conflicts(store, unpacked_store):
            raise conflict_error(unpacked_store, conflicting_entry)
        for batch in check_and_batch(unpacked_store):
            store.adopt(batch)
    return entry_count


def _unpack_lines(new_store: EventStore, lines: Iterable[bytes], report_progress: ReportProgress) -> int:
    """Stores the lines in a new store and returns the number of entries."""
    total, pending_entries, row_count = ExportTotal(), list[Entry](), 0
    numbered_lines = enumerate(lines, 1)
    first_line = next(numbered_lines, (1, b""))
    check_form("this export", first_line[1], EXPORT_FORMAT)
    _expect_line(ExportHead(EXPORT_FORMAT), first_line)
    new_store.create()
    for line_number, line in numbered_lines:
        if line.startswith(FOOT_PREFIX):
            new_store.adopt(pending_entries)
            _expect_line(total.foot(), (line_number, line))
            if next(numbered_lines, None):
                raise DamagedError(f"can't read line {line_number + 1} of the export", "it comes after the last one")
            return total.entry_count
        entry = _decode_entry(new_store, line_number, line)
        total.add(entry.digest)
        pending_entries.append(entry)
        row_count += len(entry.rows)
        if row_count >= ROWS_PER_TRANSACTION:
            new_store.adopt(pending_entries)
            pending_entries, row_count = [], 0
            report_progress(total.entry_count, 0)
    raise DamagedError("the export ends too early", f"after {total.entry_count} entries; nothing was stored")


def _conflicts(store: EventStore, unpacked_store: EventStore) -> Iterator[Entry]:
    """The first unpacked entry of each stream where the store has a different one."""
    for stream in sorted({*store.streams()}.intersection(unpacked_store.streams())):
        for stored_entry, unpacked_entry in zip(store.read(stream), unpacked_store.read(stream), strict=False):
            if stored_entry.digest != unpacked_entry.digest or stored_entry.revision != unpacked_entry.revision:
                yield unpacked_entry
                break


class ExportTotal:
    """Counts entries and digests them, for the last line of an export."""

    def __init__(self) -> None:
        self.entry_count = 0
        self._digest = blake2b(digest_size=16)

    def add(self, digest: bytes) -> None:
        """Counts the entry with this digest."""
        self.entry_count += 1
        self._digest.update(digest)

    def foot(self) -> ExportFoot:
        """The last line, after the entries so far."""
        return ExportFoot(self.entry_count, self._digest.hexdigest())


def _encode_line(document: ExportHead | ExportEntry | ExportFoot) -> bytes:
    return msgspec.json.encode(document) + b"\n"


def _decode_entry(store: EventStore, line_number: int, line: bytes) -> Entry:
    try:
        if is_nested_deeper(line, FOREIGN_FILE.max_depth):
            raise msgspec.ValidationError(f"it is nested deeper than {FOREIGN_FILE.max_depth} brackets")
        exported_entry = decode_exact(line, ExportEntry)
        if not may_name_stream(exported_entry.stream):
            raise msgspec.ValidationError(f"no stream is called {exported_entry.stream!r}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedError(f"can't read line {line_number} of the export", str(error)) from error
    if not 0 <= exported_entry.first_revision < REVISION_LIMIT:
        raise DamagedError(
            f"can't read line {line_number} of the export", f"{exported_entry.first_revision} is not a revision"
        )
    rows = [(revision, *row) for revision, row in enumerate(exported_entry.rows, exported_entry.first_revision)]
    return store.make_entry(exported_entry.stream, rows)


def _expect_line(document: ExportHead | ExportFoot, numbered_line: tuple[int, bytes]) -> None:
    line_number, line = numbered_line
    if line.rstrip(b"\n") != msgspec.json.encode(document):
        why = f"line {line_number} should be {msgspec.json.encode(document).decode()}"
        is_head = isinstance(document, ExportHead)
        raise DamagedError("this is not an export of a store" if is_head else "the export was altered", why)
