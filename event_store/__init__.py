"""An append-only event store for lines of play, built on the `eventsourcing` library. It knows no game.

>>> from event_store import EventStore
>>> store = EventStore.open("memory:")
>>> list(store.read("5f3a"))
[]
"""

from event_store.chain import Draft, Entry, PlainSeal, Seal
from event_store.codec import Forms
from event_store.errors import (
    AlteredError,
    ConflictError,
    DamagedError,
    DiskFullError,
    EventStoreError,
    NewerError,
    StoreError,
    TakenError,
)
from event_store.line_history import Forked, HeadMoved, Line
from event_store.seal_places import SealsBound
from event_store.store import EventStore

__all__ = [
    "AlteredError",
    "ConflictError",
    "DamagedError",
    "DiskFullError",
    "Draft",
    "Entry",
    "EventStore",
    "EventStoreError",
    "Forked",
    "Forms",
    "HeadMoved",
    "Line",
    "NewerError",
    "PlainSeal",
    "Seal",
    "SealsBound",
    "StoreError",
    "TakenError",
]
