"""Folds: what the events of a stream add up to, so far.

Names, discussions and leagues differ in their events, and share how entries are read, applied and found again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

import msgspec

from event_store import Entry, EventStore, SealsBound
from event_store.errors import damaged_error
from zimcore.documents.listings import PositionNote
from zimcore.game import Event, GameError, Recording, Seat
from zimcore.service.records.idempotency import IdempotencyKey, check_same_write

FoldEvent = TypeVar("FoldEvent", bound=Event)
"""The events of a stream."""
AnyShare = TypeVar("AnyShare", bound="Share")


class RecordedEvent(NamedTuple):
    """An event of a feature that follows from a recorded match: the seat that it is about, when, and the event."""

    seat: Seat
    at: datetime | None
    event: Any


class Share(msgspec.Struct, eq=False):
    """A feature's share of a fold: what the events of that feature add up to."""

    event_types: ClassVar[tuple[type[Any], ...]]

    def check_follows(self, event: Any) -> None:
        """Raises `GameError` for an event that can't follow."""

    def apply(self, event: Any, entry: Entry) -> None:
        """Applies an event of an entry."""
        raise NotImplementedError

    def notes(self) -> Iterable[PositionNote]:
        """What it says about positions."""
        return ()

    @classmethod
    def recorded(cls, recording: Recording, heads: Mapping[int, bytes]) -> Iterable[RecordedEvent]:
        """The events that a recorded match brings; `heads` has the commit before each of its entries."""
        del recording, heads
        return ()


class Fold(msgspec.Struct, Generic[FoldEvent], eq=False):
    """A stream, folded up to `revision`; `digest` is that of the entry there.

    `by_command_id` has the entries made with a command id, by that id. `shares` has what features made of their events.
    """

    event_types: ClassVar[tuple[type[Any], ...]]
    stream: str
    revision: int = -1
    digest: bytes = b""
    by_command_id: dict[str, Entry] = {}
    shares: dict[type[Share], Share] = {}

    def of(self, share_type: type[AnyShare]) -> AnyShare:
        """A feature's share of this fold."""
        return cast("AnyShare", self.shares.get(share_type) or share_type())

    def share_types(self) -> Mapping[type[Event], type[Share]]:
        """The share that each event of a feature belongs to."""
        return {}

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
        event: Any
        for event in entry.events:
            if isinstance(event, SealsBound):  # it is about the stream itself
                continue
            share_type = None if isinstance(event, self.event_types) else self.share_types().get(type(event))
            if entry.is_commit or not (share_type or isinstance(event, self.event_types)):
                raise damaged_error(entry.stream, entry.revision, "this event does not belong in this stream")
            owner = self.shares.setdefault(share_type, share_type()) if share_type else self
            try:
                owner.check_follows(event)
            except GameError as error:
                raise damaged_error(entry.stream, entry.revision, str(error)) from error
            yield event
            owner.apply(event, entry)
        if entry.seal.request:
            self.by_command_id[entry.seal.id] = entry
        self.revision, self.digest = entry.revision, entry.digest

    def check_follows(self, event: FoldEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        raise NotImplementedError

    def apply(self, event: FoldEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        raise NotImplementedError
