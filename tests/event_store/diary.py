"""A kind of events to store: entries of a diary, and helpers to append them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from event_store import Entry, EventStore, Forms

AT = datetime(2024, 5, 1, 20, 15, 3, 250_000, tzinfo=UTC)
STATE = b"state of 16 byte"


class Noted(msgspec.Struct, frozen=True, tag_field="event", tag="noted.1"):
    text: str


class Counted(msgspec.Struct, frozen=True, tag_field="event", tag="counted.1"):
    sheep: int
    where: tuple[str, ...] = ()


def diary_forms() -> Forms:
    return Forms((Noted, Counted))


def open_diary(url: str, salt: bytes = b"") -> EventStore:
    """A store; with a `salt` its digests can be foreseen."""
    store = EventStore.open(url, lambda: salt) if salt else EventStore.open(url)
    store.register("diary", diary_forms)
    return store


def note(store: EventStore, stream: str, expected_revision: int, *texts: str, **fields: Any) -> Entry:
    """Appends an entry with a note of each text."""
    fields = {"by": "ann", "at": AT, **fields}
    return store.append(stream, expected_revision, [Noted(text) for text in texts], **fields)


def commit(store: EventStore, stream: str, expected_revision: int, parent: bytes, *texts: str, **fields: Any) -> Entry:
    """Appends a commit on a parent."""
    return note(store, stream, expected_revision, *texts, parent=parent, state=STATE, **fields)
