"""The only list of games: ours, and those that installed packages add with the entry point `zim.games`.

A game's module is imported at first use. Installed packages are searched only for names that are not ours, since that
takes longer than a move.
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
"""The module and name of each kind of game."""


class GameKinds(Mapping[str, str]):
    """All kinds of games, ours first; a package can't replace one of ours."""

    def __getitem__(self, kind: str) -> str:
        return BUILT_IN[kind] if kind in BUILT_IN else installed_games()[kind]

    def __iter__(self) -> Iterator[str]:
        return iter({**BUILT_IN, **installed_games()})

    def __len__(self) -> int:
        return len({**BUILT_IN, **installed_games()})


GAMES: Mapping[str, str] = GameKinds()


@cache
def installed_games() -> Mapping[str, str]:
    """The games of other packages, which declare `souk = "souk:GAME"` under `[project.entry-points."zim.games"]`."""
    from importlib.metadata import entry_points  # slow, and rarely needed

    return {entry_point.name: entry_point.value for entry_point in entry_points(group="zim.games")}


def game(kind: str, games: Mapping[str, str] = GAMES) -> Game:
    """The game of a kind. Raises `UnknownError`, or `GameError` if its module can't be loaded.

    >>> game("chess")
    Traceback (most recent call last):
    zimcore.game.UnknownError: there is no kind of game called 'chess'
    """
    if kind not in games:
        raise UnknownError(f"there is no kind of game called {kind!r}", hints=[*games])
    return load_game(games[kind])


def load_game(address: str) -> Game:
    """The game at a place such as `souk:GAME`. Raises `GameError` with the error of its module."""
    module, _, name = address.partition(":")
    try:
        loaded_game = getattr(import_module(module), name or "GAME")
        if not hasattr(loaded_game, "evolution"):
            raise TypeError(f"{loaded_game!r} is not a game")
        return cast(Game, loaded_game)
    except Exception as error:  # importing a module may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise GameError(f"the game {address} can't be loaded", reason, [f"zim check {address}"]) from error


def describe_broken_game(error: BaseException) -> str:
    """The installed game that raised an error, and where: `souk (souk.py:112 in follow)`; "" if it was none."""
    from traceback import walk_tb

    kind_by_package = {address.partition(":")[0]: kind for kind, address in installed_games().items()}
    location = ""
    for frame, line in walk_tb(error.__traceback__):
        module, code = str(frame.f_globals.get("__name__", "")), frame.f_code
        kind = kind_by_package.get(module) or kind_by_package.get(module.partition(".")[0])
        if kind:
            location = f"{kind} ({code.co_filename.rpartition('/')[2]}:{line} in {code.co_name})"
    return location


def playable_games(games: Mapping[str, str] = GAMES) -> list[Game]:
    """All games that can be loaded. A broken one is left out until it is named."""
    loaded_games = []
    for kind in games:
        try:
            loaded_game = game(kind, games)
            if kind not in BUILT_IN:  # load the parts that help needs
                loaded_game.rules, loaded_game.questions, loaded_game.texts  # noqa: B018 - loads the parts
        except Exception:  # noqa: S112 - naming the game shows its error
            continue
        loaded_games.append(loaded_game)
    return loaded_games
