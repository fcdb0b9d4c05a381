"""What is looked after below the games: every entry of a store, whether a name leads to it or not."""

from __future__ import annotations

from event_store import EventStore, salvage
from zimcore.documents.keep import Saved, StreamFault
from zimcore.service.forms import register_names


def check(store: EventStore) -> tuple[StreamFault, ...]:
    """Every fault of every stream: what was altered, is missing, or does not follow from what stands before it."""
    return tuple(StreamFault(fault.stream, fault.revision, fault.what) for fault in salvage.faults(store))


def save(store: EventStore, url: str) -> Saved:
    """Brings every stream that is intact to a new store. Raises `StoreError`, `ConflictError` for one that is not new.

    The streams of names are among them: what they name and is not there is told when it is asked for.
    """
    with EventStore.open(url) as new:
        register_names(new)
        saved = salvage.salvage(store, new)
    return Saved(saved.streams, saved.lost)
