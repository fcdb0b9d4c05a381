"""The shapes of votes, their endpoints and their message of a feed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypeAlias

from zimcore.documents.endpoint import EVERYBODY, GAME_PATH, PLAYERS, Endpoint
from zimcore.documents.feed_message import FeedMessage
from zimcore.documents.positions import Answer, Document
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import RequestBody, ShortText
from zimcore.game import Seat

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


class VoteMessage(FeedMessage, frozen=True, tag="vote"):
    """A vote about a seat that is out of time: a list of that one."""

    data: VotesAnswer


VOTES = Endpoint("votes", "GET", GAME_PATH + "/votes", PageQuery, VotesAnswer, EVERYBODY, command="vote")
VOTE = Endpoint("vote", "POST", VOTES.path, NewVote, VotesAnswer, PLAYERS, command_id="vote/{seat}/{key}")

ENDPOINTS = (VOTES, VOTE)
MESSAGES = (VoteMessage,)
