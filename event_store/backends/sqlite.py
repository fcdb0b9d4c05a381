"""A store in one SQLite file. What has been appended is on the disk: write-ahead log, synchronous FULL."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from eventsourcing.persistence import IntegrityError, OperationalError
from eventsourcing.sqlite import (
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteDatastore,
)

from event_store.chain import Row
from event_store.disk import flush
from event_store.errors import StoreError
from event_store.projections import Beside, is_whole

if TYPE_CHECKING:
    from pathlib import Path

LOCK_TIMEOUT = 5
"""Seconds to wait for another writer."""

INSERT = "INSERT INTO stored_events VALUES (?,?,?,?)"
SELECT_ROWS = (
    "SELECT originator_version, topic, state FROM stored_events"
    " WHERE originator_id = ? AND originator_version > ? AND originator_version <= ?"
    " ORDER BY originator_version"
)
SCAN_ROWS = SELECT_ROWS.replace("stored_events", "stored_events NOT INDEXED")
SELECT_LAST = f"{SELECT_ROWS} DESC LIMIT 1"
SELECT_AFTER = (
    "SELECT originator_id, originator_version, topic, state FROM stored_events"
    " WHERE originator_id = ? AND originator_version > ?"
)
SELECT_PAGE = (
    "SELECT rowid, originator_id, originator_version, topic, state FROM stored_events WHERE rowid > ?"
    " ORDER BY rowid LIMIT ?"
)
SELECT_NEXT = (
    "SELECT originator_id, originator_version FROM stored_events"
    " WHERE (originator_id, originator_version) > (?, ?) ORDER BY originator_id, originator_version LIMIT 1"
)
SELECT_NEXT_AND_END = (
    "SELECT following.*, ends.revision, ends.content FROM (SELECT 1)"
    " LEFT JOIN (SELECT originator_id, originator_version FROM stored_events"
    " WHERE (originator_id, originator_version) > (?, ?) ORDER BY originator_id, originator_version LIMIT 1)"
    " AS following LEFT JOIN projections AS ends ON ends.stream = ?"
)
SELECT_STREAMS = (
    "SELECT DISTINCT originator_id FROM stored_events",
    "SELECT DISTINCT originator_id FROM stored_events NOT INDEXED",
)
CREATE_PROJECTIONS = (
    "CREATE TABLE IF NOT EXISTS projections (stream TEXT PRIMARY KEY, revision INTEGER, content BLOB) WITHOUT ROWID"
)
PROJECT = (
    "INSERT INTO projections VALUES (?,?,?) ON CONFLICT (stream) DO UPDATE"
    " SET revision = excluded.revision, content = excluded.content WHERE revision <= excluded.revision"
)
SELECT_PROJECTIONS = (
    "SELECT p.stream, e.originator_version, e.topic, e.state, p.content,"
    " (SELECT max(originator_version) FROM stored_events WHERE originator_id = p.stream)"
    " FROM json_each(?) AS wanted CROSS JOIN projections AS p ON p.stream = wanted.value"
    " CROSS JOIN stored_events AS e ON e.originator_id = p.stream AND e.originator_version = p.revision"
)
DELETE = ("DELETE FROM stored_events WHERE originator_id = ?", "DELETE FROM projections WHERE stream = ?")
ROWS_PER_PAGE = 1000
"""Rows of all streams that are read at once."""
MAX_REVISION = 2**63 - 1
"""SQLite's greatest integer."""


Result = TypeVar("Result")

Stored: TypeAlias = tuple[str, int, str, bytes, bytes, int]
"""A projection: its stream, the row that it is of, its bytes, the last revision of the stream."""


class IndexEnd(NamedTuple):
    """What stands in the index after the `last` row of a stream that a search found: the row of another one, or none.

    `end` is where the stream ends by its projection (-1: there is none), with the `content` of that.
    """

    next: str | None
    revision: int | None
    last: int
    end: int
    content: bytes

    def is_doubtful(self, stream: str) -> bool:
        """Whether the index may not lead to all rows of the stream.

        A search ends at the first row in the index that is another stream's, or at its end. A name that was altered
        there would hide all rows that follow, as would a page in the place of another one. But what follows a stream
        is the beginning of another; and where it ends is known from elsewhere in the file, too.
        """
        is_cut = self.next == stream or (self.next is None and self.end < 0) or self.revision not in (0, None)
        return is_cut or self.end > self.last


NONE = (None, None, None, None)
"""What `SELECT_NEXT_AND_END` gives for a file that is not there."""


class Pool(SQLiteConnectionPool):
    """Connections that wait for the disk."""

    def _create_connection(self) -> SQLiteConnection:
        try:
            connection = super()._create_connection()
            connection.cursor().execute("PRAGMA synchronous = FULL")
        except sqlite3.Error as error:  # the library lets these two through
            raise OperationalError(error) from error
        return connection


class Datastore(SQLiteDatastore):
    """The library's, with our connections. A file that is not there is never made by opening it."""

    def __init__(self, path: str, mode: str) -> None:
        name = address(path, f"mode={mode}")
        super().__init__(name, originator_id_type="text")
        self.pool = Pool(db_name=name, lock_timeout=LOCK_TIMEOUT)
        # A store gets its write-ahead log when it is made: what is something else's stays as it is.
        self.pool.is_journal_mode_wal = mode != "rwc"


class SQLiteRecorder(SQLiteApplicationRecorder):
    """The library's recorder, for a file that is made by the first append; until then it reads as empty."""

    can_remove = True

    def __init__(self, path: str, mode: str) -> None:
        super().__init__(Datastore(path, mode))
        self.path = path
        self.mode = mode
        self._is_there = False
        self._projects = False

    def create(self) -> None:
        """Makes the file and its folder where there is none."""
        if self.mode == "rw" and not self.is_there():
            make(self.path)

    def version(self) -> object:
        """SQLite counts for each connection how often it has seen the writes of others."""
        if not self.is_there():
            return None
        return self._reading(lambda connection: (connection, connection.execute("PRAGMA data_version").fetchone()[0]))

    def insert_rows(self, rows: Sequence[tuple[str, *Row]], beside: Sequence[Beside] = ()) -> None:
        """Stores rows, all or none; raises `IntegrityError` when one of them is already there."""
        self.create()
        with self.datastore.transaction(commit=True) as cursor:
            _insert(cursor, rows)
            if beside:
                if not self._projects:  # a file of the past has no table for them
                    cursor.execute(CREATE_PROJECTIONS)
                cursor.executemany(PROJECT, beside)
        self._projects = self._projects or bool(beside)

    def remove_streams(self, streams: Sequence[str], rows: Sequence[tuple[str, *Row]]) -> None:
        """Removes streams and stores rows, all or none; raises `IntegrityError` when one of those is already there."""
        with self.datastore.transaction(commit=True) as cursor:
            _insert(cursor, rows)
            cursor.execute(CREATE_PROJECTIONS)
            for statement in DELETE:
                cursor.executemany(statement, [(stream,) for stream in streams])

    def compact(self) -> None:
        """Writes the file anew without what was removed, and empties its log, which has all that was written lately."""
        whole = address(self.path, f"mode={self.mode}")
        try:
            with closing(sqlite3.connect(whole, LOCK_TIMEOUT, isolation_level=None, uri=True)) as connection:
                connection.execute("VACUUM")
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise OperationalError(error) from error
        if busy:
            raise OperationalError(
                "what was removed is still in the write-ahead log: another reader has the file locked"
            )

    def select_projections(self, streams: Sequence[str]) -> Sequence[Stored]:
        """The projections of streams, each with the row that it is of, and the last revision there is."""
        try:
            return self._fetch(SELECT_PROJECTIONS, (json.dumps(streams),))
        except OperationalError as error:
            if "no such table" in str(error):
                return []
            raise

    def select_rows(self, stream: str, gt: int, lte: int | None) -> Sequence[Row]:
        """The rows of a stream after one revision, up to another: four times as fast as stored events."""
        until, last = MAX_REVISION if lte is None else lte, gt - 1
        while True:
            rows: Sequence[Row] = self._fetch(SELECT_ROWS, (stream, gt, until))
            before, last = last, rows[-1][0] if rows else gt
            if last >= until:
                return rows
            found = self._row_after(stream, last)
            if found.next == stream and last > before:  # it was stored in the meantime
                continue
            # The index may not lead to all there is: then the rows themselves are gone through.
            return self._scan_rows(stream, gt, until, found) if found.is_doubtful(stream) else rows

    def _scan_rows(self, stream: str, gt: int, until: int, found: IndexEnd) -> Sequence[Row]:
        """The rows of a stream without the index. Raises `OperationalError` where its end is missing."""
        rows: Sequence[Row] = self._fetch(SCAN_ROWS, (stream, gt, until))
        last = rows[-1][0] if rows else gt
        if last < min(found.end, until) and is_whole((stream, found.end, found.content)):
            raise OperationalError(f"stream {stream} is malformed: it ends at revision {last}, and had {found.end}")
        return rows

    def _row_after(self, stream: str, last: int) -> IndexEnd:
        """What the index has after the row of a stream that was found to be the last, and where it should end."""
        try:
            ((following, revision, end, content),) = self._fetch(SELECT_NEXT_AND_END, (stream, last, stream)) or [NONE]
        except OperationalError as error:
            if "no such table: projections" not in str(error):
                raise
            following, revision = next(iter(self._fetch(SELECT_NEXT, (stream, last))), NONE[:2])
            end, content = NONE[2:]
        is_known = isinstance(end, int) and isinstance(content, bytes)
        return IndexEnd(following, revision, last, end if is_known else -1, content if is_known else b"")

    def select_last(self, stream: str) -> Row | None:
        """The last row of a stream."""
        last = next(iter(self._fetch(SELECT_LAST, (stream, -1, MAX_REVISION))), None)
        later = self.select_rows(stream, last[0] if last else -1, None)
        return later[-1] if later else last

    def select_all(self) -> Iterator[tuple[str, *Row]]:
        """The rows of all streams in the order in which they were stored, which is that of their numbers.

        Read page by page it is what was stored at some moment: one writer comes after the other.
        """
        last = 0
        while page := self._fetch(SELECT_PAGE, (last, ROWS_PER_PAGE)):
            yield from ((stream, *row) for _, stream, *row in page)
            if page[-1][0] <= last:  # where pages lie in each other's place the rows would begin again and again
                raise OperationalError("the rows are malformed: their numbers are not consecutive")
            last = page[-1][0]

    def select_several(self, after: Mapping[str, int]) -> Sequence[tuple[str, *Row]]:
        """The rows of streams, each after its own revision."""
        statement = " UNION ALL ".join([SELECT_AFTER] * len(after))
        found = sorted(
            self._fetch(statement, [value for pair in after.items() for value in pair]), key=itemgetter(0, 1)
        )
        last = {**after, **{stream: revision for stream, revision, *_ in found}}
        more = [stream for stream in after if self._row_after(stream, last[stream]).is_doubtful(stream)]
        if more:  # what was stored in the meantime, or what the index does not lead to
            found = [row for row in found if row[0] not in more]
            found += [(stream, *row) for stream in more for row in self.select_rows(stream, after[stream], None)]
        return found

    def _fetch(self, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        if not self.is_there():
            return []
        # One statement sees one state of the database by itself: it needs no transaction around it.
        return self._reading(lambda connection: _fetch_all(connection, statement, values))

    def _reading(self, read: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            with self.datastore.get_connection(commit=False) as connection:
                return read(connection.cursor().sqlite_cursor.connection)
        except sqlite3.Error as error:
            if not _cannot_write(error):
                raise OperationalError(error) from error
            return self._reading_without_log(read, OperationalError(error))
        except OperationalError as error:
            if not _cannot_write(error.__cause__):
                raise
            return self._reading_without_log(read, error)

    def _reading_without_log(self, read: Callable[[sqlite3.Connection], Result], why: OperationalError) -> Result:
        """The same where SQLite has no place for its log: a disk that is full, or that nobody may write to.

        A file that nobody writes to can be read without. A writer has a log beside it; who came and went in the
        meantime has changed the file, and then what was read is not used.
        """
        before = self._file_state()
        if before is None:
            raise why
        try:
            with closing(sqlite3.connect(address(self.path, "immutable=1"), uri=True)) as connection:
                found = read(connection)
        except sqlite3.Error as error:
            raise OperationalError(error) from error
        if self._file_state() != before:
            raise why
        return found

    def _file_state(self) -> tuple[int, ...] | None:
        """What changes when the file is written to; None where it has a log with anything in it, or may have.

        A file with several names may have its log beside any of them.
        """
        stat = os.stat(self.path)
        if _size(f"{self.path}-wal") or stat.st_nlink > 1:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def select_streams(self) -> set[str]:
        """The names of all streams, by the index and by the rows themselves: one of them may be damaged."""
        found: set[str] = set()
        errors: list[OperationalError] = []
        for statement in SELECT_STREAMS:
            try:
                found.update(stream for (stream,) in self._fetch(statement, ()) if isinstance(stream, str))
            except OperationalError as error:
                errors.append(error)
        if len(errors) == len(SELECT_STREAMS):
            raise errors[0]
        return found

    def copy_to(self, path: Path) -> bool:
        """Copies the database into a file, in one step: others may go on to write, and are not in it."""
        if not self.is_there():
            make(str(path))
            return True
        with closing(sqlite3.connect(path)) as copy:
            self._reading(lambda connection: connection.backup(copy))
        return True

    def check(self) -> str:
        """What SQLite's own check finds: rows that its index does not lead to are not missed by any digest."""
        for (found,) in self._fetch("PRAGMA integrity_check(1)", ()):
            return "" if found == "ok" else str(found)
        return ""

    def is_there(self) -> bool:
        """Whether there is a file with anything in it."""
        self._is_there = self._is_there or _size(self.path) > 0
        return self._is_there

    def close(self) -> None:
        """Closes the connections."""
        self.datastore.close()


def _size(path: str) -> int:
    """Bytes in a file; 0 where there is none."""
    try:
        return os.stat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _fetch_all(connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> Sequence[Any]:
    # A row that can't be read would else hold what this connection sees of the file.
    with closing(connection.cursor()) as cursor:
        cursor.row_factory = None
        return cursor.execute(statement, values).fetchall()


def _insert(cursor: SQLiteCursor, rows: Sequence[tuple[str, *Row]]) -> None:
    """Stores rows that follow what there is: a writer whose stream was removed meanwhile begins no other.

    They are read back in the same transaction: a trigger in the database may swallow, alter or delete them.
    """
    cursor.executemany(INSERT, rows)
    by_stream: dict[str, list[Row]] = {}
    for stream, revision, topic, content in rows:
        by_stream.setdefault(stream, []).append((revision, topic, content))
    # Looked for last: a transaction that reads before it writes fails where it meets another writer, and does not wait.
    for stream, together in by_stream.items():
        first = together[0][0]
        cursor.execute(SELECT_ROWS, (stream, first - 2, together[-1][0]))
        found = [tuple(row) for row in cursor.fetchall()]
        if found[-len(together) :] != together:
            raise OperationalError("the database did not store all that was written")
        if first and len(found) == len(together):
            raise IntegrityError(f"stream {stream} has no row before {first}")


def _cannot_write(error: BaseException | None) -> bool:
    """Whether a statement failed since SQLite could not write what it keeps beside a file, even of one that is read."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)


def open_recorder(path: str) -> SQLiteRecorder:
    """The recorder for a file: `games.zim`, or `games.zim?mode=ro` to never write to it. Raises `StoreError`.

    A link is followed here, once: SQLite keeps its log beside the file itself, and there it is looked for.
    """
    file, _, mode = path.partition("?mode=")
    if mode not in ("", "ro") or path.endswith("?mode="):
        raise StoreError(f"can't open the store sqlite:///{path}", "only mode=ro is supported", (f"sqlite:///{file}",))
    target = os.path.realpath(file)
    if os.path.islink(file) and not os.path.exists(target):  # an empty store would hide that a disk is missing
        raise StoreError(f"can't open the store sqlite:///{path}", f"it is a link to {target}, which is not there")
    return SQLiteRecorder(target, "ro" if mode else "rw")


def address(path: str, how: str) -> str:
    """A file as SQLite takes it together with how it is to be opened.

    >>> address("/games/100% #1?.db", "mode=ro")
    'file:///games/100%25 %231%3f.db?mode=ro'
    """
    whole = os.path.abspath(path)
    return "file://" + whole.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + f"?{how}"


def make(path: str) -> None:
    """Makes an empty store. The file gets its name when it is complete, so half a store is never seen.

    One that is there already is empty, and gets its table in one go; its write-ahead log comes after that.
    """
    import tempfile  # only once in the life of a store

    folder, name = os.path.split(os.path.abspath(path))
    if os.path.exists(path):
        create_in(path, "rw")
        create_in(path, "rwc")
        return
    make_folder(folder)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-store-") as beside:
        fresh = os.path.join(beside, name)
        create_in(fresh, "rwc")
        with suppress(FileExistsError):  # somebody else was faster, which is as good
            os.link(fresh, path)
        flush(folder)


def make_folder(folder: str) -> None:
    """Makes a folder, and those that it is in. Each name is on the disk before anything is put there."""
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    make_folder(parent)
    with suppress(FileExistsError):
        os.mkdir(folder)
    flush(parent)


def create_in(path: str, mode: str) -> None:
    """Makes the table of a store in a file."""
    recorder = SQLiteRecorder(path, mode)
    recorder.create_table()
    recorder.close()
