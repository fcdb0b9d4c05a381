"""What the kit finds, broken promises of the contract, and what it has tried."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """A broken promise of the contract: part and member, what is wrong, and the line in the author's file if known."""

    member: str
    what: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.member}: {self.what}" + (f" ({self.where})" if self.where else "")


class TrialCounts(msgspec.Struct):
    """What was tried so far.

    `positions` are those of `matches`; `pairs` those of `deals`, each beside a twin that looks alike to a viewer. In
    `untwinned` stretches of a match no deal was found that looks alike. `coverage` has, by `phase`, `command` or `seat`
    and its name, how many positions of the deals were compared with a twin, and how many there were. Of the `worlds`
    that a program would imagine at these positions, `impossible_worlds` can't be; `why_impossible` says why the first
    can't.
    """

    matches: int = 0
    positions: int = 0
    deals: int = 0
    pairs: int = 0
    untwinned: int = 0
    coverage: dict[tuple[str, str], tuple[int, int]] = {}
    worlds: int = 0
    impossible_worlds: int = 0
    why_impossible: str = ""

    def cover(self, kind: str, name: str, *, is_compared: bool) -> None:
        """Counts a position of a phase, after a command, or of a seat."""
        compared, total = self.coverage.get((kind, name), (0, 0))
        self.coverage[kind, name] = compared + is_compared, total + 1

    def count_world(self, fault: str) -> None:
        """Counts a world, and keeps the first reason why one can't be."""
        self.worlds += 1
        self.impossible_worlds += bool(fault)
        self.why_impossible = self.why_impossible or fault
