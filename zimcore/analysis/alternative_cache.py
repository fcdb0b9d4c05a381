"""Games that were played on from alternatives, kept in a file: what was interrupted goes on. It can be dropped."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from zimcore.analysis.alternatives import PlayedOn
from zimcore.analysis.json_lines import append_line, read_lines
from zimcore.bots.registry import VERSION, ConfiguredBot


class KeptGame(msgspec.Struct, frozen=True):
    """A line of the file: the commands of the alternative, and its game."""

    commands: tuple[str, ...]
    played: PlayedOn


class AlternativeCache:
    """The games that follow from a position (by its digest), a program, a seed and expressions.

    A line that can't be read, such as one that was cut off, is played again.
    """

    def __init__(
        self,
        folder: Path,
        digest: str,
        bot: ConfiguredBot,
        seed: int,
        by: Sequence[str],
        alternatives: Sequence[tuple[str, ...]],
    ) -> None:
        about = msgspec.json.encode([digest, str(bot), VERSION, seed, list(by)])
        self.path = folder / f"{sha256(about).hexdigest()[:32]}.jsonl"
        self.alternatives = alternatives
        self.failed = ""
        self.known: dict[tuple[tuple[str, ...], int], PlayedOn] = {}
        for kept in read_lines(self.path, KeptGame):
            self.known[kept.commands, kept.played.number] = kept.played

    def recall(self, alternative: int, number: int) -> PlayedOn | None:
        """The game of an alternative with this number, if it is kept."""
        found = self.known.get((self.alternatives[alternative], number))
        return msgspec.structs.replace(found, alternative=alternative) if found else None

    def keep(self, played: PlayedOn) -> None:
        """Adds a game, unless something could not be written: then `failed` says why, and no more is kept."""
        if not self.failed:
            try:
                append_line(self.path, KeptGame(self.alternatives[played.alternative], played))
            except OSError as error:
                self.failed = str(error)
