"""Keeps judgements in a file outside the stores, so that nothing is judged twice. You can delete it at any time.

Each line is a turn or a bid, keyed by the digest of its last commit (which covers all moves before it), the engine, the
budget and the seed. A turn whose line can't be read, for example because the write was cut off, is judged again.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from zimcore.analysis.json_lines import CacheFile, read_records
from zimcore.analysis.judging import JudgedTurn


class JudgementLine(msgspec.Struct, frozen=True, rename={"judged_turn": "judged"}):
    """A line of the file."""

    key: tuple[str, str, int, int]
    judged_turn: JudgedTurn


def cached_judgements(path: Path, engine: str, digests: Collection[str]) -> dict[str, JudgedTurn]:
    """The judgements of an engine for turns ending in these commits, with the budget and seed that cover most turns.

    If several cover equally many, those with the largest budget.
    """
    judgements: dict[tuple[int, int], dict[str, JudgedTurn]] = {}
    for line in read_records(path, JudgementLine):
        digest, line_engine, nodes, seed = line.key
        if line_engine == engine and digest in digests:
            judgements.setdefault((nodes, seed), {})[digest] = line.judged_turn
    return max(judgements.items(), key=lambda entry: (len(entry[1]), entry[0]), default=((0, 0), {}))[1]


class JudgementCache:
    """A file with the judgements of an engine, for one budget and seed. The first judgement creates it."""

    def __init__(self, path: Path, engine: str, nodes: int, seed: int) -> None:
        self.file = CacheFile(path)
        self.settings = (engine, nodes, seed)
        self.judged_turns: dict[str, JudgedTurn] = {}
        for line in read_records(path, JudgementLine):
            if line.key[1:] == self.settings:
                self.judged_turns[line.key[0]] = line.judged_turn

    def recall(self, digest: str) -> JudgedTurn | None:
        """The judgement of the turn that ends in this commit; None if there is none."""
        return self.judged_turns.get(digest)

    def store(self, digest: str, judged_turn: JudgedTurn) -> None:
        """Adds a judgement, to the file if that can be written."""
        self.judged_turns[digest] = judged_turn
        self.file.append(JudgementLine((digest, *self.settings), judged_turn))
