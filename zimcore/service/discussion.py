"""The discussion around a game: chat, takeback requests, votes, standing orders and notifications.

Each game has one public discussion stream, which all who see the game may read. Each person also has a private stream
per game, for notes, orders and notifications: other people can't see even its length, and exports leave it out. Both
are folded the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypeAlias, assert_never, get_args

import msgspec
from msgspec.structs import replace

from event_store import Entry, Forms
from event_store.chain import digest_of_parts
from zimcore.documents.discussion import Remark, StandingOrder, Takebacks, Vote, VoteWhat
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.folds import Fold
from zimcore.toolkit.printable import printable

DISCUSSION_KIND = "proceedings"
"""The kind that the topics of discussion events begin with."""
MAX_CHARACTERS = 500
"""The most characters of a message."""
MAX_REMARKS = 10_000
"""The most messages in one stream."""


class Said(Event, frozen=True, tag="said.1"):
    """A message from a person, at a seat if they have one, about a position (its digest) or about the game."""

    text: str
    seat: Seat = ""
    about: bytes = b""


class TakebacksAgreed(Event, frozen=True, tag="takebacks_agreed.1"):
    """How moves are taken back in this game: `free`, `ask` or `never`."""

    how: Takebacks


class HelpAgreed(Event, frozen=True, tag="help_agreed.1"):
    """Whether programs may show chances and suggest turns before this game is over."""

    helps: bool


class TakebackRequested(Event, frozen=True, tag="takeback_requested.1"):
    """A request to take moves back on a line (its stream, at `revision`): its head moves back to the commit `to`.

    With a `move`, that move replaces the one after `to`, and the later moves are played again.
    """

    seat: Seat
    line: str
    revision: int
    head: bytes
    to: bytes
    move: str = ""


class RequestAnswered(Event, frozen=True, tag="request_answered.1"):
    """A seat accepted or declined a request. Requests are numbered from 1 in the order they were made."""

    number: int
    seat: Seat
    accepted: bool


class RequestWithdrawn(Event, frozen=True, tag="request_withdrawn.1"):
    """The seat that made a request has withdrawn it."""

    number: int


class RequestGranted(Event, frozen=True, tag="request_granted.1"):
    """All seats that had to agree have agreed. The moves are taken back in the same transaction."""

    number: int


class VoteCast(Event, frozen=True, tag="vote_cast.1"):
    """A seat voted on another one (`about`), which was out of time at the commit `head`.

    The last vote needed is `carried`: what was voted for is done in the same transaction.
    """

    seat: Seat
    about: Seat
    what: VoteWhat
    head: bytes
    carried: bool = False


class OrderGiven(Event, frozen=True, tag="order_given.1"):
    """A seat gave a standing order, to be played when its turn comes. It is stored in its player's private stream."""

    text: str
    seat: Seat


class OrderEnded(Event, frozen=True, tag="order_ended.1"):
    """The standing order with this number ended: it was carried out, or `why` says what happened to it."""

    order: int
    why: str = ""


class NoticesWanted(Event, frozen=True, tag="notices_wanted.1"):
    """How a player wants to be notified while away: a kind ("" for no notifications) and its settings."""

    kind: str
    values: Mapping[str, str] = {}


class NoticeSent(Event, frozen=True, tag="notice_sent.1"):
    """Notifications were sent: their keys say for which turn, which request, or for the end of the game."""

    marks: tuple[str, ...]


RequestEvent: TypeAlias = TakebackRequested | RequestAnswered | RequestWithdrawn | RequestGranted
DiscussionEvent: TypeAlias = (Said | TakebacksAgreed | HelpAgreed | RequestEvent) | (
    VoteCast | OrderGiven | OrderEnded | NoticesWanted | NoticeSent
)
"""An event of a discussion stream."""
DISCUSSION_EVENTS: tuple[type[DiscussionEvent], ...] = get_args(DiscussionEvent)


def terms_events(takebacks: Takebacks, *, helps: bool) -> list[DiscussionEvent]:
    """The events for the terms that differ from the defaults (takebacks by asking, help from programs)."""
    events: list[DiscussionEvent] = [TakebacksAgreed(takebacks)] if takebacks != "ask" else []
    return events if helps else [*events, HelpAgreed(helps)]


def forms() -> Forms:
    """The events of discussions, for the store."""
    return Forms(DISCUSSION_EVENTS)


def public_stream(names_stream: str) -> str:
    """The public discussion stream of the game with this stream of names."""
    return f"{names_stream}.{DISCUSSION_KIND}"


def private_stream(names_stream: str, owner: str) -> str:
    """A person's private stream in the game with this stream of names. Its name does not reveal the person."""
    return f"{names_stream}.own.{digest_of_parts(owner.encode()).hex()}"


def is_private(stream: str) -> bool:
    """Whether a stream is a person's private one."""
    return ".own." in stream


def names_stream_of(stream: str) -> str:
    """The stream of names of the game that a discussion stream belongs to; "" for any other stream.

    >>> [names_stream_of(each) for each in (public_stream("5f3a"), private_stream("5f3a", "anna"), "5f3a")]
    ['5f3a', '5f3a', '']
    """
    names_stream, dot, _ = stream.partition(".")
    return names_stream if dot else ""


class TakebackRequest(msgspec.Struct, frozen=True):
    """A takeback request so far: the seats that accepted it, the seat that declined it, and its `status`."""

    number: int
    by: str
    at: datetime
    seat: Seat
    line: str
    revision: int
    head: bytes
    to: bytes
    move: str
    accepted_by: tuple[Seat, ...] = ()
    declined_by: Seat = ""
    status: Literal["open", "granted", "declined", "withdrawn"] = "open"


class Discussion(Fold[DiscussionEvent], msgspec.Struct, eq=False):
    """A discussion stream, folded. `remarks` is the chat, oldest message first.

    `requests` has the requests by number. `request_changes` has, for each revision that made or changed one, its number
    and the time. `orders` has the active standing orders by number, `ended_orders` the former ones. `sent_notices` has
    the keys of the notifications that were sent.
    """

    event_types = DISCUSSION_EVENTS
    remarks: list[Remark] = []
    takebacks: Takebacks = "ask"
    allows_help: bool = True
    requests: dict[int, TakebackRequest] = {}
    request_changes: dict[int, tuple[int, datetime]] = {}
    orders: dict[int, StandingOrder] = {}
    ended_orders: list[StandingOrder] = []
    wanted_notices: NoticesWanted | None = None
    sent_notices: frozenset[str] = frozenset()
    votes: list[Vote] = []
    open_votes: dict[tuple[Seat, bytes], dict[Seat, VoteWhat]] = {}

    def votes_on(self, late_seat: Seat, head: bytes) -> Mapping[Seat, VoteWhat]:
        """The votes on a seat at a head, by voter; empty once a vote was carried."""
        return self.open_votes.get((late_seat, head), {})

    def check_follows(self, event: DiscussionEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        match event:
            case Said(text=text):
                check_text(text)
            case TakebackRequested(move=move):
                if move:
                    check_text(move)
            case RequestAnswered(number=number) | RequestWithdrawn(number=number) | RequestGranted(number=number):
                request = self.requests.get(number)
                if request is None or request.status != "open":
                    raise UnknownError(f"there is no request {number} to be answered", "", ["requests"])
            case OrderGiven(text=text):
                check_text(text)
                if not is_private(self.stream):
                    raise GameError("an order is private", "it belongs in the player's own stream")
            case NoticesWanted() | NoticeSent() if not is_private(self.stream):
                raise GameError("how a player is notified is private", "it belongs in the player's own stream")
            case OrderEnded(order=order) if order not in self.orders:
                raise UnknownError(f"there is no order {order}", "or it is no longer active", ["orders"])

    def request_from_event(self, event: TakebackRequested, number: int, author: str, time: datetime) -> TakebackRequest:
        """The request that an event makes."""
        return TakebackRequest(
            number, author, time, event.seat, event.line, event.revision, event.head, event.to, event.move
        )

    def request_of(self, revision: int) -> TakebackRequest:
        """The request that the entry at a revision is about."""
        return self.requests[self.request_changes[revision][0]]

    def apply(self, event: DiscussionEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        seal, requests = entry.seal, self.requests
        match event:
            case TakebacksAgreed(how=takebacks):
                self.takebacks = takebacks
            case HelpAgreed(helps=helps):
                self.allows_help = helps
            case TakebackRequested():
                number = len(requests) + 1
                requests[number] = self.request_from_event(event, number, seal.by, seal.at)
            case RequestAnswered(number=number, seat=seat, accepted=True):
                requests[number] = replace(requests[number], accepted_by=(*requests[number].accepted_by, seat))
            case RequestAnswered(number=number, seat=seat):
                requests[number] = replace(requests[number], declined_by=seat, status="declined")
            case RequestWithdrawn(number=number):
                requests[number] = replace(requests[number], status="withdrawn")
            case RequestGranted(number=number):
                requests[number] = replace(requests[number], status="granted")
            case Said(text=text, seat=seat, about=about):
                is_note = is_private(self.stream)
                self.remarks.append(Remark(entry.revision, seal.by, seat, seal.at, text, about.hex(), is_note))
            case NoticesWanted():
                self.wanted_notices = event
            case NoticeSent(marks=marks):
                self.sent_notices = self.sent_notices.union(marks)
            case VoteCast(seat=seat, about=about, what=what):
                self.votes.append(Vote(entry.revision, seal.by, seat, seal.at, about, what, event.carried))
                votes = {} if event.carried else {**self.votes_on(about, event.head), seat: what}
                self.open_votes = {**self.open_votes, (about, event.head): votes}
            case OrderGiven(text=text, seat=seat):
                new_order = StandingOrder(entry.revision, text, seat, seal.by, seal.at)
                self.orders = {**self.orders, new_order.number: new_order}
            case OrderEnded(order=order, why=why):
                self.ended_orders.append(replace(self.orders[order], ended=seal.at, why=why))
                self.orders = {number: each for number, each in self.orders.items() if number != order}
            case _:
                assert_never(event)
        if isinstance(event, RequestEvent):
            self.request_changes[entry.revision] = getattr(event, "number", len(requests)), seal.at


def check_text(text: str) -> None:
    """Raises `GameError` for an invalid message: empty, too long, or with characters that control a terminal."""
    if not text.strip():
        raise GameError("no text given", "a message has a text", ["say well played"])
    if len(text) > MAX_CHARACTERS:
        raise GameError("that is too long", f"{MAX_CHARACTERS} characters are the limit, this has {len(text):,}")
    if printable(text) != text:
        raise GameError("this can't be said", "it contains invisible characters, or more than one line")
