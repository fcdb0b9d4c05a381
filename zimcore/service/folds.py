"""Folds: what the events of a stream add up to, so far.

Names, discussions and leagues differ in their events, and share how entries are read, applied and found again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from event_store import Entry, EventStore, SealsBound
from event_store.errors import damaged_error
from zimcore.game import Event, GameError
from zimcore.service.idempotency import IdempotencyKey, check_same_write

FoldEvent = TypeVar("FoldEvent", bound=Event)
"""The events of a stream."""


class Fold(msgspec.Struct, Generic[FoldEvent], eq=False):
    """A stream, folded up to `revision`; `digest` is that of the entry there.

    `by_command_id` has the entries made with a command id, by that id.
    """

    event_types: ClassVar[tuple[type[Any], ...]]
    stream: str
    revision: int = -1
    digest: bytes = b""
    by_command_id: dict[str, Entry] = {}

    def earlier_entry(self, author: str, key: IdempotencyKey) -> Entry | None:
        """The entry that an earlier try of this write made, if any. Raises `TakenError` if the id had another use."""
        entry = self.by_command_id.get(key.id)
        check_same_write(entry, author, key)
        return entry

    def refresh(self, store: EventStore) -> None:
        """Reads and applies the entries appended since. Raises `StoreError`."""
        for entry in store.read(self.stream, after=self.revision):
            self.advance(entry)

    def advance(self, entry: Entry) -> None:
        """Applies an entry. Raises `DamagedError` for one that can't follow, which Zim never appends."""
        for _ in self.apply_events(entry):
            pass

    def apply_events(self, entry: Entry) -> Iterator[FoldEvent]:
        """Yields the events of an entry, and applies each one afterwards. Raises `DamagedError` as `advance` does."""
        for event in entry.events:
            if isinstance(event, SealsBound):  # it is about the stream itself
                continue
            if entry.is_commit or not isinstance(event, self.event_types):
                raise damaged_error(entry.stream, entry.revision, "this event does not belong in this stream")
            try:
                self.check_follows(event)
            except GameError as error:
                raise damaged_error(entry.stream, entry.revision, str(error)) from error
            yield event
            self.apply(event, entry)
        if entry.seal.request:
            self.by_command_id[entry.seal.id] = entry
        self.revision, self.digest = entry.revision, entry.digest

    def check_follows(self, event: FoldEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        raise NotImplementedError

    def apply(self, event: FoldEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        raise NotImplementedError
