"""Games that were played on from alternatives, kept in a file: what was interrupted goes on. It can be dropped."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from zimcore.analysis.alternatives import PlayedOn
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
        self.known: dict[tuple[tuple[str, ...], int], PlayedOn] = {}
        decoder = msgspec.json.Decoder(KeptGame)
        with suppress(OSError), self.path.open("rb") as lines:
            for line in lines:
                with suppress(msgspec.DecodeError):
                    kept = decoder.decode(line)
                    self.known[kept.commands, kept.played.number] = kept.played

    def recall(self, alternative: int, number: int) -> PlayedOn | None:
        """The game of an alternative with this number, if it is kept."""
        found = self.known.get((self.alternatives[alternative], number))
        return msgspec.structs.replace(found, alternative=alternative) if found else None

    def keep(self, played: PlayedOn) -> None:
        """Adds a game. Raises `OSError` where nothing can be written."""
        line = msgspec.json.encode(KeptGame(self.alternatives[played.alternative], played))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as out:
            out.write(b"\n" + line)  # after a line that was cut off, too
