"""Registers the events of games, names, discussions and leagues with a store, so that it can encode and decode them."""

from __future__ import annotations

from collections.abc import Mapping

from event_store import EventStore, Forms
from event_store.codec import Codec
from zimcore.game import Game
from zimcore.games import registry
from zimcore.service.records import discussion, names


def register_service_events(store: EventStore | Codec) -> None:
    """Registers the events of names, discussions and leagues."""
    store.register("names", names.forms)
    store.register(discussion.DISCUSSION_KIND, discussion.forms)
    store.register(names.LEAGUE_KIND, _league_forms)


def _league_forms() -> Forms:
    from zimcore.service.records import league  # few commands need it

    return league.forms()


def load_game(store: EventStore | Codec, kind: str, games: Mapping[str, str]) -> Game:
    """Loads a game and registers its events. Raises `GameError`."""
    game = registry.game(kind, games)
    store.register(kind, lambda: Forms(tuple(game.evolution.EVENTS), game.evolution.UPCASTERS))
    return game
