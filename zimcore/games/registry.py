"""The only list of games. One line adds a game; its module is imported when it is first played or read."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from zimcore.game import Game, UnknownError

GAMES: Mapping[str, str] = {
    "zimbabwe": "zimcore.games.zimbabwe:GAME",
    "africana": "zimcore.games.africana:GAME",
}
"""Where each kind of game is: a module and a name in it."""


def game(kind: str, games: Mapping[str, str] = GAMES) -> Game:
    """The game of a kind. Raises `UnknownError`.

    >>> game("chess")
    Traceback (most recent call last):
    zimcore.game.UnknownError: there is no kind of game called 'chess'
    """
    if kind not in games:
        raise UnknownError(f"there is no kind of game called {kind!r}", hints=[*games])
    module, _, name = games[kind].partition(":")
    return cast(Game, getattr(import_module(module), name))
