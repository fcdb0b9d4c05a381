"""The shapes of takeback requests, their endpoints and their message of a feed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec

from zimcore.documents.endpoint import EVERYBODY, GAME_PATH, PLAYERS, Endpoint
from zimcore.documents.feed_message import FeedMessage
from zimcore.documents.positions import Answer, CommitDocument, Document
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import RequestBody, ShortText
from zimcore.game import Seat

RequestStatus: TypeAlias = Literal["open", "granted", "declined", "withdrawn", "lapsed"]


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


class RequestReply(RequestBody, frozen=True):
    """An answer to a request: `withdrawn` is for the author of the request, the other answers are for the others."""

    status: Literal["granted", "declined", "withdrawn"]


class RequestMessage(FeedMessage, frozen=True, tag="request"):
    """A request to take moves back was made, answered or withdrawn: a list of that one."""

    data: RequestsAnswer


REQUESTS = Endpoint("requests", "GET", GAME_PATH + "/requests", PageQuery, RequestsAnswer, EVERYBODY)
ASK = Endpoint("ask", "POST", REQUESTS.path, NewRequest, RequestsAnswer, PLAYERS, if_match="may", command="takeback")
ANSWER = Endpoint("answer", "PUT", REQUESTS.path + "/{number}", RequestReply, RequestsAnswer, PLAYERS)

ENDPOINTS = (REQUESTS, ASK, ANSWER)
MESSAGES = (RequestMessage,)
