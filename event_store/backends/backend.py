"""Wraps one recorder of the library, and turns its errors into ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol, TypeAlias

from eventsourcing.persistence import IntegrityError, PersistenceError

from event_store.chain import Row, is_numbered, unnumbered_row_error
from event_store.errors import DamagedError, StoreError
from event_store.projections import Beside

if TYPE_CHECKING:
    from pathlib import Path

StoredRow: TypeAlias = tuple[str, int, str, bytes]
"""Stream, revision, topic, bytes."""

HINTS = {
    "locked": "another program is writing to it: try again",
    "readonly": "the file and its folder must be writable: SQLite keeps two small files beside an open store",
    "full": "free some space, then try again: nothing was lost",
    "not a database": "the file is not a store: name another one",
    "no such table": "the database belongs to another program: name another file",
    "unable to open": "does the folder exist, and may you read it?",
    "Permission denied": "you may not read or write there: name another file",
    "42P01": "make the tables: zim --store {url} db init",
    "3F000": "make the tables: zim --store {url} db init",
    "42501": "you may not do that: ask the server's administrator",
    "55P03": "another program is writing to it: try again",
    "53100": "free some space on the server, then try again: nothing was lost",
    "couldn't get a connection": "the server is busy: try again",
    "Connection refused": "is the server running at this address?",
}
"""What to do next, by a part of the database's message, or by PostgreSQL's code of the error."""

SPOILT = ("malformed", "decode to UTF-8", "XX001", "XX002")
"""Parts of messages, and codes, which say that what is stored there is damaged."""

DAMAGED = ("export --jsonl games.jsonl", "import that into a new store")
"""What often helps: an export needs no index."""


class Recorder(Protocol):
    """What a store asks of a recorder of the library: rows, without objects around them."""

    can_remove: bool
    """Whether it can remove rows: one that others use too keeps all."""

    def create(self) -> None:
        """Makes the file or the tables where there are none."""
        ...

    def is_there(self) -> bool:
        """Whether there is a file with anything in it; of what is no file a read finds out."""
        ...

    def version(self) -> object:
        """Equal to the last one if only this recorder has written since; None if the database can't say."""
        ...

    def insert_rows(self, rows: Sequence[StoredRow], beside: Sequence[Beside] = ()) -> None:
        """Stores rows and projections, all or none. Raises `IntegrityError` when one of the rows is already there.

        A projection is never put in the place of a later one.
        """
        ...

    def select_projections(self, streams: Sequence[str]) -> Iterable[tuple[str, int, str, bytes, bytes, int]]:
        """The projections of streams, each with the row that it is of, and the last revision there is."""
        ...

    def select_rows(self, stream: str, gt: int, lte: int | None) -> Sequence[Row]:
        """The rows of a stream after one revision, up to another, in order."""
        ...

    def select_several(self, after: Mapping[str, int]) -> Iterable[StoredRow]:
        """The rows of streams, each after its own revision, in order."""
        ...

    def select_last(self, stream: str) -> Row | None:
        """The last row of a stream."""
        ...

    def select_all(self) -> Iterable[StoredRow]:
        """The rows of all streams as they stand at one moment; those of each stream are in order."""
        ...

    def select_streams(self) -> Iterable[str]:
        """The names of all streams."""
        ...

    def remove_streams(self, streams: Sequence[str], rows: Sequence[StoredRow]) -> None:
        """Removes streams and stores rows, all or none. Raises `IntegrityError` as `insert_rows` does."""
        ...

    def compact(self) -> None:
        """Takes the bytes of what was removed out of the file."""
        ...

    def copy_to(self, path: Path) -> bool:
        """Copies the database into a file, as it stands at one moment; false where it can't do that itself."""
        ...

    def check(self) -> str:
        """What the database itself finds to be damaged, as far as it can tell; empty if nothing."""
        ...

    def close(self) -> None:
        """Closes the connections."""
        ...


class _Errors:
    """Tells the errors of the library as ours; no generator, as that costs more than some of what it guards."""

    def __init__(self, backend: Backend, doing: str) -> None:
        self.backend = backend
        self.doing = doing

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        # The last two where a row is damaged: a name that is no text, a revision that is no number.
        if isinstance(error, (PersistenceError, OSError, UnicodeError)) or (
            isinstance(error, TypeError) and self.doing == "read"
        ):
            raise self.backend.as_store_error(self.doing, error) from error


class Backend:
    """Rows of streams. Every method but `close` raises `StoreError` when the database can't do it."""

    def __init__(self, recorder: Recorder, url: str) -> None:
        self.recorder = recorder
        self.url = url

    def close(self) -> None:
        """Closes the connections."""
        self.recorder.close()

    def create(self) -> None:
        """Makes the file or the tables where there are none."""
        with self._errors("set up"):
            self.recorder.create()

    def is_there(self) -> bool:
        """Whether there is anything that could be read."""
        with self._errors("read"):
            return self.recorder.is_there()

    def check(self) -> None:
        """Lets the database look at itself: its index, its pages. Raises `DamagedError`."""
        with self._errors("read"):
            found = self.recorder.check()
        if found:
            raise DamagedError(f"the store {self.url} is damaged", found, DAMAGED)

    def version(self) -> object:
        """Equal to the last one if only this store has written since; None if the database can't say."""
        with self._errors("read"):
            return self.recorder.version()

    def rows(self, stream: str, after: int, until: int | None) -> Sequence[Row]:
        """The rows after one revision, up to another."""
        with self._errors("read"):
            rows = self.recorder.select_rows(stream, after, until)
        if not {*map(type, map(itemgetter(0), rows))} <= {int}:  # all at once: every row that is read comes by here
            raise unnumbered_row_error(stream, next(filterfalse(is_numbered, rows)))
        return rows

    def several(self, after: Mapping[str, int]) -> dict[str, list[Row]]:
        """The rows of streams, each after its own revision, in order."""
        found: dict[str, list[Row]] = {stream: [] for stream in after}
        with self._errors("read"):
            for stream, revision, topic, content in self.recorder.select_several(after):
                if stream not in found:
                    raise DamagedError(
                        f"the store {self.url} is damaged", "the rows found belong to another stream", DAMAGED
                    )
                if not is_numbered(row := (revision, topic, content)):
                    raise unnumbered_row_error(stream, row)
                found[stream].append(row)
        return found

    def last(self, stream: str) -> Row | None:
        """The last row of a stream."""
        with self._errors("read"):
            return self.recorder.select_last(stream)

    def all_rows(self) -> Iterator[tuple[str, Row]]:
        """All rows as they stand at one moment, each with its stream; those of each stream are in order."""
        with self._errors("read"):
            for stream, revision, topic, content in self.recorder.select_all():
                yield stream, (revision, topic, content)

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        with self._errors("read"):
            return sorted(self.recorder.select_streams())

    def copy_to(self, path: Path) -> bool:
        """Copies the database into a file; false where it can't do that itself."""
        with self._errors("copy"):
            return self.recorder.copy_to(path)

    def projections(self, streams: Sequence[str]) -> Iterator[tuple[str, Row, bytes, int]]:
        """The projections of streams: each with the row that it is of, its bytes, and the last revision there is."""
        with self._errors("read"):
            for stream, revision, topic, state, content, last in self.recorder.select_projections(streams):
                yield stream, (revision, topic, state), content, last

    def insert(self, rows: Sequence[StoredRow], beside: Sequence[Beside] = ()) -> bool:
        """Stores rows, all or none; false if another writer has stored one of these revisions."""
        with self._errors("write to"):
            try:
                self.recorder.insert_rows(rows, beside)
            except IntegrityError:
                return False
        return True

    @property
    def can_remove(self) -> bool:
        """Whether streams can be removed from it."""
        return self.recorder.can_remove

    def remove(self, streams: Sequence[str], rows: Sequence[StoredRow]) -> bool:
        """Removes streams and stores rows, all or none; false if another writer has stored one of these revisions."""
        with self._errors("write to"):
            try:
                self.recorder.remove_streams(streams, rows)
            except IntegrityError:
                return False
        return True

    def compact(self) -> None:
        """Takes the bytes of what was removed out of the file."""
        with self._errors("write to"):
            self.recorder.compact()

    def _errors(self, doing: str) -> _Errors:
        return _Errors(self, doing)

    def as_store_error(self, doing: str, error: Exception) -> StoreError:
        """An error of the library as ours."""
        message = str(error)
        known = f"{getattr(error.__cause__, 'sqlstate', None)} {message}"
        spoilt = isinstance(error, (UnicodeError, TypeError)) or any(part in known for part in SPOILT)
        kind = DamagedError if spoilt else StoreError
        hints = [hint.format(url=self.url) for part, hint in HINTS.items() if part in known]
        return kind(f"can't {doing} the store {self.url}", message.partition("\n")[0], hints)
