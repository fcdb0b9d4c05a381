"""What the kit finds: a broken promise of the contract."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """A broken promise of the contract: part and member, what is wrong, and the line in the author's file if known."""

    member: str
    what: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.member}: {self.what}" + (f" ({self.where})" if self.where else "")
