"""Reads and writes rows by a `Recorder`, and turns the errors of the `eventsourcing` library into `StoreError`s."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol, TypeAlias

from eventsourcing.persistence import ConnectionPoolClosedError, IntegrityError, PersistenceError

from event_store.chain import Row, has_revision, unreadable_row_error
from event_store.disk import DISK_FULL, DISK_FULL_HINT, is_disk_full
from event_store.errors import DamagedError, DiskFullError, StoreError
from event_store.marks import FORMAT, Marks, Unfinished, format_row, unfinished_row
from event_store.projections import StoredProjection

if TYPE_CHECKING:
    from pathlib import Path

StoredRow: TypeAlias = tuple[str, int, str, bytes]
"""A stored row with its stream: stream, revision, topic, bytes."""

OTHER_STORE_HINT = "zim --store sqlite:///PATH ..."
READ_ONLY_FOLDER = "the folder can't be written to, and an open store has two small files beside it"
HINTS_BY_MESSAGE = {
    "locked": "another program is writing to it: try again",
    "readonly": "the file and its folder must be writable: SQLite keeps two small files next to an open store",
    "full": DISK_FULL_HINT,
    "not a database": "the file is not a store: name another one",
    "no such table": "the database belongs to another program: name another file",
    "while it was open": "stop the programs that use it, then type: zim --store {url} db restore FILE",
    "log of another name": "move that log beside it, if no program uses it: mv LOG {file}-wal",
    "several names": "keep one name: find / -xdev -samefile {file}",
    "by another name": "name the file as that program does, or stop it: fuser -v {file}",
    "mounted by itself": "mount its folder instead",
    "belongs to another file": "move the log away, then check the file: mv {file}-wal {file}-wal.old",
    "file is missing": "put the file back, or a copy in its place: zim --store {url} db restore FILE",
    "has a trigger": "copy the games to a new store: zim --store {url} db salvage sqlite:///NEW.db --open",
    READ_ONLY_FOLDER: OTHER_STORE_HINT,
    "Read-only file system": OTHER_STORE_HINT,
    "unable to open": "does the folder exist, and may you read it?",
    "Permission denied": "you may not read or write there: name another file",
    "42P01": "make the tables: zim --store {url} db init",
    "3F000": "make the tables: zim --store {url} db init",
    "42501": "you may not do that: ask the database's administrator",
    "55P03": "another program is writing to it: try again",
    "couldn't get a connection": "the database server is busy: try again",
    "Connection refused": "is a database server running at this address?",
}
"""Hints on what to do next, by a part of the database's message or by PostgreSQL's error code (SQLSTATE)."""

DAMAGE_MESSAGES = ("malformed", "decode to UTF-8", "XX001", "XX002")
"""Parts of messages, and error codes, that mean damaged data."""

DAMAGED_HINTS = ("export --jsonl games.jsonl", "zim --store sqlite:///NEW.db import games.jsonl")
"""Hints for a damaged index: export the games, which reads no index, and import them into a new store."""


class Recorder(Protocol):
    """What a store needs of a recorder: rows as plain tuples, without the library's objects."""

    can_remove: bool
    """Whether rows can be removed: not from PostgreSQL, as other programs may use the database too."""

    def create(self) -> None:
        """Makes the file or the tables if there are none."""
        ...

    def exists(self) -> bool:
        """Whether there is a file with content; always true for other databases, where a read fails instead."""
        ...

    def marks(self) -> Marks:
        """The marks of the store. Raises `NewerError`, as every read and write does, if a newer Zim must be used."""
        ...

    def change_token(self) -> object:
        """A value that changes when others write, not when this recorder does; None if the database has none."""
        ...

    def insert_rows(self, rows: Sequence[StoredRow], projections: Sequence[StoredProjection] = ()) -> None:
        """Stores rows and projections, all or none. Raises `IntegrityError` if a row with one of the revisions exists.

        A projection replaces an earlier one, never a later one.
        """
        ...

    def select_projections(self, streams: Sequence[str]) -> Iterable[tuple[str, int, str, bytes, bytes, int]]:
        """The projections of streams: (stream, revision, topic, bytes, content, last revision of the stream).

        Revision, topic and bytes are those of the row at which the projection was made.
        """
        ...

    def select_stored_projections(self, names: Sequence[str]) -> Sequence[StoredProjection]:
        """The rows of the table of projections under these names, also if there are no such streams."""
        ...

    def select_rows(self, stream: str, after: int, until: int | None) -> Sequence[Row]:
        """The rows of a stream after revision `after`, up to and including `until` (None: to the end), in order."""
        ...

    def select_rows_of_streams(self, revisions_by_stream: Mapping[str, int]) -> Iterable[StoredRow]:
        """The rows of streams, each after its own revision, in order."""
        ...

    def select_last_row(self, stream: str) -> Row | None:
        """The last row of a stream."""
        ...

    def select_all_rows(self) -> Iterable[StoredRow]:
        """The rows of all streams, as of one moment; those of each stream are in order."""
        ...

    def select_streams(self) -> Iterable[str]:
        """The names of all streams."""
        ...

    def remove_streams(self, streams: Sequence[str], rows_to_store: Sequence[StoredRow]) -> None:
        """Removes streams and stores the rows that note it, all or none. Raises as `insert_rows` does."""
        ...

    def compact(self) -> None:
        """Erases the bytes of removed rows from the file."""
        ...

    def copy_to(self, path: Path) -> bool:
        """Copies the database into a file, as of one moment; false if the database can't do that."""
        ...

    def check_file(self) -> None:
        """Raises `PersistenceError` if what is written would not be found: the file was replaced, or has two names."""
        ...

    def find_fault(self) -> str:
        """Runs the database's own check and returns the first fault; "" if it finds none."""
        ...

    def close(self) -> None:
        """Closes the connections."""
        ...


class _ErrorTranslator:
    """Turns the library's errors into ours. A generator-based context manager would cost more than some reads."""

    def __init__(self, backend: Backend, action: str) -> None:
        self.backend = backend
        self.action = action

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, ConnectionPoolClosedError):
            raise StoreError(f"the store {self.backend.url} is closed", "open it again") from error
        # A damaged row raises UnicodeError (a name is not text) or TypeError (a revision is not a number).
        if isinstance(error, (PersistenceError, OSError, UnicodeError)) or (
            isinstance(error, TypeError) and self.action == "read"
        ):
            raise self.backend.as_store_error(self.action, error) from error


class Backend:
    """Reads and writes the rows of streams. Every method but `close` raises `StoreError` if the database fails."""

    def __init__(self, recorder: Recorder, url: str) -> None:
        self.recorder = recorder
        self.url = url

    def close(self) -> None:
        """Closes the connections."""
        self.recorder.close()

    def create(self) -> None:
        """Makes the file or the tables if there are none."""
        with self._translate_errors("set up"):
            self.recorder.create()
            self.recorder.marks()

    def exists(self) -> bool:
        """Whether the store exists, as far as the recorder can say."""
        with self._translate_errors("read"):
            return self.recorder.exists()

    def check_database(self) -> None:
        """Runs the database's own check of its index and pages. Raises `DamagedError`."""
        with self._translate_errors("read"):
            fault = self.recorder.find_fault()
        if fault:
            raise DamagedError(f"the store {self.url} is damaged", fault, DAMAGED_HINTS)

    def check_file(self) -> None:
        """Raises `StoreError` if what is written would not be found: the file was replaced, or has two names."""
        with self._translate_errors("write to"):
            self.recorder.check_file()

    def change_token(self) -> object:
        """A value that changes when others write, not when this store does; None if the database has none."""
        with self._translate_errors("read"):
            return self.recorder.change_token()

    def rows(self, stream: str, after: int, until: int | None) -> Sequence[Row]:
        """The rows of a stream after revision `after`, up to and including `until` (None: to the end)."""
        with self._translate_errors("read"):
            rows = self.recorder.select_rows(stream, after, until)
        if not {*map(type, map(itemgetter(0), rows))} <= {int}:  # fast, since it runs for every row read
            raise unreadable_row_error(stream, next(filterfalse(has_revision, rows)))
        return rows

    def rows_of_streams(self, revisions_by_stream: Mapping[str, int]) -> dict[str, list[Row]]:
        """The rows of streams, each after its own revision, in order."""
        rows_by_stream: dict[str, list[Row]] = {stream: [] for stream in revisions_by_stream}
        with self._translate_errors("read"):
            for stream, revision, topic, content in self.recorder.select_rows_of_streams(revisions_by_stream):
                if stream not in rows_by_stream:
                    raise DamagedError(
                        f"the store {self.url} is damaged", "the rows found belong to another stream", DAMAGED_HINTS
                    )
                if not has_revision(row := (revision, topic, content)):
                    raise unreadable_row_error(stream, row)
                rows_by_stream[stream].append(row)
        return rows_by_stream

    def last_row(self, stream: str) -> Row | None:
        """The last row of a stream."""
        with self._translate_errors("read"):
            return self.recorder.select_last_row(stream)

    def all_rows(self) -> Iterator[tuple[str, Row]]:
        """All rows with their streams, as of one moment; those of each stream are in order."""
        with self._translate_errors("read"):
            self.recorder.marks()
            for stream, revision, topic, content in self.recorder.select_all_rows():
                yield stream, (revision, topic, content)

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        with self._translate_errors("read"):
            self.recorder.marks()
            return sorted(self.recorder.select_streams())

    def copy_to(self, path: Path) -> bool:
        """Copies the database into a file; false if the database can't do that."""
        with self._translate_errors("copy"):
            return self.recorder.copy_to(path)

    def projections(self, streams: Sequence[str]) -> Iterator[tuple[str, Row, bytes, int]]:
        """The projections of streams: (stream, row at which it was made, content, last revision of the stream)."""
        with self._translate_errors("read"):
            for stream, revision, topic, content, projection_bytes, last_revision in self.recorder.select_projections(
                streams
            ):
                yield stream, (revision, topic, content), projection_bytes, last_revision

    def stored_projections(self, names: Sequence[str]) -> Sequence[StoredProjection]:
        """The rows of the table of projections under these names, also if there are no such streams."""
        with self._translate_errors("read"):
            return self.recorder.select_stored_projections(names)

    def unfinished(self) -> Unfinished | None:
        """The work that has not come to its end in this store, if any."""
        with self._translate_errors("read"):
            return self.recorder.marks().unfinished

    def mark_unfinished(self, unfinished: Unfinished | None) -> None:
        """Marks the store as unfinished; with None, as finished. A store without a table for it gets no mark."""
        with self._translate_errors("write to"):
            self.recorder.marks()
            self.recorder.insert_rows([], [unfinished_row(unfinished)])

    def raise_format(self) -> None:
        """Marks an older store with today's format number."""
        with self._translate_errors("write to"):
            if self.recorder.marks().format < FORMAT:
                self.recorder.insert_rows([], [format_row()])

    def insert_rows(self, rows: Sequence[StoredRow], projections: Sequence[StoredProjection] = ()) -> bool:
        """Stores rows, all or none; false if another writer has stored one of these revisions.

        The first rows mark an older store with today's format number. Projections alone leave such a store as it is:
        they are stored when it is only read.
        """
        with self._translate_errors("write to"):
            if self.recorder.marks().format < FORMAT:
                if not rows:
                    return True
                projections = [*projections, format_row()]
            try:
                self.recorder.insert_rows(rows, projections)
            except IntegrityError:
                return False
        return True

    @property
    def can_remove(self) -> bool:
        """Whether streams can be removed."""
        return self.recorder.can_remove

    def remove_streams(self, streams: Sequence[str], rows_to_store: Sequence[StoredRow]) -> bool:
        """Removes streams and stores the rows that note it, all or none; false if one of these revisions is taken."""
        with self._translate_errors("write to"):
            try:
                self.recorder.remove_streams(streams, rows_to_store)
            except IntegrityError:
                return False
        return True

    def compact(self) -> None:
        """Erases the bytes of removed rows from the file."""
        with self._translate_errors("write to"):
            self.recorder.compact()

    def _translate_errors(self, action: str) -> _ErrorTranslator:
        return _ErrorTranslator(self, action)

    def as_store_error(self, action: str, error: Exception) -> StoreError:
        """Translates an error of the library: to `DamagedError` for damaged data, otherwise to `StoreError`."""
        file = self.url.removeprefix("sqlite:///").partition("?mode=")[0]
        folder = os.path.dirname(os.path.abspath(file))
        message = DISK_FULL if is_disk_full(error, folder) else getattr(error, "strerror", None) or str(error)
        if "unable to open" in message and os.path.isdir(folder) and not os.access(folder, os.W_OK):
            message = READ_ONLY_FOLDER
        error_text = f"{getattr(error.__cause__, 'sqlstate', None)} {message}"
        is_damage = isinstance(error, (UnicodeError, TypeError)) or any(part in error_text for part in DAMAGE_MESSAGES)
        error_class = DamagedError if is_damage else DiskFullError if message == DISK_FULL else StoreError
        names = {"url": self.url, "file": shlex.quote(file)}
        hints = [hint.format(**names) for part, hint in HINTS_BY_MESSAGE.items() if part in error_text]
        return error_class(f"can't {action} the store {self.url}", message.partition("\n")[0], hints)
