"""The shapes of departures, their endpoints and their message of a feed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from zimcore.documents.endpoint import EVERYBODY, GAME_PATH, HOST, PLAYERS, Endpoint, Nothing
from zimcore.documents.feed_message import FeedMessage
from zimcore.documents.positions import Answer, Document
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import RequestBody, ShortText
from zimcore.game import Departing, Seat

Taker: TypeAlias = Literal["program", "player", "idle"]
"""Who plays on: a program, whoever sits down there, or (on some sites) a program that passes and does nothing."""


class Departure(Document, frozen=True):
    """A player has left a seat after a position (its digest), and how; who plays on there, and who has won by it.

    `by` has done it, `name` is the player who is gone, if known. `back` is when the seat was given back.
    """

    number: int
    by: str
    at: datetime
    seat: Seat
    how: Departing
    name: str = ""
    taker: Taker = "player"
    winner: Seat = ""
    about: str = ""
    back: datetime | None = None


class DeparturesAnswer(Answer, frozen=True):
    """The players who have left, first to last; a match that `ended` by it can't be played on."""

    game: str
    departures: tuple[Departure, ...]
    ended: bool = False


class NewDeparture(RequestBody, frozen=True):
    """Someone leaves: by default the seat that asks. If they resigned or were kicked out, a program plays on."""

    how: Departing = "left"
    seat: ShortText = ""


class DepartureMessage(FeedMessage, frozen=True, tag="departure"):
    """A player has left, or is back: a list of that one."""

    data: DeparturesAnswer


DEPARTURES = Endpoint(
    "departures", "GET", GAME_PATH + "/departures", PageQuery, DeparturesAnswer, EVERYBODY, command="leave"
)
DEPART = Endpoint(
    "depart", "POST", DEPARTURES.path, NewDeparture, DeparturesAnswer, (*PLAYERS, *HOST),
    command="leave", command_id="depart/{seat_or_role}/{key}",
)  # fmt: skip
GIVE_BACK = Endpoint(
    "give_back", "DELETE", DEPARTURES.path + "/{seat}", Nothing, DeparturesAnswer, HOST,
    command="leave", command_id="back/{key}",
)  # fmt: skip

ENDPOINTS = (DEPARTURES, DEPART, GIVE_BACK)
MESSAGES = (DepartureMessage,)
