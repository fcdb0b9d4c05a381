"""The only list of games: ours; and those that installed packages bring by the entry point `zim.games`.

A game's module is imported when it is first played or read. What is installed is looked up only where none of ours is
meant: that takes longer than a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import cast

from zimcore.game import Game, GameError, UnknownError

BUILT_IN: Mapping[str, str] = {
    "zimbabwe": "zimcore.games.zimbabwe:GAME",
    "africana": "zimcore.games.africana:GAME",
}
"""Where each kind of game is: a module and a name in it."""


class Kinds(Mapping[str, str]):
    """All kinds of games there are, ours first; a package can't put another one in the place of ours."""

    def __getitem__(self, kind: str) -> str:
        return BUILT_IN[kind] if kind in BUILT_IN else installed_games()[kind]

    def __iter__(self) -> Iterator[str]:
        return iter({**BUILT_IN, **installed_games()})

    def __len__(self) -> int:
        return len({**BUILT_IN, **installed_games()})


GAMES: Mapping[str, str] = Kinds()


@cache
def installed_games() -> Mapping[str, str]:
    """The games of other packages: `souk = "souk:GAME"` under `[project.entry-points."zim.games"]` of theirs."""
    from importlib.metadata import entry_points  # slow, and rarely needed

    return {point.name: point.value for point in entry_points(group="zim.games")}


def game(kind: str, games: Mapping[str, str] = GAMES) -> Game:
    """The game of a kind. Raises `UnknownError`, and `GameError` for one whose module can't be loaded.

    >>> game("chess")
    Traceback (most recent call last):
    zimcore.game.UnknownError: there is no kind of game called 'chess'
    """
    if kind not in games:
        raise UnknownError(f"there is no kind of game called {kind!r}", hints=[*games])
    return load(games[kind])


def load(where: str) -> Game:
    """The game at a place such as `souk:GAME`. Raises `GameError` with what its module stumbles over."""
    module, _, name = where.partition(":")
    try:
        found = getattr(import_module(module), name or "GAME")
        if not hasattr(found, "evolution"):
            raise TypeError(f"{found!r} is not a game")
        return cast(Game, found)
    except Exception as error:  # whatever somebody's module does when it is imported
        why = f"{type(error).__name__}: {error}"
        raise GameError(f"the game {where} can't be loaded", why, [f"zim check {where}"]) from error


def broken_by(error: BaseException) -> str:
    """The installed game that an error comes from, and where: `souk (souk.py:112 in follow)`; "" if it is ours."""
    from traceback import walk_tb

    packages = {where.partition(":")[0]: kind for kind, where in installed_games().items()}
    found = ""
    for frame, line in walk_tb(error.__traceback__):
        module, code = str(frame.f_globals.get("__name__", "")), frame.f_code
        kind = packages.get(module) or packages.get(module.partition(".")[0])
        if kind:
            found = f"{kind} ({code.co_filename.rpartition('/')[2]}:{line} in {code.co_name})"
    return found


def playable(games: Mapping[str, str] = GAMES) -> list[Game]:
    """All games that can be loaded: a broken one does no harm until it is asked for."""
    found = []
    for kind in games:
        try:
            loaded = game(kind, games)
            if kind not in BUILT_IN:  # all that its help needs
                loaded.rules, loaded.questions, loaded.texts  # noqa: B018 - a part is made when it is asked for
        except Exception:  # noqa: S112 - whatever it stumbles over is said when it is asked for
            continue
        found.append(loaded)
    return found
