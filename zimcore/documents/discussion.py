"""Documents of the discussion: chat, standing orders."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec

from zimcore.documents.positions import Answer, Document
from zimcore.documents.seats import RequestBody, ShortText, Text
from zimcore.game import Seat

Takebacks: TypeAlias = Literal["free", "ask", "never"]
"""How moves are taken back: freely, only if the others agree, or never."""


class Remark(Document, frozen=True):
    """A message: its author, their seat ("" for none), and the time; `about` is the digest of a position, or "".

    A private note is `own`: only its author sees it. Messages and notes are numbered separately by `number`.
    """

    number: int
    by: str
    seat: Seat
    at: datetime
    text: str
    about: str = ""
    own: bool = False


class StandingOrder(Document, frozen=True):
    """A standing order of a seat: who gave it, and when; `number` identifies it among the seat's orders.

    An order that is no longer active has a time `ended`: it was carried out, or `why` gives another reason.
    """

    number: int
    text: str
    seat: Seat
    by: str
    at: datetime
    ended: datetime | None = None
    why: str = ""


class OrdersAnswer(Answer, frozen=True):
    """The active orders of a seat, and the former ones, newest first; `known` are the orders that the game defines.

    Commands of the game can be ordered as well.
    """

    game: str
    seat: Seat
    orders: tuple[StandingOrder, ...]
    ended: tuple[StandingOrder, ...] = ()
    known: Mapping[str, str] = {}


class NewOrder(RequestBody, frozen=True):
    """A new standing order: the commands to play when the seat's turn comes."""

    text: Text


class TalkAnswer(Answer, frozen=True):
    """The messages of a game, oldest first."""

    game: str
    talk: tuple[Remark, ...]


class NewRemark(RequestBody, frozen=True):
    """A new message, to all or as a private note (`own`); about the position `at` in a line, or about the game."""

    text: Text
    own: bool = False
    line: ShortText = "main"
    at: Annotated[str, msgspec.Meta(max_length=64)] = ""
