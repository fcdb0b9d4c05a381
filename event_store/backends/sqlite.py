"""A store in one SQLite file. An append returns when the entry is on the disk (write-ahead log, synchronous FULL)."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from eventsourcing.persistence import ConnectionUnavailableError, IntegrityError, OperationalError
from eventsourcing.sqlite import (
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteDatastore,
)

from event_store.backends import sqlite_file
from event_store.chain import Row
from event_store.disk import create_private, flush, give_name
from event_store.errors import NewerError, StoreError
from event_store.marks import MARK_NAMES, Marks, checked_marks, format_row
from event_store.projections import StoredProjection, is_intact
from event_store.store_files import LOG_SUFFIX, StoreFiles, file_id, find_files, find_log_files, opened_store

if TYPE_CHECKING:
    from pathlib import Path

PAUSES = (0.02, 0.05, 0.1)
"""Seconds to wait before a fault of a file's log is looked for again."""
LOCK_TIMEOUT = 5
"""Seconds to wait for another writer."""

INSERT_ROW = "INSERT INTO stored_events VALUES (?,?,?,?)"
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
STORE_PROJECTIONS = (
    "INSERT INTO projections VALUES (?,?,?) ON CONFLICT (stream) DO UPDATE"
    " SET revision = excluded.revision, content = excluded.content WHERE revision <= excluded.revision"
)
SELECT_PROJECTIONS = (
    "SELECT p.stream, e.originator_version, e.topic, e.state, p.content,"
    " (SELECT max(originator_version) FROM stored_events WHERE originator_id = p.stream)"
    " FROM json_each(?) AS wanted CROSS JOIN projections AS p ON p.stream = wanted.value"
    " CROSS JOIN stored_events AS e ON e.originator_id = p.stream AND e.originator_version = p.revision"
)
SELECT_STORED_PROJECTIONS = (
    "SELECT p.stream, p.revision, p.content"
    " FROM json_each(?) AS wanted CROSS JOIN projections AS p ON p.stream = wanted.value"
)
SELECT_FOREIGN_OBJECTS = (
    "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND (type, name) NOT IN (VALUES ('table', 'stored_events'), ('table', 'projections')) ORDER BY type, name"
)
SELECT_TRIGGER = "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
SELECT_MARKS = "SELECT stream, revision, content FROM projections WHERE stream IN (?, ?)"
DELETE_STREAM = ("DELETE FROM stored_events WHERE originator_id = ?", "DELETE FROM projections WHERE stream = ?")
ROWS_PER_PAGE = 1000
"""Rows read at once when all streams are read."""
MAX_REVISION = 2**63 - 1
"""SQLite's greatest integer."""


ResultT = TypeVar("ResultT")

SelectedProjection: TypeAlias = tuple[str, int, str, bytes, bytes, int]
"""A projection: its stream, the row that it belongs to, its content, and the last revision of the stream."""


class IndexEnd(NamedTuple):
    """What the index has after the last row found of a stream: the next stream and its first row's revision, or None.

    `projected_revision` is the last revision of the stream by its projection (-1 if it has none), `content` that
    projection's bytes.
    """

    next_stream: str | None
    next_revision: int | None
    last_revision: int
    projected_revision: int
    content: bytes

    @property
    def has_nothing(self) -> bool:
        """Whether there is neither a row of the stream, nor any row after it, nor a projection of it."""
        return self.next_stream is None and self.last_revision < 0 and self.projected_revision < 0

    def is_doubtful(self, stream: str) -> bool:
        """Whether the index may miss rows of the stream.

        A search stops at the first index row of another stream, or at the end of the index. An altered name there, or a
        misplaced page, would hide all rows after it. Two checks find that: the next row must be the first of another
        stream (revision 0), and the projection must not know of a later end.
        """
        is_cut = (
            self.next_stream == stream
            or (self.next_stream is None and self.projected_revision < 0)
            or self.next_revision not in (0, None)
        )
        return is_cut or self.projected_revision > self.last_revision


NOTHING_FOUND = (None, None, None, None)
"""The result of `SELECT_NEXT_AND_END` for a missing file."""


class Pool(SQLiteConnectionPool):
    """The library's connection pool, with connections that wait for the disk, all to the same file."""

    def __init__(self, path: str, uri: str) -> None:
        super().__init__(db_name=uri, lock_timeout=LOCK_TIMEOUT)
        self.path = path
        self.opened_store = opened_store(path)

    def get_connection(self, timeout: float | None = None, *, is_writer: bool | None = None) -> SQLiteConnection:
        """A connection for the calling thread. Raises `OperationalError`."""
        try:
            return super().get_connection(timeout, is_writer=is_writer)
        except ConnectionUnavailableError:
            raise
        except Exception:
            if is_writer:  # else the next writer waits for this one, which has no connection
                self._writer_lock.release()
            raise

    def _create_connection(self) -> SQLiteConnection:
        try:
            for pause in (*PAUSES, 0):
                file_before = file_id(self.path)
                if not (fault := self._find_log_fault(has_file=file_before is not None)):
                    break
                time.sleep(pause)
            else:
                raise OperationalError(fault)
            connection = super()._create_connection()
            cursor = connection.cursor()
            cursor.execute("PRAGMA synchronous = FULL")  # reads the file, which opens the log
            _read_marks(cursor.sqlite_cursor.connection)
        except sqlite3.Error as error:  # the library does not wrap these errors
            raise OperationalError(error) from error
        except NewerError:
            connection.close()
            raise
        found_files = find_files(self.path)
        if found_files.file != file_before or not self.opened_store.is_same(found_files, self):
            connection.close()
            raise OperationalError(sqlite_file.REPLACED)
        return connection

    def _find_log_fault(self, *, has_file: bool) -> str:
        """Why the log beside the file is not where its latest rows are; "" if it is.

        While others make the store, the file has another name for a moment, and its log comes after it.
        """
        has_log = _file_size(self.path + LOG_SUFFIX) > 0
        if has_log and not has_own_log(self.path):
            return sqlite_file.FOREIGN_LOG
        if has_file and sqlite_file.is_used_by_other_name(self.path):
            return sqlite_file.OTHER_LOG
        if has_file and not has_log and (log := sqlite_file.log_of_other_name(self.path, without_log(self.path))):
            return f"{sqlite_file.LOG_ELSEWHERE}: {log}"
        return ""

    def close(self) -> None:
        """Closes the connections."""
        self.opened_store.users.discard(self)  # before: a pool that connects just then may get a new log
        super().close()


class Datastore(SQLiteDatastore):
    """The library's datastore with our `Pool`. Opening it never creates a missing file, except in mode "rwc"."""

    def __init__(self, path: str, mode: str) -> None:
        uri = sqlite_uri(path, f"mode={mode}")
        super().__init__(uri, originator_id_type="text")
        self.pool: Pool = Pool(path, uri)
        # The library gives a file a write-ahead log unless this says that it has one. Only a new store needs that: the
        # file of another program keeps its journal mode.
        self.pool.is_journal_mode_wal = mode != "rwc"


class SQLiteRecorder(SQLiteApplicationRecorder):
    """The library's recorder, for a file that the first append creates; until then it reads as empty."""

    can_remove = True

    def __init__(self, path: str, mode: str) -> None:
        datastore = Datastore(path, mode)
        super().__init__(datastore)
        self.pool = datastore.pool
        self.path = path
        self.mode = mode
        # The time and size of the file when its mark was last set here: unless they change, the log is the same.
        self._marked_state: tuple[int, int] | None = None
        self._exists = False
        self._last_change_token: object = None
        self._has_projections_table = False
        # The streams in the table, whatever its index says, and the change token from just before they were read.
        self._streams: tuple[object, set[str]] | None = None

    def create(self) -> None:
        """Makes the file and its folder if there is none. Does nothing in read-only mode."""
        if self.mode == "rw" and not self.exists():
            make_store(self.path)

    def change_token(self) -> object:
        """A connection and its `data_version`, which SQLite changes when others write; None without a file."""
        if not self.exists():
            return None
        token = self._read(_data_version)
        if token != self._last_change_token:
            self.marks()  # a newer Zim may have written
            self._last_change_token = token
        return token

    def marks(self) -> Marks:
        """The marks of the store. Raises `NewerError`."""
        return self._read(_read_marks) if self.exists() else Marks()

    def insert_rows(self, rows: Sequence[tuple[str, *Row]], projections: Sequence[StoredProjection] = ()) -> None:
        """Stores rows, all or none. Raises `IntegrityError` if one of their revisions exists."""
        self.create()
        self._check_no_trigger()
        with self.datastore.transaction(commit=True) as cursor:
            _insert_rows(cursor, rows)
            _read_marks(cursor.sqlite_cursor.connection)
            if projections:
                if not self._has_projections_table:  # an old file has no table for them
                    cursor.execute(CREATE_PROJECTIONS)
                cursor.executemany(STORE_PROJECTIONS, projections)
            marked_state = self._check_commit(cursor)
        self._marked_state = marked_state
        self._has_projections_table = self._has_projections_table or bool(projections)
        if self._streams:
            self._streams[1].update(stream for stream, *_ in rows)

    def remove_streams(self, streams: Sequence[str], rows_to_store: Sequence[tuple[str, *Row]]) -> None:
        """Removes streams and stores rows, all or none. Raises `IntegrityError` if a row's revision exists."""
        self._check_no_trigger()
        with self.datastore.transaction(commit=True) as cursor:
            _insert_rows(cursor, rows_to_store)
            _read_marks(cursor.sqlite_cursor.connection)
            cursor.execute(CREATE_PROJECTIONS)
            cursor.execute(STORE_PROJECTIONS, format_row())
            for statement in DELETE_STREAM:
                cursor.executemany(statement, [(stream,) for stream in streams])
            marked_state = self._check_commit(cursor)
        self._marked_state = marked_state

    def _check_no_trigger(self) -> None:
        """Raises `OperationalError` if somebody has put a trigger into the file: it would run with each write."""
        for (name,) in self._fetch(SELECT_TRIGGER, ()):
            raise OperationalError(f"the file has a trigger, {name!r}, that would run with each write")

    def foreign_objects(self) -> Sequence[tuple[str, str]]:
        """The tables, indexes, views and triggers that are not a store's: their kind and name."""
        return self._fetch(SELECT_FOREIGN_OBJECTS, ())

    def _check_commit(self, cursor: SQLiteCursor) -> tuple[int, int]:
        """Checks that what is committed next will be found, and sets a new mark if a new log may begin.

        Call it with SQLite's write lock, so that no Zim replaces the file between this and the commit. Another program
        can, for the time of one commit. Returns the time and size of the file. Raises `OperationalError`.
        """
        stat = self._check_files()
        file_state = stat.st_mtime_ns, stat.st_size
        if file_state != self._marked_state:  # SQLite has written to the file: only then a log may begin anew
            self._check_log_and_names()
            mark = sqlite_file.read_mark(cursor.sqlite_cursor)
            sqlite_file.set_mark(cursor.sqlite_cursor, sqlite_file.next_mark(mark))
        return file_state

    def check_file(self) -> None:
        """Raises `OperationalError` unless the file is the one that was opened, with one name and a log of its own."""
        if self.pool.opened_store.users or self.exists():
            self._check_files()
            self._check_log_and_names()

    def _check_files(self) -> os.stat_result:
        try:
            stat = os.stat(self.path)
        except OSError as error:
            raise OperationalError(sqlite_file.REPLACED) from error
        found_files = StoreFiles((stat.st_dev, stat.st_ino), *find_log_files(self.path))
        if not self.pool.opened_store.is_same(found_files):
            raise OperationalError(sqlite_file.REPLACED)
        if stat.st_nlink > 1 and (fault := sqlite_file.find_name_fault(self.path)):
            raise OperationalError(fault)
        return stat

    def _check_log_and_names(self) -> None:
        fault = sqlite_file.find_name_fault(self.path) or sqlite_file.FOREIGN_LOG * (not has_own_log(self.path))
        if fault:
            raise OperationalError(fault)

    def compact(self) -> None:
        """Rewrites the file without removed rows, and empties the write-ahead log, which still has recent writes."""
        uri = sqlite_uri(self.path, f"mode={self.mode}")
        try:
            with closing(sqlite3.connect(uri, timeout=LOCK_TIMEOUT, isolation_level=None, uri=True)) as connection:
                connection.execute("VACUUM")
                is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise OperationalError(error) from error
        if is_busy:
            raise OperationalError(
                "what was removed is still in the write-ahead log: another reader has the file locked"
            )

    def select_projections(self, streams: Sequence[str]) -> Sequence[SelectedProjection]:
        """The projections of streams, each with the row that it belongs to and the last revision of the stream."""
        return self._fetch_projections(SELECT_PROJECTIONS, streams)

    def select_stored_projections(self, names: Sequence[str]) -> Sequence[StoredProjection]:
        """The rows of the table of projections under these names."""
        return self._fetch_projections(SELECT_STORED_PROJECTIONS, names)

    def _fetch_projections(self, statement: str, names: Sequence[str]) -> Sequence[Any]:
        try:
            return self._fetch(statement, (json.dumps(names),))
        except OperationalError as error:
            if "no such table" in str(error):
                return []
            raise

    def select_rows(self, stream: str, after: int, until: int | None) -> Sequence[Row]:
        """The rows of a stream after one revision, up to another. Four times as fast as the library's own method."""
        end_revision, last_revision = MAX_REVISION if until is None else until, after - 1
        while True:
            rows: Sequence[Row] = self._fetch(SELECT_ROWS, (stream, after, end_revision))
            previous_revision, last_revision = last_revision, rows[-1][0] if rows else after
            if last_revision >= end_revision:
                return rows
            index_end = self._index_end(stream, last_revision)
            if index_end.next_stream == stream and last_revision > previous_revision:
                continue  # another writer stored it just now
            if not index_end.is_doubtful(stream) or (index_end.has_nothing and self._is_absent(stream)):
                return rows
            return self._scan_rows(stream, after, end_revision, index_end)  # the index may miss rows

    def _is_absent(self, stream: str) -> bool:
        """Whether the table has no row of a stream: it is scanned once for all streams, until others write.

        Many new streams in alphabetical order, as from an export, all begin at the end of the index.
        """
        token = self.change_token()
        if self._streams is None or self._streams[0] != token:
            self._streams = token, {name for (name,) in self._fetch(SELECT_STREAMS[1], ())}
        return stream not in self._streams[1]

    def _scan_rows(self, stream: str, after: int, until: int, index_end: IndexEnd) -> Sequence[Row]:
        """The rows of a stream, without using the index. Raises `OperationalError` if its last rows are missing."""
        rows: Sequence[Row] = self._fetch(SCAN_ROWS, (stream, after, until))
        last_revision = rows[-1][0] if rows else after
        projected_revision = index_end.projected_revision
        if last_revision < min(projected_revision, until) and is_intact(
            (stream, projected_revision, index_end.content)
        ):
            raise OperationalError(
                f"stream {stream} is malformed: it ends at revision {last_revision}, and had {projected_revision}"
            )
        return rows

    def _index_end(self, stream: str, last_revision: int) -> IndexEnd:
        """What the index has after a revision of a stream, and where its projection says that it ends."""
        try:
            found_rows = self._fetch(SELECT_NEXT_AND_END, (stream, last_revision, stream))
            next_stream, next_revision, projected_revision, content = next(iter(found_rows), NOTHING_FOUND)
        except OperationalError as error:
            if "no such table: projections" not in str(error):
                raise
            found_rows = self._fetch(SELECT_NEXT, (stream, last_revision))
            next_stream, next_revision = next(iter(found_rows), NOTHING_FOUND[:2])
            projected_revision, content = NOTHING_FOUND[2:]
        if not (isinstance(projected_revision, int) and isinstance(content, bytes)):
            projected_revision, content = -1, b""
        return IndexEnd(next_stream, next_revision, last_revision, projected_revision, content)

    def select_last_row(self, stream: str) -> Row | None:
        """The last row of a stream."""
        last_row = next(iter(self._fetch(SELECT_LAST, (stream, -1, MAX_REVISION))), None)
        later_rows = self.select_rows(stream, last_row[0] if last_row else -1, None)
        return later_rows[-1] if later_rows else last_row

    def select_all_rows(self) -> Iterator[tuple[str, *Row]]:
        """The rows of all streams in the order in which they were stored, which is that of their rowids.

        Though read page by page, they are as of one moment, since writers come one after the other.
        """
        last_rowid = 0
        while page := self._fetch(SELECT_PAGE, (last_rowid, ROWS_PER_PAGE)):
            yield from ((stream, *row) for _, stream, *row in page)
            if page[-1][0] <= last_rowid:  # misplaced pages of a damaged file would repeat rows for ever
                raise OperationalError("the rows are malformed: their numbers do not increase")
            last_rowid = page[-1][0]

    def select_rows_of_streams(self, revisions_by_stream: Mapping[str, int]) -> Sequence[tuple[str, *Row]]:
        """The rows of streams, each after its own revision."""
        statement = " UNION ALL ".join([SELECT_AFTER] * len(revisions_by_stream))
        stored_rows = sorted(
            self._fetch(statement, [*chain.from_iterable(revisions_by_stream.items())]), key=itemgetter(0, 1)
        )
        last_revisions = {**revisions_by_stream, **{stream: revision for stream, revision, *_ in stored_rows}}
        doubtful_streams = [
            stream
            for stream in revisions_by_stream
            if self._index_end(stream, last_revisions[stream]).is_doubtful(stream)
        ]
        if doubtful_streams:  # rows stored meanwhile, or missing from the index
            stored_rows = [row for row in stored_rows if row[0] not in doubtful_streams]
            stored_rows += [
                (stream, *row)
                for stream in doubtful_streams
                for row in self.select_rows(stream, revisions_by_stream[stream], None)
            ]
        return stored_rows

    def _fetch(self, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        if not self.exists():
            return []
        # A single statement sees one state of the database, without a transaction around it.
        return self._read(lambda connection: _fetch_all(connection, statement, values))

    def _read(self, read: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        try:
            connection = self.pool.get_connection(is_writer=False)  # a context manager would cost more than some reads
            try:
                return read(connection.cursor().sqlite_cursor.connection)
            finally:
                self.pool.put_connection(connection)
        except sqlite3.Error as error:
            if not _cannot_write(error):
                raise OperationalError(error) from error
            return self._read_without_log(read, OperationalError(error))
        except OperationalError as error:
            if not _cannot_write(error.__cause__):
                raise
            return self._read_without_log(read, error)

    def _read_without_log(
        self, read: Callable[[sqlite3.Connection], ResultT], original_error: OperationalError
    ) -> ResultT:
        """Reads without a write-ahead log, when SQLite can't create one: the disk is full or read-only.

        That is safe only while no program writes to the file. A writer has a log next to the file, and one that came
        and went has changed the file: in both cases the result is not used and `original_error` is raised.
        """
        state_before = self._file_state()
        if state_before is None:
            raise original_error
        try:
            with closing(sqlite3.connect(without_log(self.path), uri=True)) as connection:
                _read_marks(connection)
                result = read(connection)
        except sqlite3.Error as error:
            raise OperationalError(error) from error
        if self._file_state() != state_before:
            raise original_error
        return result

    def _file_state(self) -> tuple[int, ...] | None:
        """The file's inode, size and time of change; None if there is, or may be, a write-ahead log with content.

        A file with several hard links may have its log next to any of them.
        """
        stat = os.stat(self.path)
        if _file_size(self.path + LOG_SUFFIX) or stat.st_nlink > 1:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    def select_streams(self) -> set[str]:
        """The names of all streams, from the index and from the table, since either may be damaged."""
        streams: set[str] = set()
        errors: list[OperationalError] = []
        for statement in SELECT_STREAMS:
            try:
                streams.update(stream for (stream,) in self._fetch(statement, ()) if isinstance(stream, str))
            except OperationalError as error:
                errors.append(error)
        if len(errors) == len(SELECT_STREAMS):
            raise errors[0]
        return streams

    def copy_to(self, path: Path) -> bool:
        """Copies the database into a file, as of one moment, while others may write."""
        if not self.exists():
            make_store(str(path))
            return True
        create_private(path)
        with closing(sqlite3.connect(path)) as copy:
            self._read(lambda connection: connection.backup(copy))
            sqlite_file.set_mark(copy, sqlite_file.random_mark())
        return True

    def find_fault(self) -> str:
        """The first fault that SQLite's own check finds ("" for none). No digest shows rows missing from the index."""
        for (fault,) in self._fetch("PRAGMA integrity_check(1)", ()):
            return "" if fault == "ok" else str(fault)
        return ""

    def exists(self) -> bool:
        """Whether there is a file with content."""
        self._exists = self._exists or _file_size(self.path) > 0
        return self._exists

    def close(self) -> None:
        """Closes the connections."""
        self.datastore.close()
        if self.mode == "ro" and not self.pool.opened_store.users:
            sqlite_file.remove_empty_log(self.path)


def _file_size(path: str) -> int:
    """The size of a file in bytes; 0 if there is none."""
    try:
        return os.stat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _fetch_all(connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> Sequence[Any]:
    # Closed at once: after a row that can't be read, an open cursor would hold the connection at an old state.
    with closing(connection.cursor()) as cursor:
        cursor.row_factory = None
        return cursor.execute(statement, values).fetchall()


def _data_version(connection: sqlite3.Connection) -> tuple[sqlite3.Connection, int]:
    return connection, connection.execute("PRAGMA data_version").fetchone()[0]


def _read_marks(connection: sqlite3.Connection) -> Marks:
    """The marks of a store. Raises `NewerError`."""
    try:
        rows = _fetch_all(connection, SELECT_MARKS, MARK_NAMES)
    except sqlite3.Error:  # an old file has no such table; any other error comes again with the next statement
        rows = ()
    return checked_marks(rows)


def _insert_rows(cursor: SQLiteCursor, rows: Sequence[tuple[str, *Row]]) -> None:
    """Inserts rows. Raises `IntegrityError` if there is no row before them: the stream was removed meanwhile.

    The rows are read back in the same transaction, since a trigger that was made meanwhile may drop or alter them.
    """
    cursor.executemany(INSERT_ROW, rows)
    rows_by_stream: dict[str, list[Row]] = {}
    for stream, revision, topic, content in rows:
        rows_by_stream.setdefault(stream, []).append((revision, topic, content))
    # Read after writing: a transaction that reads first fails, without waiting, when it meets another writer.
    for stream, stream_rows in rows_by_stream.items():
        first_revision = stream_rows[0][0]
        cursor.execute(SELECT_ROWS, (stream, first_revision - 2, stream_rows[-1][0]))
        written_rows = [tuple(row) for row in cursor.fetchall()]
        if written_rows[-len(stream_rows) :] != stream_rows:
            raise OperationalError("the database did not store all that was written")
        if first_revision and len(written_rows) == len(stream_rows):
            raise IntegrityError(f"stream {stream} has no row before {first_revision}")


def _cannot_write(error: BaseException | None) -> bool:
    """Whether a statement failed because SQLite could not write its log, which it needs even for reading."""
    error_code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return error_code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)


def open_recorder(path: str) -> SQLiteRecorder:
    """The recorder for a file: `games.zim`, or `games.zim?mode=ro` to never write to it. Raises `StoreError`.

    A symbolic link is resolved here, since SQLite keeps its log next to the target; so is `~/`, as in a shell.
    """
    file, _, mode = path.partition("?mode=")
    if mode not in ("", "ro") or path.endswith("?mode="):
        raise StoreError(f"can't open the store sqlite:///{path}", "only mode=ro is supported", (f"sqlite:///{file}",))
    file = os.path.expanduser(file) if file.startswith("~/") else file
    target = os.path.realpath(file)
    if os.path.islink(file) and not os.path.exists(target):  # an empty store would hide that a disk is missing
        raise StoreError(f"can't open the store sqlite:///{path}", f"it is a link to {target}, which is not there")
    return SQLiteRecorder(target, "ro" if mode else "rw")


def sqlite_uri(path: str, parameters: str) -> str:
    """The URI for SQLite of a file, with parameters that say how to open it.

    >>> sqlite_uri("/games/100% #1?.db", "mode=ro")
    'file:///games/100%25 %231%3f.db?mode=ro'
    """
    absolute_path = os.path.abspath(path)
    return "file://" + absolute_path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + f"?{parameters}"


def has_own_log(path: str) -> bool:
    """Whether the write-ahead log beside a file is its own, or has nothing in it."""
    return sqlite_file.has_own_log(path, without_log(path))


def without_log(path: str) -> str:
    """The URI for SQLite that opens a file without its log."""
    return sqlite_uri(path, "immutable=1")


def make_store(path: str) -> None:
    """Makes an empty store. The file gets its name when it is complete, so other programs never see half a store.

    If the file exists it is empty; it gets its table in one step, and then its write-ahead log.
    """
    import tempfile  # needed only when a store is made

    folder, name = os.path.split(os.path.abspath(path))
    has_log = _file_size(path + LOG_SUFFIX) > 0  # looked up first: another program may make both just now
    if os.path.exists(path):
        create_table_in(path, "rw")
        create_table_in(path, "rwc")
        return
    if has_log:
        raise OperationalError(sqlite_file.LOG_ALONE)
    make_folder(folder)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-store-") as new_folder:
        new_file = os.path.join(new_folder, name)
        create_private(new_file)
        create_table_in(new_file, "rwc")
        with suppress(FileExistsError):  # another program made the same store first
            give_name(new_file, path)
        flush(folder)


def make_folder(folder: str) -> None:
    """Makes a folder and its parents, for their owner only. Each one is flushed before anything is put into it."""
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    make_folder(parent)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    flush(parent)


def create_table_in(path: str, mode: str) -> None:
    """Makes the table of a store in a file."""
    recorder = SQLiteRecorder(path, mode)
    with recorder.datastore.transaction(commit=True) as cursor:
        recorder._create_table(cursor)
        if not (mark := sqlite_file.read_mark(cursor.sqlite_cursor)):  # else another program made the table meanwhile
            sqlite_file.set_mark(cursor.sqlite_cursor, sqlite_file.next_mark(mark))
    recorder.close()
