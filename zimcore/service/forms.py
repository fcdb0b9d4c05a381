"""What a store has to know of this house: the forms of the events of games, and of names."""

from __future__ import annotations

from collections.abc import Mapping

from event_store import EventStore, Forms
from event_store.codec import Codec
from zimcore.game import Game
from zimcore.games import registry
from zimcore.service import names


def register_names(store: EventStore | Codec) -> None:
    """Lets a store read and write the names of games and lines."""
    store.register("names", names.forms)


def load(store: EventStore | Codec, kind: str, games: Mapping[str, str]) -> Game:
    """A game whose events a store can read and write from now on. Raises `GameError`."""
    game = registry.game(kind, games)
    store.register(kind, lambda: Forms(tuple(game.evolution.EVENTS), game.evolution.UPCASTERS))
    return game
