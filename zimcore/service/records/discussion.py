"""The discussion around a game: chat, terms, standing orders and notifications.

Each game has one public discussion stream, which all who see the game may read. Each person also has a private stream
per game, for notes, orders and notifications: other people can't see even its length, and exports leave it out. Both
are folded the same way. Features add events of their own: see `zimcore.features`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeAlias, assert_never, get_args

import msgspec
from msgspec.structs import replace

from event_store import Entry, Forms
from event_store.chain import digest_of_parts
from zimcore.commits import Commit
from zimcore.documents.discussion import Remark, StandingOrder, Takebacks
from zimcore.documents.listings import PositionNote
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.records.folds import Fold, Share
from zimcore.toolkit.printable import printable

DISCUSSION_KIND = "proceedings"
"""The kind that the topics of discussion events begin with."""
MAX_CHARACTERS = 500
"""The most characters of a message."""
MAX_REMARKS = 10_000
"""The most messages in one stream."""

ADDRESS_ID = "recorded/address"
"""The id of the entry in which an import says where a match was recorded."""


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


DiscussionEvent: TypeAlias = (Said | TakebacksAgreed | HelpAgreed) | (
    OrderGiven | OrderEnded | NoticesWanted | NoticeSent
)
"""An event of a discussion stream."""
DISCUSSION_EVENTS: tuple[type[DiscussionEvent], ...] = get_args(DiscussionEvent)


def terms_events(takebacks: Takebacks, *, helps: bool) -> list[DiscussionEvent]:
    """The events for the terms that differ from the defaults (takebacks by asking, help from programs)."""
    events: list[DiscussionEvent] = [TakebacksAgreed(takebacks)] if takebacks != "ask" else []
    return events if helps else [*events, HelpAgreed(helps)]


@cache
def share_types() -> Mapping[type[Event], type[Share]]:
    """The share that each event of a feature belongs to. Imports the events of all features."""
    from zimcore import features

    shares: list[type[Share]] = [module.SHARE for module in features.modules("events")]
    return {event_type: share for share in shares for event_type in share.event_types}


def forms() -> Forms:
    """The events of discussions, for the store."""
    return Forms((*DISCUSSION_EVENTS, *share_types()))


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


def notes_on(discussion: Discussion, commits: Iterable[Commit]) -> tuple[PositionNote, ...]:
    """What features say about the positions after these commits, and about the time before the deal."""
    digests = {"", *(commit.digest for commit in commits)}
    return tuple(
        note
        for share_type in dict.fromkeys(share_types().values())
        for note in discussion.of(share_type).notes()
        if note.about in digests
    )


class Discussion(Fold[DiscussionEvent], msgspec.Struct, eq=False):
    """A discussion stream, folded. `remarks` is the chat, oldest message first.

    `orders` has the active standing orders by number, `ended_orders` the former ones. `sent_notices` has
    the keys of the notifications that were sent. `address` is the message of an import that says where the match was
    recorded; a person's message is never taken for it.
    """

    event_types = DISCUSSION_EVENTS
    remarks: list[Remark] = []
    takebacks: Takebacks = "ask"
    allows_help: bool = True
    orders: dict[int, StandingOrder] = {}
    ended_orders: list[StandingOrder] = []
    wanted_notices: NoticesWanted | None = None
    sent_notices: frozenset[str] = frozenset()
    address: str = ""

    def share_types(self) -> Mapping[type[Event], type[Share]]:
        """The share that each event of a feature belongs to."""
        return share_types()

    def check_follows(self, event: DiscussionEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        match event:
            case Said(text=text):
                check_text(text)
            case OrderGiven(text=text):
                check_text(text)
                if not is_private(self.stream):
                    raise GameError("an order is private", "it belongs in the player's own stream")
            case NoticesWanted() | NoticeSent() if not is_private(self.stream):
                raise GameError("how a player is notified is private", "it belongs in the player's own stream")
            case OrderEnded(order=order) if order not in self.orders:
                raise UnknownError(f"there is no order {order}", "or it is no longer active", ["orders"])

    def apply(self, event: DiscussionEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        seal = entry.seal
        match event:
            case TakebacksAgreed(how=takebacks):
                self.takebacks = takebacks
            case HelpAgreed(helps=helps):
                self.allows_help = helps
            case Said(text=text, seat=seat, about=about):
                is_note = is_private(self.stream)
                self.remarks.append(Remark(entry.revision, seal.by, seat, seal.at, text, about.hex(), is_note))
                if seal.id == ADDRESS_ID and not seal.request:  # an id that a person chooses comes with a request
                    self.address = text
            case NoticesWanted():
                self.wanted_notices = event
            case NoticeSent(marks=marks):
                self.sent_notices = self.sent_notices.union(marks)
            case OrderGiven(text=text, seat=seat):
                new_order = StandingOrder(entry.revision, text, seat, seal.by, seal.at)
                self.orders = {**self.orders, new_order.number: new_order}
            case OrderEnded(order=order, why=why):
                self.ended_orders.append(replace(self.orders[order], ended=seal.at, why=why))
                self.orders = {number: each for number, each in self.orders.items() if number != order}
            case _:
                assert_never(event)


def check_text(text: str) -> None:
    """Raises `GameError` for an invalid message: empty, too long, or with characters that control a terminal."""
    if not text.strip():
        raise GameError("no text given", "a message has a text", ["say well played"])
    if len(text) > MAX_CHARACTERS:
        raise GameError("that is too long", f"{MAX_CHARACTERS} characters are the limit, this has {len(text):,}")
    if printable(text) != text:
        raise GameError("this can't be said", "it contains invisible characters, or more than one line")
