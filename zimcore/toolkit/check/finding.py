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
    `untwinned` stretches of a match no deal was found that looks alike.
    """

    matches: int = 0
    positions: int = 0
    deals: int = 0
    pairs: int = 0
    untwinned: int = 0
