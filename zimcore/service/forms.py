"""What a store has to know of this house: the forms of the events of games, and of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from event_store import EventStore, Forms
from event_store.codec import Codec
from zimcore.games.registry import game
from zimcore.service import names


def register(store: EventStore | Codec, games: Mapping[str, str]) -> None:
    """Lets a store read and write the events of these games, and the names of games and lines."""
    store.register("names", names.forms)
    for kind in games:
        store.register(kind, _forms(kind, games))


def _forms(kind: str, games: Mapping[str, str]) -> Callable[[], Forms]:
    def load() -> Forms:
        found = game(kind, games).evolution
        return Forms(tuple(found.EVENTS), found.UPCASTERS)

    return load
