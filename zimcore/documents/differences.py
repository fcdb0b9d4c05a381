"""The differences between two positions, and their balance for each seat."""

from __future__ import annotations

from zimcore.documents.positions import Document
from zimcore.game import Seat


class Difference(Document, frozen=True):
    """A figure of a seat that is not the same in two positions."""

    seat: Seat
    name: str
    a: int
    b: int

    @property
    def change(self) -> int:
        """How much more it is in b than in a."""
        return self.b - self.a


class Balance(Document, frozen=True):
    """What something means to who does it: what it costs in money, what it scores, and who else profits by it.

    `points` is the figure that the game counts by, and `vp` (whatever that figure is called) how much more it is.
    """

    seat: Seat
    cost: int
    vp: int
    profits: dict[Seat, dict[str, int]]
    points: str


class SquareDifference(Document, frozen=True):
    """A square that differs: what is on it in both positions."""

    square: str
    a: str
    b: str
