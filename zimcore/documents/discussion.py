"""Documents of the discussion: chat, takeback requests, standing orders, votes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec

from zimcore.documents.positions import Answer, CommitDocument, Document
from zimcore.documents.seats import RequestBody, ShortText, Text
from zimcore.game import Seat

RequestStatus: TypeAlias = Literal["open", "granted", "declined", "withdrawn", "lapsed"]
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


class RequestInfo(Document, frozen=True):
    """A request to the other players: to move the head back to move `to`, or to replace the move after it by `move`.

    `gone` are the moves that would be taken back: for a replacement that move, and all later ones that would become
    illegal; it is only known while the request is open. `waiting` are the seats that have not answered. The request is
    `lapsed` when its line has moved on. `seen` has the numbers of the moves after `to` that showed the
    requesting seat something hidden, such as a drawn card: the seat keeps this knowledge.
    """

    number: int
    by: str
    seat: Seat
    at: datetime
    line: str
    to: int
    move: str
    status: RequestStatus
    gone: tuple[CommitDocument, ...] = ()
    accepted: tuple[Seat, ...] = ()
    declined: Seat = ""
    waiting: tuple[Seat, ...] = ()
    seen: tuple[int, ...] = ()


class RequestsAnswer(Answer, frozen=True):
    """The requests in a game, oldest first."""

    game: str
    requests: tuple[RequestInfo, ...]


class NewRequest(RequestBody, frozen=True):
    """A new request to the others: to take `steps` moves back, or to replace the move after `at` by `move`."""

    steps: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1
    line: ShortText = "main"
    at: Annotated[str, msgspec.Meta(max_length=64)] = ""
    move: Annotated[str, msgspec.Meta(max_length=500)] = ""


VoteWhat: TypeAlias = Literal["wait", "bot", "end"]
"""What can be done about a seat that is out of time: wait for it, let a program play it, end the match as it stands."""


class Vote(Document, frozen=True):
    """A vote about a seat that was out of time. If it has `carried`, its result took effect."""

    number: int
    by: str
    seat: Seat
    at: datetime
    about: Seat
    what: VoteWhat
    carried: bool = False


class LateSeat(Document, frozen=True):
    """A seat that is out of time, how the others have voted by now, and those who have not."""

    seat: Seat
    votes: Mapping[Seat, VoteWhat]
    waiting: tuple[Seat, ...]


class VotesAnswer(Answer, frozen=True):
    """The seats that are out of time, all votes, oldest first, and whether a vote ended the match."""

    game: str
    late: tuple[LateSeat, ...]
    votes: tuple[Vote, ...]
    ended: bool = False


class NewVote(RequestBody, frozen=True):
    """A vote about a seat that is out of time. Without a `seat`, only one seat may be out of time."""

    what: VoteWhat
    seat: ShortText = ""


class RequestReply(RequestBody, frozen=True):
    """An answer to a request: `withdrawn` is for the author of the request, the other answers are for the others."""

    status: Literal["granted", "declined", "withdrawn"]
