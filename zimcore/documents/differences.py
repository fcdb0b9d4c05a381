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
    """The effects of a command for its seat: its cost in money, its score, and the profits of other seats.

    `points` names the figure that decides the game, and `vp` (whatever its name) is the increase of that figure.
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
