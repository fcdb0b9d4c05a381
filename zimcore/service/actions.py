"""Actions of features: a row of the table of endpoints, with the function that a service on a store runs for it.

A service runs the function itself, a server runs it for a visitor, and a client sends the request of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic

import msgspec

from zimcore.documents.endpoint import AnswerT, Endpoint, RequestT
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.lines.visibility import TABLE, Viewer
from zimcore.service.records.places import parse_place
from zimcore.service.writing.writer import Writer, WriteRequest, discussion_request


class ActionCall(msgspec.Struct, frozen=True):
    """A call of an action at a place: its author (for a write), the viewer, and what makes a retry safe.

    `path` has what the address of the endpoint names besides the place.
    """

    writer: Writer
    repository: LineRepository
    place: str
    path: Mapping[str, Any] = {}
    by: str = ""
    viewer: Viewer = TABLE
    command_id: str = ""
    expected: str | None = None

    @property
    def match(self) -> str:
        """The match of the place."""
        return parse_place(self.place).match

    def request(self, action: str, *parts: object, older_parts: Sequence[Sequence[object]] = ()) -> WriteRequest:
        """The write that is called for. Raises `GameError` for a viewer who may not write."""
        request = discussion_request(
            action, *parts, by=self.by, command_id=self.command_id, viewer=self.viewer, older_parts=older_parts
        )
        return request._replace(expected=self.expected)

    def request_about_line(self, action: str, line: str, *parts: object) -> WriteRequest:
        """A write to the discussion about a line, which a retry may call by another of its names."""
        names = self.repository.names(self.match)
        all_names = (*names.lines, *names.former_names) if self.command_id else ()
        is_about_game = action == "say" and not parts[0]
        same_names = [each for each in all_names if is_about_game or names.stream_of(each) == names.stream_of(line)]
        return self.request(action, line, *parts, older_parts=[(each, *parts) for each in same_names])


class Action(msgspec.Struct, Generic[RequestT, AnswerT], frozen=True):
    """An endpoint with the function that answers it; `items` names the field of the answer that is paged.

    A client answers a `folded` read by itself, from what it has received. `implied_number` finds the `number` of the
    address for a caller who leaves it out; a client remembers it, so that a retry is about the same.
    """

    row: Endpoint[RequestT, AnswerT]
    work: Callable[[ActionCall, RequestT], AnswerT]
    items: str = ""
    folded: bool = False
    implied_number: Callable[[ActionCall, RequestT], int] | None = None

    def __call__(self, call: ActionCall, request: RequestT) -> AnswerT:
        """Runs the action on a store."""
        return self.work(call, request)


def action(
    row: Endpoint[RequestT, AnswerT],
    items: str = "",
    *,
    folded: bool = False,
    implied_number: Callable[[ActionCall, RequestT], int] | None = None,
) -> Callable[[Callable[[ActionCall, RequestT], AnswerT]], Action[RequestT, AnswerT]]:
    """Decorator: makes a function the action of an endpoint."""
    return lambda work: Action(row, work, items, folded, implied_number)
