"""Keeps games played on from alternatives in a file, so that an interrupted comparison can go on. You can delete it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from zimcore.analysis.alternatives import PlayedOn, Question
from zimcore.analysis.json_lines import append_line, read_lines
from zimcore.bots.registry import VERSION


class KeptGame(msgspec.Struct, frozen=True):
    """A line of the file: the commands of an alternative, and a game that was played on from it."""

    commands: tuple[str, ...]
    played: PlayedOn


class AlternativeCache:
    """The games played on from one position (by its digest), with one bot, one seed and one list of expressions.

    A game whose line can't be read, for example because the write was cut off, is played again.
    """

    def __init__(self, folder: Path, question: Question) -> None:
        digest, bot = question.position.commit.digest, str(question.bot)
        key = msgspec.json.encode([digest, bot, VERSION, question.seed, question.by])
        self.path = folder / f"{sha256(key).hexdigest()[:32]}.jsonl"
        self.alternatives = question.alternatives
        self.failure = ""
        self.known: dict[tuple[tuple[str, ...], int], PlayedOn] = {}
        for game in read_lines(self.path, KeptGame):
            self.known[game.commands, game.played.number] = game.played

    def recall(self, alternative: int, number: int) -> PlayedOn | None:
        """The game of an alternative with this number; None if it is not in the file."""
        known_game = self.known.get((self.alternatives[alternative], number))
        return msgspec.structs.replace(known_game, alternative=alternative) if known_game else None

    def keep(self, game: PlayedOn) -> None:
        """Adds a game to the file. After a failed write `failure` says why, and nothing more is written."""
        if not self.failure:
            try:
                append_line(self.path, KeptGame(self.alternatives[game.alternative], game))
            except OSError as error:
                self.failure = str(error)
