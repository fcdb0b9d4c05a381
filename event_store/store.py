"""The event store: append entries to streams, read them back. One append is one transaction, whatever happens.

In other words: event stream, expected version, optimistic concurrency, snapshot isolation, consistent read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from event_store import chain, places
from event_store.chain import Draft, Entry, Row, Seal
from event_store.codec import Codec, Forms, encode
from event_store.errors import ConflictError, DamagedError, StoreError, TakenError, damaged_error
from event_store.line_history import Forked, HeadMoved, head_after
from event_store.places import SealsBound
from event_store.projections import Projection, pack_projection, unpack_projection

if TYPE_CHECKING:
    from pathlib import Path

    from event_store.backends import Backend


MAX_REMEMBERED_STREAMS = 1000
"""Streams whose last row is remembered."""
PUT_BACK = "the row is gone: the store went back to an earlier state while it was open here"
USUAL_ROWS = 16
"""Rows that most entries have fewer of."""


class End(NamedTuple):
    """Where a stream ends: its last revision, the digest there, and the `place` of what comes next, if it has one."""

    revision: int
    digest: bytes
    place: bytes

    @classmethod
    def of(cls, stream: str, revision: int, seal: Seal) -> Self:
        """The end of a stream with that seal: it goes on as it does there, with places or without."""
        return cls(revision, seal.digest, places.place(stream, seal.digest) if places.has_place(seal) else b"")


class LastRow(NamedTuple):
    """The last row of a stream, and its seal where it was sealed here: that need not be read out of its bytes."""

    row: Row
    seal: Seal | None = None


def new_salt() -> bytes:
    """Random bytes for a seal."""
    return os.urandom(chain.SALT)


def _own_forms() -> Forms:
    return Forms((HeadMoved, Forked, SealsBound))


class EventStore:
    """Streams of entries, kept in memory or in a database.

    >>> from datetime import UTC, datetime
    >>> with EventStore.open("memory:") as store:
    ...     entry = store.append("5f3a", -1, [HeadMoved(b"", b"")], by="anna", at=datetime(2024, 5, 1, tzinfo=UTC))
    ...     [(entry.revision, entry.events) for entry in store.read("5f3a")]
    [(1, (HeadMoved(source=b'', target=b''),))]
    """

    def __init__(self, backend: Backend, address: str, salts: Callable[[], bytes] = new_salt) -> None:
        self._backend = backend
        self._salts = salts
        # By which another process may open it. It may hold a password: `url` is the one to be shown.
        self.address = address
        self.codec = Codec()
        self.codec.register("store", _own_forms)
        # The stream that leads to all others, if there is one: once it is bound to its place, all of them are.
        self.root = ""
        # The last row of streams that were read or written here: an append asks for it only where it is not known.
        self._known: dict[str, LastRow] = {}
        # Where streams ended when they were read or written here, each with the version that the database had before.
        self._ends: dict[str, tuple[int, object]] = {}
        self._noting = Lock()
        self._version: object = None
        self._looking: object = None
        # What was read ahead for this look: rows of streams, each after a revision.
        self._ahead: dict[str, tuple[int, Sequence[Row]]] = {}

    @classmethod
    def open(cls, url: str, salts: Callable[[], bytes] = new_salt) -> Self:
        """Opens `memory:`, `sqlite:///file` or `sqlite:////folder/file` (`?mode=ro` never writes), `postgresql://...`.

        A file that is not there reads as an empty store; the first append makes it, and its folder. On a server the
        tables are made by `create`. Raises `StoreError` for any other url.

        Each entry is sealed with a salt: a random one, unless others are given so that digests can be foreseen.
        """
        from event_store.backends import connect  # the library takes a while to import

        return cls(connect(url), url, salts)

    @property
    def url(self) -> str:
        """Where it is, as it may be shown: without a password."""
        return self._backend.url

    def create(self) -> None:
        """Makes the file or the tables where there are none; what is there stays. Raises `StoreError`."""
        self._backend.create()

    def is_there(self) -> bool:
        """Whether there is a store already: a file that is not there reads as an empty one."""
        return self._backend.is_there()

    def check(self) -> None:
        """Lets the database look at itself, which no digest can: an index may not lead to the last rows any more.

        Raises `DamagedError`. Takes as long as reading all of it.
        """
        self._backend.check()

    def copy_to(self, path: Path) -> bool:
        """Lets the database copy itself into a file, as it stands at one moment; false where it can't do that."""
        return self._backend.copy_to(path)

    def close(self) -> None:
        """Closes the connections to the database."""
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def register(self, kind: str, load: Callable[[], Forms]) -> None:
        """Makes the events of a kind known: topics that begin with it are looked up in the forms that `load` gives."""
        self.codec.register(kind, load)

    def read(self, stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        """The entries of a stream that follow revision `after`, up to revision `until`.

        Both must be revisions of entries. The rows are read now, entries are made as they are asked for: those that
        precede a damage can still be had. Raises `StoreError`, `DamagedError`.
        """
        if until is not None:
            return self._checked_entries(
                stream, after, self._backend.rows(stream, self._behind(stream, after), until), until
            )
        version = self._current_version()
        if self._ends.get(stream) == (after, version):
            return iter(())
        rows = self._prefetched_rows(stream, after)
        if rows is None:
            rows = self._backend.rows(stream, self._behind(stream, after), None)
        found = self._checked_entries(stream, after, rows)
        self._take_note(stream, after, rows, version)
        return found

    def read_several(self, after: Mapping[str, int]) -> dict[str, Iterator[Entry]]:
        """The entries of a few streams, each from its own revision on, as they stand at one moment: one round trip."""
        version = self._current_version()
        rows = dict[str, Sequence[Row]]()
        for stream, end in after.items():
            known = () if self._ends.get(stream) == (end, version) else self._prefetched_rows(stream, end)
            if known is not None:
                rows[stream] = known
        if len(rows) < len(after):  # without a look all of them again: as they stand at one moment
            rows |= self._backend.several(
                {
                    stream: self._behind(stream, end)
                    for stream, end in after.items()
                    if not (self._looking and stream in rows)
                }
            )
        found = {stream: self._checked_entries(stream, end, rows[stream]) for stream, end in after.items()}
        for stream, end in after.items():
            self._take_note(stream, end, rows[stream], version)
        return found

    def _behind(self, stream: str, after: int) -> int:
        """From where rows are read, to go on after a revision: with the row there, unless it is known."""
        known = self._known.get(stream)
        return after if after < 0 or (known and known.row[0] == after) else after - 1

    def _checked_entries(
        self, stream: str, after: int, rows: Sequence[Row], until: int | None = None
    ) -> Iterator[Entry]:
        """The entries in the rows after a revision, each held to its place; `until` is where they were asked to end."""
        known = self._known.get(stream) if after >= 0 else None
        before = known.row if known else None
        if rows and rows[0][0] == after:
            before, rows = rows[0], rows[1:]
        elif before and before[0] != after:
            before = next(iter(self._backend.rows(stream, after - 1, after)), None)
        return self._in_place(stream, after, rows, before, until)

    def _in_place(
        self, stream: str, after: int, rows: Sequence[Row], before: Row | None, until: int | None
    ) -> Iterator[Entry]:
        """The same, from the row before on."""
        found = chain.entries(stream, rows, self.codec, after)
        first = next(filter(chain.is_seal, rows), None)
        if first is None:
            yield from found
            return
        if before is None and after >= 0:
            raise damaged_error(stream, after, "the row is missing")
        digest = chain.read_seal(stream, before).digest if before else b""
        if places.is_place_of(stream, chain.read_seal(stream, first), digest):
            yield from places.follow(stream, found, digest)
        elif after < 0 and until is None:
            yield from self.whole(stream, rows, found)
        elif not any(map(places.may_have_place, (before, first, self._end(stream, rows, until)))):
            self._check_loose(stream)
            yield from places.without(found)  # neither they nor what follows, which would bind them, has a place
        else:
            every = self._backend.rows(stream, -1, None)
            for entry in self.whole(stream, every, chain.entries(stream, every, self.codec)):
                if entry.revision > rows[-1][0]:
                    return
                if entry.revision > after:
                    yield entry

    def whole(self, stream: str, rows: Sequence[Row], found: Iterator[Entry]) -> Iterator[Entry]:
        """The entries in all rows of a stream, as they are `found` there, each held to its place.

        Raises `AlteredError` for one that is out of its place.
        """
        if not places.has_any(rows):
            self._check_loose(stream)
        return places.whole(stream, rows, found)

    def _check_loose(self, stream: str) -> None:
        """Raises `AlteredError` for a stream without places where the root has its place, and so all others have.

        One that somebody binds just now has it by the time that the root has.
        """
        if not self.root or stream == self.root or not places.may_have_place(self._backend.last(self.root)):
            return
        last = self._backend.last(stream)
        if last and not places.may_have_place(last):
            raise chain.altered_error(stream, last[0], places.LOOSE)

    def _end(self, stream: str, rows: Sequence[Row], until: int | None) -> Row | None:
        """The last row of a stream, of which some were read, up to a revision or all."""
        return rows[-1] if until is None else self._backend.last(stream)

    def _current_version(self) -> object:
        """The version of the database now: while it is the same, streams end where they were last found to end here.

        It is asked for before a stream is read or written, and noted with what that has come to: what others write in
        between makes the next one another. One that can't be told is equal to none.
        """
        self._version = self._looking or self._backend.version()
        return self._version or object()

    @contextmanager
    def snapshot_read(self) -> Iterator[None]:
        """A snapshot read: inside it a stream that was read is not read again, unless a write to it failed.

        For one request that reads the same streams again and again: it is answered by how they stood after it had come.
        A reader that looks so has the store for itself.
        """
        self._looking = self._backend.version() or object()
        try:
            yield
        finally:
            self._looking = None
            self._ahead.clear()

    def prefetch(self, after: Mapping[str, int]) -> None:
        """Within a snapshot read: prefetches streams in one round trip, each from its own revision on.

        If the database says that nothing was written since, no rows are read.
        """
        version = self._current_version()
        lacking = {stream: end for stream, end in after.items() if self._ends.get(stream) != (end, version)}
        if self._looking and len(lacking) > 1:
            self._ahead |= {stream: (lacking[stream], rows) for stream, rows in self._backend.several(lacking).items()}

    def _prefetched_rows(self, stream: str, after: int) -> Sequence[Row] | None:
        """The prefetched rows of a stream after a revision, once, if there are any."""
        end, rows = self._ahead.pop(stream, (None, ()))
        return rows if end == after else None

    def projections(self, streams: Iterable[str]) -> dict[str, Projection]:
        """The projections of streams, as far as there are any that are as they were stored. Raises `StoreError`."""
        found = self._backend.projections(list(streams))
        read = {stream: unpack_projection(stream, row, content, last) for stream, row, content, last in found}
        return {stream: projection for stream, projection in read.items() if projection and projection.content}

    def project(self, made: Iterable[tuple[str, int, bytes, bytes]]) -> None:
        """Stores what was made of streams: each with its revision, the digest of the entry there, and the content.

        A store that can't be written to stays as it is: projections are optional.
        """
        beside = [pack_projection(*each) for each in made]
        with suppress(StoreError):
            if beside:
                self._backend.insert([], beside)

    def streams(self) -> list[str]:
        """The names of all streams, sorted. Raises `StoreError`."""
        return self._backend.streams()

    def rows(self) -> Iterator[tuple[str, Row]]:
        """The rows of all streams, unchecked. Raises `StoreError`."""
        return self._backend.all_rows()

    def entries_or_errors(self, stream: str) -> Iterator[Entry | DamagedError]:
        """The entries of a stream, each by itself; for one that is damaged the error. Raises `StoreError`."""
        try:
            rows = self._backend.rows(stream, -1, None)
        except StoreError:  # one of them can't be read, or the index leads nowhere: all that there is is gone through
            rows = sorted(row for each, row in self._backend.all_rows() if each == stream and chain.is_numbered(row))
        return chain.entries_or_errors(stream, rows, self.codec)

    def all_entries(self) -> Iterator[Entry]:
        """The entries of all streams as they stand at one moment. Raises `StoreError`, `DamagedError`.

        Those of a stream are in order, and where nobody wrote at the same time all are as they were appended. There is
        no other order across streams: who follows a store reads each on by its revision.
        """
        return places.each(chain.in_order(self._backend.all_rows(), self.codec), self.root)

    def entry(self, stream: str, rows: Sequence[Row]) -> Entry:
        """An entry that was appended elsewhere, from its rows. Raises `DamagedError`, `AlteredError`."""
        found = list(chain.in_order(((stream, row) for row in rows), self.codec))
        if len(found) != 1:
            raise damaged_error(stream, rows[0][0] if rows else 0, "this is not one entry")
        return found[0]

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Stores entries that are sealed already, as they are: all of them, or none.

        Those that are stored already stay. Raises `ConflictError` where others are stored, or some before are missing.
        """
        heads: dict[str, int] = {}
        fresh: list[Entry] = []
        for entry in entries:
            head = heads[entry.stream] if entry.stream in heads else self._last(entry.stream, -2).revision
            if entry.rows[0][0] == head + 1:
                fresh.append(entry)
            elif not self._has([entry]):
                self._check_not_put_back(entry.stream)
                raise occupied_error(entry)
            heads[entry.stream] = max(head, entry.revision)
        # A connection that broke may have left them stored: then they are there, all of them.
        if fresh and not (self._insert(fresh) or all(self._has([entry]) for entry in fresh)):
            raise occupied_error(fresh[0])

    def append(
        self,
        stream: str,
        expected: int,
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
        """Appends one entry to a stream whose last row is `expected` (-1: there is no stream yet).

        With it goes a `projection`, if there is one: what is made of the stream up to this entry. Without a `parent`
        the entry builds on the one before it. When the stream has moved on: if an entry with this `id` and the same
        `by` is among the new ones, and it was the same `request` (or has the same events, if nothing is said of
        requests), a retry has found what it had stored, which is returned. Otherwise `ConflictError`; a `TakenError`
        where somebody else has used the id, or for something else.
        """
        if not events:
            raise ValueError("an entry has at least one event")
        end = self._last(stream, expected)
        draft = Draft(events, by, at, id, state, request, proof)
        entry = self._seal_draft(stream, end._replace(revision=expected), draft, parent)
        if end.revision != expected or not self._insert([entry], projection):
            (entry,) = self._find_retry(stream, expected, [draft])
        return entry

    def append_all(
        self, stream: str, expected: int, drafts: Sequence[Draft], head: bytes = b"", projection: bytes = b""
    ) -> list[Entry]:
        """Appends several entries at once: all of them, or none.

        Commits build on one another, the first on the commit `head`; any other entry on the entry before it. Raises
        `ConflictError` when the stream does not stand at `expected`, and a retry is known by its ids, as in `append`.
        """
        entries = self._seal_drafts(stream, self._last(stream, expected), drafts, head)
        if not entries:
            return []
        is_next = entries[0].rows[0][0] == expected + 1
        if not is_next or not (self._insert(entries, projection) or self._has(entries)):
            return self._find_retry(stream, expected, drafts)
        return entries

    def _has(self, entries: Sequence[Entry]) -> bool:
        """Whether just these entries are stored already: by ourselves, when the answer that they are was lost."""
        first, last = entries[0], entries[-1]
        # Rows are compared: where others have written instead, their entries may begin and end elsewhere.
        stored = self._backend.rows(first.stream, first.rows[0][0] - 1, last.revision)
        return list(map(tuple, stored)) == [row for entry in entries for row in entry.whole]

    @property
    def can_remove(self) -> bool:
        """Whether streams can be removed: only from a file of your own."""
        return self._backend.can_remove

    def remove(self, streams: Sequence[str], note: Entry) -> None:
        """Removes streams for good and stores an entry that says so, both or neither.

        Raises `ConflictError` where the entry does not fit any more. See `compact`.
        """
        rows = [(note.stream, *row) for row in note.whole]
        if not self._backend.remove(streams, rows):
            raise occupied_error(note)
        for stream in streams:
            self._known.pop(stream, None)

    def compact(self) -> None:
        """Takes the bytes of what was removed out of the file. Raises `StoreError` while others have it open."""
        self._backend.compact()

    def follow(self, stream: str, expected: int, draft: Draft) -> Entry:
        """An entry that is no commit, to be adopted together with others. Raises `ConflictError` as `append` does."""
        end = self._last(stream, expected)
        if end.revision != expected:
            raise _conflict(stream, expected, None)
        return self._seal_draft(stream, end, draft)

    def is_bound(self, stream: str) -> bool:
        """Whether the first or the last entry of a stream says its place: that binds all of it. See `places`.

        Raises `DamagedError` where the last one, which would say it, can't be read.
        """
        last = self._backend.last(stream)
        if last is None or places.may_have_place(last):
            return last is not None
        first = next(filter(chain.is_seal, self._backend.rows(stream, -1, None)), None)
        begins = first is not None and places.is_place_of(stream, chain.read_seal(stream, first), b"")
        return begins or places.has_place(chain.read_seal(stream, last))

    def binding(self, entries: Sequence[Entry], by: str, at: datetime) -> Entry:
        """The entry that binds all in a stream so far to their place, to be adopted behind them or with them.

        They are at least one; the caller knows that they are as they were made. On a line it is a move of the head to
        where it is, which older programs can read.
        """
        last, stream = entries[-1], entries[-1].stream
        digests = b"".join(entry.digest for entry in entries)
        head = head_after(entries)
        draft = Draft([HeadMoved(head, head) if head else SealsBound()], by, at)
        return self._seal_draft(stream, End(last.revision, last.digest, places.place(stream, digests)), draft)

    def seal_entries(self, stream: str, expected: int, drafts: Sequence[Draft], head: bytes) -> list[Entry]:
        """Entries as `append_all` would append them, to be adopted together with others. Raises `ConflictError`."""
        end = self._last(stream, expected)
        if end.revision != expected:
            raise _conflict(stream, expected, None)
        return self._seal_drafts(stream, end, drafts, head)

    def _seal_drafts(self, stream: str, end: End, drafts: Sequence[Draft], head: bytes) -> list[Entry]:
        entries = list[Entry]()
        for draft in drafts:
            entry = self._seal_draft(stream, end, draft, head if draft.state else None)
            entries.append(entry)
            end = End.of(entry.stream, entry.revision, entry.seal)
            head = entry.digest if draft.state else head
        return entries

    def _seal_draft(self, stream: str, end: End, draft: Draft, parent: bytes | None = None) -> Entry:
        """The entry of a draft, ready to be stored where a stream ends. Without a parent it builds on what is there."""
        after = end.revision
        rows = tuple((revision, *self.codec.encode(event)) for revision, event in enumerate(draft.events, after + 1))
        seal = chain.seal(
            rows,
            parent=end.digest if parent is None else parent,
            by=draft.by,
            at=draft.at,
            id=draft.id,
            state=draft.state,
            salt=self._salts(),
            place=end.place,
            request=draft.request,
            proof=draft.proof,
        )
        return Entry(stream, after + 1 + len(rows), rows, seal, encode(seal), self.codec)

    def _insert(self, entries: Sequence[Entry], projection: bytes = b"") -> bool:
        """Stores entries, all or none; false if another writer was faster. A projection is of the last of them."""
        ends = {entry.stream: entry for entry in entries}
        beside = [
            pack_projection(each.stream, each.revision, each.digest, projection if each is entries[-1] else b"")
            for each in ends.values()
        ]
        version = self._version
        for entry in entries:  # what has become of a write that fails, only reading the stream tells
            self._ends.pop(entry.stream, None)
            self._ahead.pop(entry.stream, None)
        whole = [(entry, entry.whole) for entry in entries]
        stored = self._backend.insert([(entry.stream, *row) for entry, rows in whole for row in rows], beside)
        if stored:
            for entry, rows in whole:
                self._take_note(entry.stream, entry.revision, rows, version, entry.seal)
        return stored

    def _take_note(
        self, stream: str, after: int, rows: Sequence[Row], version: object, seal: Seal | None = None
    ) -> None:
        """Notes where a stream ends after these rows were read or, with their seal, written behind a revision."""
        end = rows[-1][0] if rows else after
        with self._noting:  # threads that share a connection see one version: of these the furthest end counts
            if len(self._ends) >= MAX_REMEMBERED_STREAMS:
                self._known.clear()
                self._ends.clear()
            if rows:
                self._known[stream] = LastRow(rows[-1], seal)
            before, seen = self._ends.get(stream, (-1, None))
            if version != seen or before < end:
                self._ends[stream] = end, version

    def _last(self, stream: str, expected: int) -> End:
        """Where a stream ends. What is known to stand at that revision is not looked up.

        If another writer has appended since, the insert meets their rows and stores nothing.
        """
        known = self._known.get(stream)
        if known is None or known.row[0] != expected:
            return self._look_up(stream)
        return End.of(stream, expected, known.seal or chain.read_seal(stream, known.row))

    def _look_up(self, stream: str) -> End:
        """The same from the database. The entry is read whole: nothing may build on a digest that was altered."""
        row, reach, begin = self._backend.last(stream), USUAL_ROWS, None
        if row is None:
            return End(-1, b"", places.place(stream, b""))
        while begin is None:
            after = max(row[0] - reach, -1)
            rows = self._backend.rows(stream, after, row[0])
            begin = chain.last_begins(rows, 0 if after < 0 else None)
            reach *= USUAL_ROWS
        before = rows[begin - 1] if begin else None
        (last,) = self._in_place(stream, rows[begin][0] - 1, rows[begin:], before, None)
        return End.of(stream, last.revision, last.seal)

    def _find_retry(self, stream: str, expected: int, drafts: Sequence[Draft]) -> list[Entry]:
        """The entries with the ids of drafts, appended meanwhile. Raises `ConflictError` when there are none."""
        since = list(self._since(stream, expected))
        ids = {draft.id for draft in drafts} - {""}
        made = [entry for entry in since if entry.seal.id in ids]
        for draft, entry in zip(drafts, made, strict=False):
            if not self._is_made_of(entry, draft):
                raise _taken_error(entry)
        if len(made) != len(drafts):
            if not since:
                self._check_not_put_back(stream)
            raise _conflict(stream, expected, since[-1] if since else None)
        return made

    def _check_not_put_back(self, stream: str) -> None:
        """Raises `DamagedError` where the last row that was read or written here is not there any more.

        That is no conflict, which one may try again after reading on: what is remembered here has never happened.
        """
        known = self._known.get(stream)
        if known is None or list(self._backend.rows(stream, known.row[0] - 1, known.row[0])) == [known.row]:
            return
        if self._backend.last(stream) or not self.can_remove:  # one that was removed is gone as a whole
            raise damaged_error(stream, known.row[0], PUT_BACK)

    def _is_made_of(self, entry: Entry, draft: Draft) -> bool:
        """Whether it is what the same person asked for: by the digest of the request, or by all that it holds."""
        if (entry.seal.id, entry.seal.by, entry.seal.request) != (draft.id, draft.by, draft.request):
            return False
        if draft.request:
            return True
        wanted = [self.codec.encode(event) for event in draft.events]
        stored = [(topic, content) for _, topic, content in entry.rows]
        return stored == wanted

    def _since(self, stream: str, expected: int) -> Iterator[Entry]:
        """The entries after a revision; none if that is not where an entry ends."""
        rows = self._backend.rows(stream, expected - 1, None)
        if expected >= 0 and not (rows and rows[0][0] == expected and chain.is_seal(rows[0])):
            return iter(())
        return self._checked_entries(stream, expected, rows)


def occupied_error(entry: Entry) -> ConflictError:
    """The error for an entry of elsewhere in whose place there is another one."""
    what = f"stream {entry.stream} has another entry at revision {entry.rows[0][0]}, or lacks the entries before it"
    return ConflictError(what, "the store has other games", ("zim --store sqlite:///NEW.db import FILE",))


def _taken_error(entry: Entry) -> TakenError:
    what, why = f"the command id {entry.seal.id!r} is taken", f"{entry.seal.by} has already stored something with it"
    return TakenError(what, why, ("the same command with a new id",), head=entry.digest.hex())


def _conflict(stream: str, expected: int, newest: Entry | None) -> ConflictError:
    what = f"stream {stream} is not at revision {expected}"
    if newest is None:
        return ConflictError(what, "no entry ends there: the stream is shorter or longer")
    seal = newest.seal
    why = f"{seal.by} has brought it to revision {newest.revision} at {seal.at:%Y-%m-%d %H:%M:%S} UTC"
    return ConflictError(what, why, ("read the new entries, then decide again",), head=seal.digest.hex())
