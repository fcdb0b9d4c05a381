"""The event store: append entries to streams and read them back. Each append is one transaction.

In other words: event stream, expected version, optimistic concurrency, snapshot isolation, consistent read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import msgspec

from event_store import chain, root_index, seal_places
from event_store.chain import Draft, Entry, Row, Seal
from event_store.codec import Codec, Forms, encode
from event_store.errors import ConflictError, DamagedError, StoreError, TakenError, damaged_error
from event_store.line_history import Forked, HeadMoved, head_after
from event_store.projections import Projection, StoredProjection, pack_projection, unpack_projection
from event_store.seal_places import SealsBound

if TYPE_CHECKING:
    from pathlib import Path

    from event_store.backends import Backend
    from event_store.marks import Unfinished


MAX_REMEMBERED_STREAMS = 1000
"""Remember the last rows of at most this many streams."""
STREAMS_TO_PREFETCH = 50
"""Streams read in one round trip, where many are read one after another."""
ROW_GONE = "the row is gone: the store went back to an earlier state while it was open here"
ROWS_TO_READ_FIRST = 16
"""To find the last entry, read this many rows first; most entries have fewer."""


class StreamEnd(NamedTuple):
    """The end of a stream: its last revision, the digest there, and the `place` of the next entry (b"" for none)."""

    revision: int
    digest: bytes
    place: bytes

    @classmethod
    def after_seal(cls, stream: str, revision: int, seal: Seal) -> Self:
        """The end of a stream whose last entry has this seal. The next entry has a place if this one has."""
        return cls(
            revision, seal.digest, seal_places.place_after(stream, seal.digest) if seal_places.has_place(seal) else b""
        )


class LastRow(NamedTuple):
    """The last row of a stream, and its seal if this store sealed it, so that it need not be decoded."""

    row: Row
    seal: Seal | None = None


def new_salt() -> bytes:
    """Random bytes for a seal."""
    return os.urandom(chain.RANDOM_SIZE)


def _event_forms() -> Forms:
    return Forms((HeadMoved, Forked, SealsBound))


class EventStore:
    """Streams of entries, kept in memory or in a database.

    >>> from datetime import UTC, datetime
    >>> with EventStore.open("memory:") as store:
    ...     entry = store.append("5f3a", -1, [HeadMoved(b"", b"")], by="anna", at=datetime(2024, 5, 1, tzinfo=UTC))
    ...     [(entry.revision, entry.events) for entry in store.read("5f3a")]
    [(1, (HeadMoved(source=b'', target=b''),))]
    """

    shows_all: ClassVar[bool] = True
    """Whether a stream without entries has none: else they may be hidden."""

    def __init__(self, backend: Backend, full_url: str, make_salt: Callable[[], bytes] = new_salt) -> None:
        self._backend = backend
        self._make_salt = make_salt
        # The full URL, by which another process can open the store. It may hold a password: show `url` instead.
        self.full_url = full_url
        self.codec = Codec()
        self.codec.register("store", _event_forms)
        # The stream that names all others, if there is one. Once its seals have a place, those of all others must have.
        self.root_stream = ""
        # What its entries are about: the names by which `entries_about` finds them.
        self.index_keys: root_index.KeysOf = root_index.no_keys
        # Whether lists leave projections for the next one.
        self.keeps_projections = True
        # The last rows of streams read or written here, so that an append need not look them up.
        self._last_rows: dict[str, LastRow] = {}
        # The last revisions of streams read or written here, each with the change token from just before that.
        self._known_revisions_by_stream: dict[str, tuple[int, object]] = {}
        self._ends_lock = Lock()
        self._change_token: object = None
        self._snapshot_change_token: object = None
        # Rows prefetched for the current snapshot read: by stream, the revision they follow and the rows.
        self._prefetched_rows: dict[str, tuple[int, Sequence[Row]]] = {}

    @classmethod
    def open(cls, url: str, make_salt: Callable[[], bytes] = new_salt) -> Self:
        """Opens `memory:`, `sqlite:///file` or `sqlite:////folder/file` (`?mode=ro` never writes), `postgresql://...`.

        A missing file reads as an empty store; the first append makes the file and its folder. On a PostgreSQL server
        `create` makes the tables. Raises `StoreError` for any other url.

        `make_salt` makes the salt of each entry: random bytes, or fixed ones where digests must be predictable.
        """
        from event_store.backends import connect  # the library takes a while to import

        return cls(connect(url), url, make_salt)

    @property
    def url(self) -> str:
        """The URL of the store without its password."""
        return self._backend.url

    def version(self) -> object:
        """A value that is new after each write by anybody else, other threads of this program included.

        None if the database can't tell at once: only a store in a file can. Raises `StoreError`.
        """
        return self._backend.change_token() if self.url.startswith("sqlite:") else None

    def create(self) -> None:
        """Makes the file or the tables if there are none; existing ones stay. Raises `StoreError`."""
        self._backend.create()

    def unfinished(self) -> Unfinished | None:
        """The import or salvage into this store that has not come to its end, if any. Raises `StoreError`."""
        return self._backend.unfinished()

    def mark_unfinished(self, unfinished: Unfinished | None) -> None:
        """Marks the store as unfinished; with None, as finished. Raises `StoreError`."""
        self._backend.mark_unfinished(unfinished)

    def raise_format(self) -> None:
        """Marks an older store with today's format number, as its next entry would. Raises `StoreError`."""
        self._backend.raise_format()

    def exists(self) -> bool:
        """Whether the store exists; a missing file can be read, as an empty store."""
        return self._backend.exists()

    def check_database(self) -> None:
        """Runs the database's own check, which finds what no digest shows: an index that misses the last rows.

        Raises `DamagedError`. Takes as long as reading the whole store.
        """
        self._backend.check_database()

    def check_file(self) -> None:
        """Checks that the file of the store is the one that was opened, has one name and a log of its own.

        Each append does it too. Raises `StoreError`. A database server has no such file.
        """
        self._backend.check_file()

    def copy_to(self, path: Path) -> bool:
        """Has the database copy itself into a file, as of one moment; false if it can't."""
        return self._backend.copy_to(path)

    def close(self) -> None:
        """Closes the connections to the database."""
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def register(self, kind: str, load_forms: Callable[[], Forms]) -> None:
        """Registers a kind of events: `load_forms` gives the forms of the topics that start with this kind."""
        self.codec.register(kind, load_forms)

    def read(self, stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        """The entries of a stream after revision `after`, up to revision `until`.

        Both must be revisions of entries. Rows are read at once and entries are made lazily, so you still get those
        before a damaged row. Raises `StoreError`, `DamagedError`.
        """
        if until is not None:
            return self._checked_entries(
                stream, after, self._backend.rows(stream, self._start_revision(stream, after), until), until
            )
        change_token = self._current_change_token()
        if self._known_revisions_by_stream.get(stream) == (after, change_token):
            return iter(())
        rows = self._take_prefetched(stream, after)
        if rows is None:
            rows = self._backend.rows(stream, self._start_revision(stream, after), None)
        entries = self._checked_entries(stream, after, rows)
        self._remember_end(stream, after, rows, change_token)
        return entries

    def read_streams(self, revisions_by_stream: Mapping[str, int]) -> dict[str, Iterator[Entry]]:
        """The entries of several streams, each after its own revision, as of one moment, in one round trip."""
        change_token = self._current_change_token()
        if all(
            self._known_revisions_by_stream.get(stream) == (known_revision, change_token)
            for stream, known_revision in revisions_by_stream.items()
        ):
            return {stream: iter(()) for stream in revisions_by_stream}
        rows_by_stream = dict[str, Sequence[Row]]()
        for stream, known_revision in revisions_by_stream.items():
            known_rows = (
                ()
                if self._known_revisions_by_stream.get(stream) == (known_revision, change_token)
                else self._take_prefetched(stream, known_revision)
            )
            if known_rows is not None:
                rows_by_stream[stream] = known_rows
        if len(rows_by_stream) < len(revisions_by_stream):
            # Outside a snapshot read, read all of them, so that they are of one moment.
            rows_by_stream |= self._backend.rows_of_streams(
                {
                    stream: self._start_revision(stream, known_revision)
                    for stream, known_revision in revisions_by_stream.items()
                    if not (self._snapshot_change_token and stream in rows_by_stream)
                }
            )
        entries_by_stream = {
            stream: self._checked_entries(stream, known_revision, rows_by_stream[stream])
            for stream, known_revision in revisions_by_stream.items()
        }
        for stream, known_revision in revisions_by_stream.items():
            self._remember_end(stream, known_revision, rows_by_stream[stream], change_token)
        return entries_by_stream

    def _start_revision(self, stream: str, after: int) -> int:
        """The revision after which to read rows: one before `after` if the row at `after` must be read too."""
        known_last_row = self._last_rows.get(stream)
        return after if after < 0 or (known_last_row and known_last_row.row[0] == after) else after - 1

    def _checked_entries(
        self, stream: str, after: int, rows: Sequence[Row], until: int | None = None
    ) -> Iterator[Entry]:
        """The entries in the rows after a revision, their places checked; `until` is the last revision to return."""
        known_last_row = self._last_rows.get(stream) if after >= 0 else None
        row_before = known_last_row.row if known_last_row else None
        if rows and rows[0][0] == after:
            row_before, rows = rows[0], rows[1:]
        elif row_before and row_before[0] != after:
            row_before = next(iter(self._backend.rows(stream, after - 1, after)), None)
        return self._entries_with_checked_places(stream, after, rows, row_before, until)

    def _entries_with_checked_places(
        self, stream: str, after: int, rows: Sequence[Row], row_before: Row | None, until: int | None
    ) -> Iterator[Entry]:
        """The entries in `rows`, places checked. `row_before` is the row before them (None: the stream starts here)."""
        entries = chain.entries(stream, rows, self.codec, after)
        first_seal = next(filter(chain.is_seal, rows), None)
        if row_before is None and after >= 0 and (rows or not self._is_removed(stream)):
            raise damaged_error(stream, after, "the row is missing" if rows else ROW_GONE)
        if first_seal is None:
            yield from entries
            return
        digest = chain.read_seal(stream, row_before).digest if row_before else b""
        if seal_places.is_at_its_place(stream, chain.read_seal(stream, first_seal), digest):
            yield from seal_places.checked_following(stream, entries, digest)
        elif after < 0 and until is None:
            yield from self.checked_stream(stream, rows, entries)
        elif not any(map(seal_places.row_has_place, (row_before, first_seal, self._last_row(stream, rows, until)))):
            # Neither these entries nor the last one has a place; only the last could bind them.
            self._check_stream_may_be_unbound(stream)
            yield from seal_places.checked_unplaced(entries)
        else:
            all_rows = self._backend.rows(stream, -1, None)
            for entry in self.checked_stream(stream, all_rows, chain.entries(stream, all_rows, self.codec)):
                if entry.revision > rows[-1][0]:
                    return
                if entry.revision > after:
                    yield entry

    def checked_stream(self, stream: str, rows: Sequence[Row], entries: Iterator[Entry]) -> Iterator[Entry]:
        """Checks the places of all entries of a stream, read from its `rows`. Raises `AlteredError`."""
        if not seal_places.stream_has_places(rows):
            self._check_stream_may_be_unbound(stream)
        return seal_places.checked_stream(stream, rows, entries)

    def _check_stream_may_be_unbound(self, stream: str) -> None:
        """Raises `AlteredError` for a stream without places if the root stream has one: then every stream must.

        An upgrade binds the root stream last, and here it is read first. So a stream passes if it is bound meanwhile.
        """
        if self.root_stream in ("", stream):
            return
        if not seal_places.row_has_place(self._backend.last_row(self.root_stream)):
            return
        last_row = self._backend.last_row(stream)
        if last_row and not seal_places.row_has_place(last_row):
            raise chain.altered_error(stream, last_row[0], seal_places.STREAM_UNPLACED)

    def _last_row(self, stream: str, rows: Sequence[Row], until: int | None) -> Row | None:
        """The last row of a stream: the last of `rows`, unless they were read only up to a revision."""
        return rows[-1] if until is None else self._backend.last_row(stream)

    def _current_change_token(self) -> object:
        """The change token of the database. While it stays the same, streams end where this store last saw them end.

        Get the token before a read or write, and remember the stream's end with it: if others write meanwhile, the next
        token differs. A database without tokens gets a new one each time, which equals no other.
        """
        self._change_token = self._snapshot_change_token or self._backend.change_token()
        return self._change_token or object()

    @contextmanager
    def snapshot_read(self) -> Iterator[None]:
        """A snapshot read: within it a stream is read only once, unless a write to it failed.

        It is for a request that reads the same streams many times. Each stream is as of its first read, so two streams
        can be of two moments. No other thread may use this store meanwhile. A snapshot read within another is part of
        that one.
        """
        if self._snapshot_change_token:
            yield
            return
        self._snapshot_change_token = self._backend.change_token() or object()
        try:
            yield
        finally:
            self._snapshot_change_token = None
            self._prefetched_rows.clear()

    def prefetch(self, revisions_by_stream: Mapping[str, int]) -> None:
        """Prefetches streams in one round trip, each after its own revision. Does nothing outside a snapshot read.

        Streams known to end at their revision are not read.
        """
        change_token = self._current_change_token()
        unconfirmed_revisions = {
            stream: revision
            for stream, revision in revisions_by_stream.items()
            if self._known_revisions_by_stream.get(stream) != (revision, change_token)
        }
        if self._snapshot_change_token and len(unconfirmed_revisions) > 1:
            rows_by_stream = self._backend.rows_of_streams(unconfirmed_revisions)
            self._prefetched_rows |= {
                stream: (unconfirmed_revisions[stream], rows) for stream, rows in rows_by_stream.items()
            }

    def prefetch_in_turn(self, streams: Sequence[str]) -> Iterator[str]:
        """Within a snapshot read: yields streams that will be read from the beginning, and prefetches some at once."""
        for begin in range(0, len(streams), STREAMS_TO_PREFETCH):
            with suppress(StoreError):  # reading the damaged one says what is wrong
                self.prefetch(dict.fromkeys(streams[begin : begin + STREAMS_TO_PREFETCH], -1))
            yield from streams[begin : begin + STREAMS_TO_PREFETCH]

    def _take_prefetched(self, stream: str, after: int) -> Sequence[Row] | None:
        """Takes the prefetched rows of a stream after a revision; None if there are none."""
        revision_before, rows = self._prefetched_rows.pop(stream, (None, ()))
        return rows if revision_before == after else None

    def projections(self, streams: Iterable[str]) -> dict[str, Projection]:
        """The projections of streams by stream, without missing, empty and altered ones. Raises `StoreError`."""
        projection_rows = self._backend.projections(list(streams))
        projections_by_stream = {
            stream: unpack_projection(stream, row, content, last_revision)
            for stream, row, content, last_revision in projection_rows
        }
        return {
            stream: projection
            for stream, projection in projections_by_stream.items()
            if projection and projection.content
        }

    def store_projections(self, projections: Iterable[tuple[str, int, bytes, bytes]]) -> None:
        """Stores projections, each as (stream, revision, digest of the entry there, content).

        Without `keeps_projections` it stores none. A store that can't be written raises no error here: projections are
        optional.
        """
        if not self.keeps_projections:
            return
        packed_projections = [pack_projection(*each) for each in projections]
        with suppress(StoreError):
            if packed_projections:
                self._backend.insert_rows([], packed_projections)

    @property
    def is_indexed(self) -> bool:
        """Whether the index of the root stream is complete."""
        projection = self.projections([self.root_stream]).get(self.root_stream)
        return projection is not None and projection.content == root_index.INDEXED and not projection.is_behind

    def entries_about(self, key: str) -> list[Entry]:
        """The entries of the root stream about a name (see `index_keys`), each checked by itself, not by its parent.

        Empty if there are none, or if only reading the whole stream can tell. Raises `StoreError`.
        """
        return root_index.entries_about(self._backend, self.codec, self.root_stream, key) if self.is_indexed else []

    def index_root(self, entries: Sequence[Entry]) -> None:
        """Makes the index of the root stream anew from all its entries."""
        rows = root_index.all_rows(self.root_stream, entries, self.index_keys)
        end = pack_projection(self.root_stream, entries[-1].revision, entries[-1].digest, root_index.INDEXED)
        if self.keeps_projections:
            with suppress(StoreError):
                self._backend.insert_rows([], [*rows, end])

    def wrong_index_keys(self, entries: Sequence[Entry]) -> list[str]:
        """The names that the index of the root stream has wrong, by all its entries; none without a complete index."""
        if not self.is_indexed:
            return []
        return root_index.wrong_keys(self._backend, self.root_stream, entries, self.index_keys)

    def streams(self) -> list[str]:
        """The names of all streams, sorted. Raises `StoreError`."""
        return self._backend.streams()

    def rows(self) -> Iterator[tuple[str, Row]]:
        """The rows of all streams, unchecked. Raises `StoreError`."""
        return self._backend.all_rows()

    def entries_or_errors(self, stream: str) -> Iterator[Entry | DamagedError]:
        """The entries of a stream, each checked by itself, with errors for damaged ones. Raises `StoreError`."""
        try:
            rows = self._backend.rows(stream, -1, None)
        except StoreError:  # a row can't be read, or the index is damaged: scan all rows
            rows = sorted(
                row for row_stream, row in self._backend.all_rows() if row_stream == stream and chain.has_revision(row)
            )
        return chain.entries_or_errors(stream, rows, self.codec)

    def all_entries(self) -> Iterator[Entry]:
        """The entries of all streams, as of one moment. Raises `StoreError`, `DamagedError`.

        The entries of one stream are in order. Across streams there is no order to rely on where writers were
        concurrent: to follow a store, read each stream from its own revision.
        """
        return seal_places.checked_streams(
            chain.entries_in_order(self._backend.all_rows(), self.codec), self.root_stream
        )

    def make_entry(self, stream: str, rows: Sequence[Row]) -> Entry:
        """Makes an entry from the rows of another store. Raises `DamagedError`, `AlteredError`."""
        entries = list(chain.entries_in_order(((stream, row) for row in rows), self.codec))
        if len(entries) != 1:
            raise damaged_error(stream, rows[0][0] if rows else 0, "this is not one entry")
        return entries[0]

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Stores sealed entries unchanged, all or none; those that are stored already are skipped.

        Raises `ConflictError` if a different entry is in their place, or if entries before them are missing.
        """
        last_revisions: dict[str, int] = {}
        new_entries: list[Entry] = []
        for entry in entries:
            last_revision = last_revisions.get(entry.stream)
            if last_revision is None:
                last_revision = self._stream_end(entry.stream, -2).revision
            if entry.rows[0][0] == last_revision + 1:
                new_entries.append(entry)
            elif not self._are_stored([entry]):
                self._check_not_restored(entry.stream)
                raise revision_taken_error(entry)
            last_revisions[entry.stream] = max(last_revision, entry.revision)
        # After a broken connection all new entries may be stored already.
        if new_entries and not (
            self._insert_entries(new_entries) or all(self._are_stored([entry]) for entry in new_entries)
        ):
            raise revision_taken_error(new_entries[0])

    def append(
        self,
        stream: str,
        expected_revision: int,
        events: Sequence[msgspec.Struct],
        *,
        by: str,
        at: datetime,
        parent: bytes | None = None,
        id: str = "",  # noqa: A002
        state: bytes = b"",
        request: bytes = b"",
        proof: bytes = b"",
        projection: bytes = b"",
    ) -> Entry:
        """Appends one entry to a stream whose last revision is `expected_revision` (-1 for a new stream).

        Without a `parent` the entry builds on the one before it. A `projection` of the stream up to this entry is
        stored with it. `state` and `request` are digests, `proof` is a signature: see `chain`.

        If the stream has moved on, the new entries are searched for this `id`. An entry with the same `by` and the same
        `request` (or the same events, without a request) is an earlier try of this append and is returned. Raises
        `TakenError` if the id was used by another author or for another request, otherwise `ConflictError`.
        """
        if not events:
            raise ValueError("an entry has at least one event")
        end = self._stream_end(stream, expected_revision)
        draft = Draft(events, by, at, id, state, request, proof)
        entry = self._seal_draft(stream, end._replace(revision=expected_revision), draft, parent)
        if end.revision != expected_revision or not self._insert_entries([entry], projection):
            (entry,) = self._find_earlier_tries(stream, expected_revision, [draft])
        return entry

    def append_all(
        self, stream: str, expected_revision: int, drafts: Sequence[Draft], head: bytes = b"", projection: bytes = b""
    ) -> list[Entry]:
        """Appends several entries, all or none.

        Each commit builds on the commit before it, the first one on the commit `head`; any other entry builds on the
        entry before it. Raises `ConflictError` if the last revision is not `expected_revision`. Retries are recognised
        by their ids, as in `append`.
        """
        entries = self._seal_drafts(stream, self._stream_end(stream, expected_revision), drafts, head)
        if not entries:
            return []
        follows_expected = entries[0].rows[0][0] == expected_revision + 1
        if not follows_expected or not (self._insert_entries(entries, projection) or self._are_stored(entries)):
            return self._find_earlier_tries(stream, expected_revision, drafts)
        return entries

    def _are_stored(self, entries: Sequence[Entry]) -> bool:
        """Whether exactly these entries are stored: then only the database's answer was lost."""
        first_entry, last_entry = entries[0], entries[-1]
        # Compare rows: entries of other writers may begin and end at other revisions.
        stored_rows = self._backend.rows(first_entry.stream, first_entry.rows[0][0] - 1, last_entry.revision)
        return list(map(tuple, stored_rows)) == [row for entry in entries for row in entry.all_rows]

    @property
    def can_remove(self) -> bool:
        """Whether streams can be removed: only SQLite files allow it."""
        return self._backend.can_remove

    def remove_streams(self, streams: Sequence[str], removal_entry: Entry) -> None:
        """Removes streams for good and stores the entry `removal_entry` that records it, both or neither.

        Raises `ConflictError` if the stream of `removal_entry` has moved on. Call `compact` to erase the bytes.
        """
        removal_rows = [(removal_entry.stream, *row) for row in removal_entry.all_rows]
        for stream in (*streams, removal_entry.stream):  # own writes leave the change token as it was
            self._known_revisions_by_stream.pop(stream, None)
            self._prefetched_rows.pop(stream, None)
        if not self._backend.remove_streams(streams, removal_rows):
            raise _conflict_error(removal_entry.stream, removal_entry.rows[0][0] - 1, None)
        for stream in streams:
            self._last_rows.pop(stream, None)

    def compact(self) -> None:
        """Erases the bytes of removed streams from the file. Raises `StoreError` while other readers lock it."""
        self._backend.compact()

    def seal_entry(self, stream: str, expected_revision: int, draft: Draft) -> Entry:
        """Seals an entry that is not a commit, for `adopt`. Raises `ConflictError` if the stream has moved on."""
        end = self._stream_end(stream, expected_revision)
        if end.revision != expected_revision:
            raise _conflict_error(stream, expected_revision, None)
        return self._seal_draft(stream, end, draft)

    def last_revision(self, stream: str) -> int:
        """The last revision of a stream, -1 if it is empty, without reading its entries. Raises `StoreError`."""
        last_row = self._backend.last_row(stream)
        return last_row[0] if last_row else -1

    def is_bound(self, stream: str) -> bool:
        """Whether the last entry of a stream has a place, or the first is in its place: that binds all of it.

        See `seal_places`.

        Raises `DamagedError` if the last seal can't be read.
        """
        known_row, change_token = self._last_rows.get(stream), self._current_change_token()
        is_current = known_row and self._known_revisions_by_stream.get(stream) == (known_row.row[0], change_token)
        last_row = known_row.row if known_row and is_current else self._backend.last_row(stream)
        if last_row is None or seal_places.row_has_place(last_row):
            return last_row is not None
        first_seal = next(filter(chain.is_seal, self._backend.rows(stream, -1, None)), None)
        is_first_seal_in_place = first_seal is not None and seal_places.is_at_its_place(
            stream, chain.read_seal(stream, first_seal), b""
        )
        return is_first_seal_in_place or seal_places.has_place(chain.read_seal(stream, last_row))

    def seal_binding_entry(self, entries: Sequence[Entry], by: str, at: datetime) -> Entry:
        """Seals an entry that binds all earlier entries of a stream to their place. `adopt` it with or after them.

        `entries` are those earlier entries, at least one, already verified by the caller. On a line the new entry is a
        move of the head to where it already is, which older programs can read.
        """
        last_entry, stream = entries[-1], entries[-1].stream
        digests = b"".join(entry.digest for entry in entries)
        head = head_after(entries)
        draft = Draft([HeadMoved(head, head) if head else SealsBound()], by, at)
        return self._seal_draft(
            stream, StreamEnd(last_entry.revision, last_entry.digest, seal_places.place_after(stream, digests)), draft
        )

    def seal_entries(self, stream: str, expected_revision: int, drafts: Sequence[Draft], head: bytes) -> list[Entry]:
        """Seals entries as `append_all` would, for `adopt`. Raises `ConflictError` if the stream has moved on."""
        end = self._stream_end(stream, expected_revision)
        if end.revision != expected_revision:
            raise _conflict_error(stream, expected_revision, None)
        return self._seal_drafts(stream, end, drafts, head)

    def _seal_drafts(self, stream: str, end: StreamEnd, drafts: Sequence[Draft], head: bytes) -> list[Entry]:
        entries = list[Entry]()
        for draft in drafts:
            entry = self._seal_draft(stream, end, draft, head if draft.state else None)
            entries.append(entry)
            end = StreamEnd.after_seal(entry.stream, entry.revision, entry.seal)
            head = entry.digest if draft.state else head
        return entries

    def _seal_draft(self, stream: str, end: StreamEnd, draft: Draft, parent: bytes | None = None) -> Entry:
        """Seals a draft as the next entry of a stream. Without a parent it builds on the last entry."""
        last_revision = end.revision
        rows = tuple(
            (revision, *self.codec.encode(event)) for revision, event in enumerate(draft.events, last_revision + 1)
        )
        seal = chain.make_seal(
            rows,
            parent=end.digest if parent is None else parent,
            by=draft.by,
            at=draft.at,
            id=draft.id,
            state=draft.state,
            salt=self._make_salt(),
            place=end.place,
            request=draft.request,
            proof=draft.proof,
        )
        return Entry(stream, last_revision + 1 + len(rows), rows, seal, encode(seal), self.codec)

    def _insert_entries(self, entries: Sequence[Entry], projection: bytes = b"") -> bool:
        """Stores entries, all or none; false if another writer was faster. The projection is of the last entry."""
        last_entries_by_stream = {entry.stream: entry for entry in entries}
        index_rows = self._index_rows([entry for entry in entries if entry.stream == self.root_stream])
        contents_by_stream = {} if index_rows is None else {self.root_stream: root_index.INDEXED}
        contents_by_stream |= {entries[-1].stream: projection} if projection else {}
        packed_projections = [*(index_rows or ())] + [
            pack_projection(entry.stream, entry.revision, entry.digest, contents_by_stream.get(entry.stream, b""))
            for entry in last_entries_by_stream.values()
        ]
        change_token = self._change_token
        for entry in entries:  # after a failed write only reading the stream shows if it was stored
            self._known_revisions_by_stream.pop(entry.stream, None)
            self._prefetched_rows.pop(entry.stream, None)
        entries_with_rows = [(entry, entry.all_rows) for entry in entries]
        is_stored = self._backend.insert_rows(
            [(entry.stream, *row) for entry, rows in entries_with_rows for row in rows], packed_projections
        )
        if is_stored:
            for entry, rows in entries_with_rows:
                self._remember_end(entry.stream, entry.revision, rows, change_token, entry.seal)
        return is_stored

    def _index_rows(self, entries: Sequence[Entry]) -> list[StoredProjection] | None:
        """The rows of the index for new entries of the root stream; None if it is not complete with them.

        It is read before the entries are stored, and they are stored only if they still follow what was read.
        """
        if not entries or self.index_keys is root_index.no_keys or not (entries[0].rows[0][0] == 0 or self.is_indexed):
            return None
        try:
            return root_index.extended_rows(self._backend, self.root_stream, entries, self.index_keys)
        except DamagedError:  # an event that this program does not know
            return None

    def _remember_end(
        self, stream: str, after: int, rows: Sequence[Row], change_token: object, seal: Seal | None = None
    ) -> None:
        """Remembers where a stream ends. `rows` follow the revision `after`; they were read, or written with `seal`.

        Without rows the stream ends at `after`, but only if that row is known: otherwise it may be gone.
        """
        last_revision = rows[-1][0] if rows else after
        known_last_row = self._last_rows.get(stream)
        if not rows and after >= 0 and (known_last_row is None or known_last_row.row[0] != after):
            return
        with self._ends_lock:  # threads that share a connection see the same token: keep the furthest end
            if len(self._known_revisions_by_stream) >= MAX_REMEMBERED_STREAMS:
                self._last_rows.clear()
                self._known_revisions_by_stream.clear()
            if rows:
                self._last_rows[stream] = LastRow(rows[-1], seal)
            remembered_revision, remembered_token = self._known_revisions_by_stream.get(stream, (-1, None))
            if change_token != remembered_token or remembered_revision < last_revision:
                self._known_revisions_by_stream[stream] = last_revision, change_token

    def _stream_end(self, stream: str, expected_revision: int) -> StreamEnd:
        """The end of a stream, from memory if it was last seen at `expected_revision`, otherwise from the database.

        If another writer has appended since, the insert meets their rows and stores nothing.
        """
        known_last_row = self._last_rows.get(stream)
        if known_last_row is None or known_last_row.row[0] != expected_revision:
            return self._look_up_end(stream)
        return StreamEnd.after_seal(
            stream, expected_revision, known_last_row.seal or chain.read_seal(stream, known_last_row.row)
        )

    def _look_up_end(self, stream: str) -> StreamEnd:
        """The end of a stream, from the database. Its last entry is checked, so nothing builds on an altered digest."""
        row, row_count, begin_index = self._backend.last_row(stream), ROWS_TO_READ_FIRST, None
        if row is None:
            return StreamEnd(-1, b"", seal_places.place_after(stream, b""))
        while begin_index is None:
            after = max(row[0] - row_count, -1)
            rows = self._backend.rows(stream, after, row[0])
            begin_index = chain.last_entry_begin(rows, 0 if after < 0 else None)
            row_count *= ROWS_TO_READ_FIRST
        row_before = rows[begin_index - 1] if begin_index else None
        (last_entry,) = self._entries_with_checked_places(
            stream, rows[begin_index][0] - 1, rows[begin_index:], row_before, None
        )
        return StreamEnd.after_seal(stream, last_entry.revision, last_entry.seal)

    def _find_earlier_tries(self, stream: str, expected_revision: int, drafts: Sequence[Draft]) -> list[Entry]:
        """The entries with the ids of drafts, stored after a revision. Raises `ConflictError` if any is missing."""
        later_entries = list(self._entries_since(stream, expected_revision))
        ids = {draft.id for draft in drafts} - {""}
        retried_entries = [entry for entry in later_entries if entry.seal.id in ids]
        for draft, entry in zip(drafts, retried_entries, strict=False):
            if not self._is_earlier_try(entry, draft):
                raise _command_id_taken_error(entry)
        if len(retried_entries) != len(drafts):
            if not later_entries:
                self._check_not_restored(stream)
            raise _conflict_error(stream, expected_revision, later_entries[-1] if later_entries else None)
        return retried_entries

    def _check_not_restored(self, stream: str) -> None:
        """Raises `DamagedError` if the last row that was read or written here is gone: an old copy was restored.

        It is not a `ConflictError`, since reading on and trying again would not help.
        """
        known_last_row = self._last_rows.get(stream)
        if known_last_row is None or list(
            self._backend.rows(stream, known_last_row.row[0] - 1, known_last_row.row[0])
        ) == [known_last_row.row]:
            return
        if not self._is_removed(stream):
            raise damaged_error(stream, known_last_row.row[0], ROW_GONE)

    def _is_removed(self, stream: str) -> bool:
        """Whether a stream that had rows was removed: it has none left, and streams of this store can be removed."""
        return self.can_remove and self._backend.last_row(stream) is None

    def _is_earlier_try(self, entry: Entry, draft: Draft) -> bool:
        """Whether an entry is an earlier try of a draft: same author and id, and same request or else same events."""
        if (entry.seal.id, entry.seal.by, entry.seal.request) != (draft.id, draft.by, draft.request):
            return False
        if draft.request:
            return True
        encoded_events = [self.codec.encode(event) for event in draft.events]
        stored_events = [(topic, content) for _, topic, content in entry.rows]
        return stored_events == encoded_events

    def _entries_since(self, stream: str, expected_revision: int) -> Iterator[Entry]:
        """The entries after a revision; none if no entry ends at it."""
        rows = self._backend.rows(stream, expected_revision - 1, None)
        if expected_revision >= 0 and not (rows and rows[0][0] == expected_revision and chain.is_seal(rows[0])):
            return iter(())
        return self._checked_entries(stream, expected_revision, rows)


def revision_taken_error(entry: Entry) -> ConflictError:
    """The error for an entry whose revision has a different entry, as in a store with other games."""
    what = f"stream {entry.stream} has another entry at revision {entry.rows[0][0]}, or lacks the entries before it"
    return ConflictError(what, "the store has other games", ("zim --store sqlite:///NEW.db import FILE",))


def _command_id_taken_error(entry: Entry) -> TakenError:
    what, why = f"the command id {entry.seal.id!r} is taken", f"{entry.seal.by} has already stored something with it"
    return TakenError(what, why, ("the same command with a new id",), head=entry.digest.hex())


def _conflict_error(stream: str, expected_revision: int, newest_entry: Entry | None) -> ConflictError:
    what = f"stream {stream} is not at revision {expected_revision}"
    if newest_entry is None:
        return ConflictError(what, "no entry ends there: the stream is shorter or longer")
    seal = newest_entry.seal
    why = f"{seal.by} has brought it to revision {newest_entry.revision} at {seal.at:%Y-%m-%d %H:%M:%S} UTC"
    return ConflictError(what, why, ("read the new entries, then decide again",), head=seal.digest.hex())
