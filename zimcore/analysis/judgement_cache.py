"""What was thought, kept in a file beside all stores, so that nothing is thought twice. It can be dropped at any time.

A line is a turn or a bid, by the digest of its last commit (which says all that was played until then), the engine, the
budget and the seed. What can't be read, such as a line that was cut off, is thought again.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from zimcore.analysis.json_lines import append_line, read_lines
from zimcore.analysis.judging import JudgedTurn


class JudgementLine(msgspec.Struct, frozen=True):
    """A line of the file."""

    key: tuple[str, str, int, int]
    judged: JudgedTurn


def most_known(path: Path, engine: str, digests: Collection[str]) -> dict[str, JudgedTurn]:
    """What an engine has thought of the turns that ended in these commits, with the budget and seed that knows most.

    Of several that know as much it is the one with the larger budget.
    """
    found: dict[tuple[int, int], dict[str, JudgedTurn]] = {}
    for line in read_lines(path, JudgementLine):
        digest, by, nodes, seed = line.key
        if by == engine and digest in digests:
            found.setdefault((nodes, seed), {})[digest] = line.judged
    return max(found.items(), key=lambda each: (len(each[1]), each[0]), default=((0, 0), {}))[1]


class JudgementCache:
    """The judgements of an engine with a budget and a seed in a file, which is made when something is to be kept."""

    def __init__(self, path: Path, engine: str, nodes: int, seed: int) -> None:
        self.path = path
        self.about = (engine, nodes, seed)
        self.known: dict[str, JudgedTurn] = {}
        for line in read_lines(path, JudgementLine):
            if line.key[1:] == self.about:
                self.known[line.key[0]] = line.judged

    def recall(self, digest: str) -> JudgedTurn | None:
        """What is known of the turn that ended in this commit."""
        return self.known.get(digest)

    def keep(self, digest: str, judged: JudgedTurn) -> None:
        """Adds a line. Raises `OSError` where nothing can be written."""
        self.known[digest] = judged
        append_line(self.path, JudgementLine((digest, *self.about), judged))
