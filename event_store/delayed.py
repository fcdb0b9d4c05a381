"""A store as it was a while ago, for spectators who watch with a delay: newer entries can't be found in it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar

from event_store.chain import Entry
from event_store.errors import StoreError
from event_store.projections import Projection
from event_store.store import EventStore


class DelayedStore(EventStore):
    """A read-only store that hides the last `commit_count` commits of each stream, and entries newer than `min_age`.

    Each stream is cut at the first entry to leave out, so it reads as it once was. A first entry that is a commit
    always stays, since without it there is no line. Streams of the `undelayed_kinds` are complete. There are no
    projections, since they show the present.
    """

    shows_all: ClassVar[bool] = False

    def __init__(
        self,
        store: EventStore,
        clock: Callable[[], datetime],
        *,
        commit_count: int,
        min_age: timedelta,
        undelayed_kinds: Container[str],
    ) -> None:
        super().__init__(store._backend, store.full_url)
        self.codec = store.codec
        self._clock = clock
        self._commit_count, self._min_age, self._undelayed_kinds = commit_count, min_age, undelayed_kinds

    def read(self, stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        """The entries of a stream after one revision, up to another, as far as they are old enough."""
        entries = self._old_entries([*super().read(stream, after)], after)
        return iter([entry for entry in entries if until is None or entry.revision <= until])

    def read_streams(self, revisions_by_stream: Mapping[str, int]) -> dict[str, Iterator[Entry]]:
        """The entries of several streams, each after its own revision, as far as they are old enough."""
        entries_by_stream = super().read_streams(revisions_by_stream)
        return {
            stream: iter(self._old_entries([*entries], revisions_by_stream[stream]))
            for stream, entries in entries_by_stream.items()
        }

    def _old_entries(self, entries: list[Entry], after: int) -> list[Entry]:
        if not entries or entries[0].rows[0][1].partition(".")[0] in self._undelayed_kinds:
            return entries
        end = len(entries)
        if self._commit_count:
            commit_indexes = [index for index, entry in enumerate(entries) if entry.is_commit]
            end = commit_indexes[-self._commit_count] if len(commit_indexes) >= self._commit_count else 0
        if self._min_age:
            latest_time = self._clock() - self._min_age
            end = min(end, next((index for index, entry in enumerate(entries) if entry.seal.at > latest_time), end))
        return entries[: max(end, after < 0 and entries[0].is_commit)]

    def projections(self, streams: Iterable[str]) -> dict[str, Projection]:
        """Always empty."""
        return {}

    def store_projections(self, projections: Iterable[tuple[str, int, bytes, bytes]]) -> None:
        """Stores nothing: other readers would take a delayed projection for a current one."""

    def _insert_entries(self, *_: Any) -> bool:
        raise StoreError("this store is read-only", "it shows the store as it was a while ago")
