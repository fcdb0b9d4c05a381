"""Keeps games played on from alternatives in a file, so that an interrupted comparison can go on. You can delete it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from zimcore.analysis.alternatives import AlternativeGame, Comparison
from zimcore.analysis.json_lines import CacheFile, read_records
from zimcore.bots.registry import BOTS_VERSION


class CachedGame(msgspec.Struct, frozen=True, rename={"game": "played"}):
    """A line of the file: the commands of an alternative, and a game that was played on from it."""

    commands: tuple[str, ...]
    game: AlternativeGame


class AlternativeCache:
    """The games played on from one position (by its digest), with one bot, one seed and one list of expressions.

    A game whose line can't be read, for example because the write was cut off, is played again.
    """

    def __init__(self, folder: Path, comparison: Comparison) -> None:
        digest, bot = comparison.position.commit.digest, str(comparison.bot)
        key = msgspec.json.encode([digest, bot, BOTS_VERSION, comparison.seed, comparison.expressions])
        self.file = CacheFile(folder / f"{sha256(key).hexdigest()[:32]}.jsonl")
        self.alternatives = comparison.alternatives
        self.cached_games: dict[tuple[tuple[str, ...], int], AlternativeGame] = {}
        for cached_game in read_records(self.file.path, CachedGame):
            self.cached_games[cached_game.commands, cached_game.game.game_number] = cached_game.game

    def recall(self, alternative: int, game_number: int) -> AlternativeGame | None:
        """The game of an alternative with this number; None if it is not in the file."""
        game = self.cached_games.get((self.alternatives[alternative], game_number))
        return msgspec.structs.replace(game, alternative=alternative) if game else None

    def store(self, game: AlternativeGame) -> None:
        """Adds a game to the file if that can be written."""
        self.file.append(CachedGame(self.alternatives[game.alternative], game))
