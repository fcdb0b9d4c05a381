"""The rows of `log --ops` about takeback requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never, get_args

from zimcore.features.takebacks.events import (
    RequestAnswered,
    RequestEvent,
    RequestGranted,
    Requests,
    RequestWithdrawn,
    TakebackRequest,
    TakebackRequested,
)
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.writing.operation_kinds import OperationRow, not_undoable_error
from zimcore.service.writing.operations import LoggedOperation


def operations(repository: LineRepository, loaded_line: LoadedLine) -> Iterator[LoggedOperation]:
    """The takeback requests on a line, and the answers to them."""
    discussion = repository.discussion(loaded_line.match)
    for entry in repository.store.read(discussion.stream):
        takeback = discussion.of(Requests).of_revision(entry.revision)
        for event in entry.events if takeback and takeback.line == loaded_line.line.stream else ():
            if takeback and isinstance(event, get_args(RequestEvent)):
                yield LoggedOperation(entry, request_operation(event, takeback, loaded_line))


def request_operation(event: RequestEvent, takeback: TakebackRequest, loaded_line: LoadedLine) -> OperationRow:
    """The operation of an event about a takeback request on a line."""
    request_name = f"request {takeback.number}"
    error = not_undoable_error("the record of requests and answers stays", loaded_line.match)
    match event:
        case TakebackRequested(to=to):
            what, source, target = "request", takeback.seat, f"@{loaded_line.line.commit_numbers[to]}"
        case RequestAnswered(seat=seat, accepted=accepted):
            what, source, target = "accept" if accepted else "decline", seat, request_name
        case RequestWithdrawn():
            what, source, target = "withdraw", takeback.seat, request_name
        case RequestGranted():
            what, source, target = "grant", takeback.seat, request_name
        case _:
            assert_never(event)
    return OperationRow(what, source, target, error, is_discussion=True)
