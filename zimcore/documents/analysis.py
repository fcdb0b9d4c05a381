"""Answers of programs that judge: chances to win, the best turns, what was given away."""

from __future__ import annotations

from zimcore.documents.positions import Answer, Document, PositionDocument
from zimcore.game import Seat


class ChanceDocument(Document, frozen=True):
    """A chance to win from 0 to 1, and its standard error, as far as it can be told."""

    chance: float
    error: float


class HintDocument(Document, frozen=True, kw_only=True):
    """A turn or a bid as commands, the chance of its seat after it, and what it changes in the terms of the game."""

    commands: tuple[str, ...]
    chance: float
    error: float
    why: str


class HintAnswer(Answer, frozen=True, kw_only=True):
    """The best turns that were found for whose turn it is, the best first; `now` are the chances before any of them.

    `nodes` are the positions that were looked at, `tried` the turns.
    """

    position: PositionDocument
    seat: Seat
    now: dict[Seat, ChanceDocument]
    hints: tuple[HintDocument, ...]
    tried: int
    nodes: int
