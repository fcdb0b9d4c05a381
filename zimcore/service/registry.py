"""Which games there are. One line adds a game; its module is imported when it is first played or read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from event_store import EventStore, Forms
from event_store.codec import Codec
from zimcore.game import Game
from zimcore.service.answers import UnknownError

GAMES: Mapping[str, str] = {
    "zimbabwe": "zimcore.zimbabwe:GAME",
    "africana": "zimcore.africana:GAME",
}
"""Where each kind of game is: a module and a name in it."""


def game(kind: str, games: Mapping[str, str] = GAMES) -> Game:
    """The game of a kind. Raises `UnknownError`.

    >>> game("chess")
    Traceback (most recent call last):
    zimcore.service.answers.UnknownError: there is no kind of game called 'chess'
    """
    if kind not in games:
        raise UnknownError(f"there is no kind of game called {kind!r}", hints=[*games])
    module, _, name = games[kind].partition(":")
    return cast(Game, getattr(import_module(module), name))


def register(store: EventStore | Codec, games: Mapping[str, str] = GAMES) -> None:
    """Lets a store read and write the events of these games."""
    for kind in games:
        store.register(kind, _forms(kind, games))


def _forms(kind: str, games: Mapping[str, str]) -> Callable[[], Forms]:
    def load() -> Forms:
        found = game(kind, games)
        return Forms(tuple(found.events), found.upcasters)

    return load
