"""A store in memory, for tests, trials and demonstrations. It is lost when the process ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from eventsourcing.persistence import StoredEvent
from eventsourcing.popo import POPOApplicationRecorder

from event_store.chain import Row
from event_store.marks import MARK_NAMES, Marks, checked_marks
from event_store.projections import StoredProjection

if TYPE_CHECKING:
    from pathlib import Path


class MemoryRecorder(POPOApplicationRecorder):
    """The library's recorder of plain Python objects."""

    can_remove = False

    def create(self) -> None:
        """Does nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._projections_by_stream: dict[str, tuple[int, bytes]] = {}

    def exists(self) -> bool:
        """Always true."""
        return True

    def marks(self) -> Marks:
        """The marks of the store. Raises `NewerError`."""
        return checked_marks(
            (name, *self._projections_by_stream[name]) for name in MARK_NAMES if name in self._projections_by_stream
        )

    def change_token(self) -> object:
        """Always the same, as no other process can write."""
        self.marks()
        return True

    def insert_rows(self, rows: Sequence[tuple[str, *Row]], projections: Sequence[StoredProjection] = ()) -> None:
        """Stores rows, all or none. Raises `IntegrityError` if one of their revisions exists."""
        self.insert_events([StoredEvent(*row) for row in rows])
        for stream, revision, content in projections:
            stored_revision, _ = self._projections_by_stream.get(stream, (-1, b""))
            if revision >= stored_revision:
                self._projections_by_stream[stream] = revision, content

    def select_projections(self, streams: Sequence[str]) -> Iterator[tuple[str, int, str, bytes, bytes, int]]:
        """The projections of streams, each with the row that it belongs to and the last revision of the stream."""
        for stream in streams:
            if stream in self._projections_by_stream:
                revision, content = self._projections_by_stream[stream]
                last_row = self.select_last_row(stream)
                for stored_event in self.select_events(stream, gt=revision - 1, lte=revision, limit=1):
                    yield stream, *row_of(stored_event), content, last_row[0] if last_row else -1

    def select_stored_projections(self, names: Sequence[str]) -> Sequence[StoredProjection]:
        """The rows of the table of projections under these names."""
        stored_projections = self._projections_by_stream
        return [(name, *stored_projections[name]) for name in names if name in stored_projections]

    def select_rows(self, stream: str, after: int, until: int | None) -> Sequence[Row]:
        """The rows of a stream after one revision, up to another."""
        return [row_of(stored_event) for stored_event in self.select_events(stream, gt=after, lte=until)]

    def select_rows_of_streams(self, revisions_by_stream: Mapping[str, int]) -> Iterator[tuple[str, *Row]]:
        """The rows of streams, each after its own revision.

        The library scans a whole stream for them. Usually there are none, so the last row is looked at first.
        """
        changed_streams = (
            (stream, revision)
            for stream, revision in revisions_by_stream.items()
            if (self.select_last_row(stream) or (-1,))[0] > revision
        )
        return (
            (stream, *row) for stream, revision in changed_streams for row in self.select_rows(stream, revision, None)
        )

    def select_all_rows(self) -> Iterator[tuple[str, *Row]]:
        """The rows of all streams in the order in which they were stored."""
        return ((str(each.originator_id), *row_of(each)) for each in list(self._stored_events))

    def select_last_row(self, stream: str) -> Row | None:
        """The last row of a stream."""
        stored_events = self.select_events(stream, desc=True, limit=1)
        return row_of(stored_events[0]) if stored_events else None

    def select_streams(self) -> set[str]:
        """The names of all streams."""
        return {stream for stream, *_ in self.select_all_rows()}

    def remove_streams(self, streams: Sequence[str], rows_to_store: Sequence[tuple[str, *Row]]) -> None:
        """Not supported."""
        raise NotImplementedError

    def compact(self) -> None:
        """Does nothing: rows are never removed."""

    def copy_to(self, path: Path) -> bool:
        """Always false: there is no file to copy."""
        del path
        return False

    def check_file(self) -> None:
        """Does nothing: there is no file here."""

    def find_fault(self) -> str:
        """Always "": there is nothing to check."""
        return ""

    def close(self) -> None:
        """Does nothing."""


def row_of(stored_event: StoredEvent) -> Row:
    """The row of a stored event."""
    return stored_event.originator_version, stored_event.topic, stored_event.state
