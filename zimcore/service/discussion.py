"""The discussion around a game: chat, takeback requests, votes, standing orders and notifications.

A game has one stream of them beside the names of its lines, which all who see the game may read. What is one
person's alone stands in a stream of theirs: not even how much it is can be seen by others, and no export carries it.
Both are folded alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeAlias, assert_never, get_args

import msgspec
from msgspec.structs import replace

from event_store import Entry, EventStore, Forms, SealsBound
from event_store.chain import short_digest
from event_store.errors import damaged_error
from zimcore.documents.discussion import Remark, StandingOrder, Takebacks, Vote, VoteWhat
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.idempotency import IdempotencyKey, check_same
from zimcore.toolkit.printable import printable

KIND = "proceedings"
"""What their topics begin with."""
MAX_CHARACTERS = 500
"""Characters of what is said at once."""
MAX_REMARKS = 10_000
"""Remarks in one stream."""


class Said(Event, frozen=True, tag="said.1"):
    """A message, by a person at a seat if they have one: about a position (its digest), or about the game."""

    text: str
    seat: Seat = ""
    about: bytes = b""


class TakebacksAgreed(Event, frozen=True, tag="takebacks_agreed.1"):
    """How moves are taken back in this game: `free`, `ask` or `never`."""

    how: Takebacks


class HelpAgreed(Event, frozen=True, tag="help_agreed.1"):
    """Whether programs tell chances and turns of this game before it is over."""

    helps: bool


class TakebackRequested(Event, frozen=True, tag="takeback_requested.1"):
    """A request to go back on a line (its stream) as it was at a revision: from its head to a commit.

    With a `move` that is played in the place of the one after that commit, and those after it again.
    """

    seat: Seat
    line: str
    revision: int
    head: bytes
    to: bytes
    move: str = ""


class RequestAnswered(Event, frozen=True, tag="request_answered.1"):
    """A seat accepted a request, or declined it. Requests are numbered from 1, as they were made."""

    number: int
    seat: Seat
    accepted: bool


class RequestWithdrawn(Event, frozen=True, tag="request_withdrawn.1"):
    """Who asked for something does not any more."""

    number: int


class RequestGranted(Event, frozen=True, tag="request_granted.1"):
    """All who had to have agreed; what was asked for is done in the same transaction."""

    number: int


class VoteCast(Event, frozen=True, tag="vote_cast.1"):
    """A seat has voted what is to be done `about` another one, which was out of time where the match stood.

    With the vote that has `carried` that is done in the same transaction.
    """

    seat: Seat
    about: Seat
    what: VoteWhat
    head: bytes
    carried: bool = False


class OrderGiven(Event, frozen=True, tag="order_given.1"):
    """A seat has ordered ahead what is to be played when its turn comes: it stands in a stream of its player's own."""

    text: str
    seat: Seat


class OrderEnded(Event, frozen=True, tag="order_ended.1"):
    """A standing order holds no more, by its number: it was carried out, or else `why` says what has become of it."""

    order: int
    why: str = ""


class NoticesWanted(Event, frozen=True, tag="notices_wanted.1"):
    """How a player wants to be notified while away: a kind, and the values it needs; "" for not at all."""

    kind: str
    values: Mapping[str, str] = {}


class NoticeSent(Event, frozen=True, tag="notice_sent.1"):
    """A notification was sent: of a turn, of a request, of the end, each by its key."""

    marks: tuple[str, ...]


AboutRequests: TypeAlias = TakebackRequested | RequestAnswered | RequestWithdrawn | RequestGranted
DiscussionEvent: TypeAlias = (Said | TakebacksAgreed | HelpAgreed | AboutRequests) | (
    VoteCast | OrderGiven | OrderEnded | NoticesWanted | NoticeSent
)
"""Something around a game."""
EVENTS: Sequence[type[DiscussionEvent]] = get_args(DiscussionEvent)


def terms_events(takebacks: Takebacks, *, helps: bool) -> list[DiscussionEvent]:
    """How a game is to be played, where that is not the usual way."""
    said: list[DiscussionEvent] = [TakebacksAgreed(takebacks)] if takebacks != "ask" else []
    return said if helps else [*said, HelpAgreed(helps)]


def forms() -> Forms:
    """The events of this room, for the store."""
    return Forms(EVENTS)


def public_stream(names: str) -> str:
    """The stream that all may read, of the game whose lines have their names in a stream."""
    return f"{names}.{KIND}"


def private_stream(names: str, whose: str) -> str:
    """The stream that is one person's alone: by who they are, which it does not tell."""
    return f"{names}.own.{short_digest(whose.encode()).hex()}"


def is_private(stream: str) -> bool:
    """Whether a stream is one person's alone."""
    return ".own." in stream


def names_stream_of(stream: str) -> str:
    """The stream of names beside which a stream of proceedings stands; "" for any other stream.

    >>> [names_stream_of(each) for each in (public_stream("5f3a"), private_stream("5f3a", "anna"), "5f3a")]
    ['5f3a', '5f3a', '']
    """
    names, dot, _ = stream.partition(".")
    return names if dot else ""


class TakebackRequest(msgspec.Struct, frozen=True):
    """A request as far as it has come: who has accepted it, who declined, and how it `ended`, if it has."""

    number: int
    by: str
    at: datetime
    seat: Seat
    line: str
    revision: int
    head: bytes
    to: bytes
    move: str
    accepted: tuple[Seat, ...] = ()
    declined: Seat = ""
    ended: Literal["open", "granted", "declined", "withdrawn"] = "open"


class Discussion(msgspec.Struct, eq=False):
    """A discussion stream, folded up to `revision`: `talk` is the chat, first to last.

    `requests` are by their numbers; `changed` has for each revision of theirs which one was asked for, or answered.
    `orders` are those that stand, by their numbers, `ended` those that held once. `asked` has the entries that were
    asked for with an id.
    """

    stream: str
    revision: int = -1
    digest: bytes = b""
    talk: list[Remark] = []
    takebacks: Takebacks = "ask"
    helps: bool = True
    requests: dict[int, TakebackRequest] = {}
    changed: dict[int, int] = {}
    orders: dict[int, StandingOrder] = {}
    ended: list[StandingOrder] = []
    notices: NoticesWanted | None = None
    told: frozenset[str] = frozenset()
    votes: list[Vote] = []
    open_votes: dict[tuple[Seat, bytes], dict[Seat, VoteWhat]] = {}
    asked: dict[str, Entry] = {}

    def votes_on(self, about: Seat, head: bytes) -> Mapping[Seat, VoteWhat]:
        """How seats have voted about another one, where the match stands now: until that is done, or it goes on."""
        return self.open_votes.get((about, head), {})

    def earlier_entry(self, by: str, key: IdempotencyKey) -> Entry | None:
        """What was made when this was asked for before. Raises `ConflictError` where that was something else."""
        entry = self.asked.get(key.id)
        if entry:
            check_same(entry, by, key)
        return entry

    def refresh(self, store: EventStore) -> None:
        """Reads what was appended since. Raises `StoreError`."""
        for entry in store.read(self.stream, after=self.revision):
            self.advance(entry)

    def advance(self, entry: Entry) -> None:
        """Applies an entry. Raises `DamagedError` for one that can't follow, as none does that was appended here."""
        for event in entry.events:
            if isinstance(event, SealsBound):
                continue
            if entry.is_commit or not isinstance(event, DiscussionEvent):
                raise damaged_error(entry.stream, entry.revision, "this does not belong in a discussion")
            try:
                self.check(event)
            except GameError as error:
                raise damaged_error(entry.stream, entry.revision, str(error)) from error
            self._evolve(event, entry)
        if entry.seal.request:
            self.asked[entry.seal.id] = entry
        self.revision, self.digest = entry.revision, entry.digest

    def check(self, event: DiscussionEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        match event:
            case Said(text=text):
                check_text(text)
            case TakebackRequested(move=move):
                if move:
                    check_text(move)
            case RequestAnswered(number=number) | RequestWithdrawn(number=number) | RequestGranted(number=number):
                known = self.requests.get(number)
                if known is None or known.ended != "open":
                    raise UnknownError(f"there is no request {number} to be answered", "", ["requests"])
            case OrderGiven(text=text):
                check_text(text)
                if not is_private(self.stream):
                    raise GameError("an order is private", "it belongs in the player's own stream")
            case NoticesWanted() | NoticeSent() if not is_private(self.stream):
                raise GameError("how a player is notified is private", "it belongs in the player's own stream")
            case OrderEnded(order=order) if order not in self.orders:
                raise UnknownError(f"there is no order {order}", "or it is no longer active", ["orders"])

    def open_request(self, event: TakebackRequested, number: int, by: str, at: datetime) -> TakebackRequest:
        """A request that was just made."""
        return TakebackRequest(number, by, at, event.seat, event.line, event.revision, event.head, event.to, event.move)

    def request_of(self, revision: int) -> TakebackRequest:
        """The request that an entry is about."""
        return self.requests[self.changed[revision]]

    def _evolve(self, event: DiscussionEvent, entry: Entry) -> None:
        seal, known = entry.seal, self.requests
        match event:
            case TakebacksAgreed(how=how):
                self.takebacks = how
            case HelpAgreed(helps=helps):
                self.helps = helps
            case TakebackRequested():
                number = len(known) + 1
                known[number] = self.open_request(event, number, seal.by, seal.at)
            case RequestAnswered(number=number, seat=seat, accepted=True):
                known[number] = replace(known[number], accepted=(*known[number].accepted, seat))
            case RequestAnswered(number=number, seat=seat):
                known[number] = replace(known[number], declined=seat, ended="declined")
            case RequestWithdrawn(number=number):
                known[number] = replace(known[number], ended="withdrawn")
            case RequestGranted(number=number):
                known[number] = replace(known[number], ended="granted")
            case Said(text=text, seat=seat, about=about):
                own = is_private(self.stream)
                self.talk.append(Remark(entry.revision, seal.by, seat, seal.at, text, about.hex(), own))
            case NoticesWanted():
                self.notices = event
            case NoticeSent(marks=marks):
                self.told = self.told.union(marks)
            case VoteCast(seat=seat, about=about, what=what):
                self.votes.append(Vote(entry.revision, seal.by, seat, seal.at, about, what, event.carried))
                voted = {} if event.carried else {**self.votes_on(about, event.head), seat: what}
                self.open_votes = {**self.open_votes, (about, event.head): voted}
            case OrderGiven(text=text, seat=seat):
                given = StandingOrder(entry.revision, text, seat, seal.by, seal.at)
                self.orders = {**self.orders, given.number: given}
            case OrderEnded(order=order, why=why):
                self.ended.append(replace(self.orders[order], ended=seal.at, why=why))
                self.orders = {number: each for number, each in self.orders.items() if number != order}
            case _:
                assert_never(event)
        if isinstance(event, AboutRequests):
            self.changed[entry.revision] = getattr(event, "number", len(known))


def check_text(text: str) -> None:
    """Raises `GameError` for what can't be said: nothing, too much, or what would drive a terminal."""
    if not text.strip():
        raise GameError("no text given", "a message has a text", ["say well played"])
    if len(text) > MAX_CHARACTERS:
        raise GameError("that is too long", f"{MAX_CHARACTERS} characters are the limit, this has {len(text):,}")
    if printable(text) != text:
        raise GameError("this can't be said", "it contains invisible characters, or more than one line")
