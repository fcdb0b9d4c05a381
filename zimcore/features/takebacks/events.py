"""The events of takeback requests, and what they add up to."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias, assert_never, get_args

import msgspec
from msgspec.structs import replace

from event_store import Entry
from zimcore.game import Event, Seat, UnknownError
from zimcore.service.records.discussion import check_text
from zimcore.service.records.folds import Share


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


RequestEvent: TypeAlias = TakebackRequested | RequestAnswered | RequestWithdrawn | RequestGranted


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


class RequestChange(NamedTuple):
    """The entry of a discussion that made or changed a request: its revision and time, and the request."""

    number: int
    at: datetime
    request: int


class Requests(Share, msgspec.Struct, eq=False):
    """The requests by number, and the entries that made or changed one by revision, oldest first."""

    event_types = get_args(RequestEvent)
    by_number: dict[int, TakebackRequest] = {}
    changes: dict[int, RequestChange] = {}

    def of_revision(self, revision: int) -> TakebackRequest | None:
        """The request that the entry at a revision is about, if any."""
        change = self.changes.get(revision)
        return self.by_number[change.request] if change else None

    def check_follows(self, event: RequestEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        if isinstance(event, TakebackRequested):
            if event.move:
                check_text(event.move)
            return
        request = self.by_number.get(event.number)
        if request is None or request.status != "open":
            raise UnknownError(f"there is no request {event.number} to be answered", "", ["requests"])

    def from_event(self, event: TakebackRequested, author: str, time: datetime) -> TakebackRequest:
        """The request that an event makes."""
        number = len(self.by_number) + 1
        return TakebackRequest(
            number, author, time, event.seat, event.line, event.revision, event.head, event.to, event.move
        )

    def apply(self, event: RequestEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        requests, seal = self.by_number, entry.seal
        match event:
            case TakebackRequested():
                request = self.from_event(event, seal.by, seal.at)
            case RequestAnswered(number=number, seat=seat, accepted=True):
                request = replace(requests[number], accepted_by=(*requests[number].accepted_by, seat))
            case RequestAnswered(number=number, seat=seat):
                request = replace(requests[number], declined_by=seat, status="declined")
            case RequestWithdrawn(number=number):
                request = replace(requests[number], status="withdrawn")
            case RequestGranted(number=number):
                request = replace(requests[number], status="granted")
            case _:
                assert_never(event)
        requests[request.number] = request
        # An entry is told once: a request may be granted as it is made.
        self.changes[entry.revision] = RequestChange(entry.revision, seal.at, request.number)


SHARE = Requests
