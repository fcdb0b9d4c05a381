"""The commands for takebacks, and requests as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Unpack

import click

from zimcli.render.answers import Renderers
from zimcli.render.remarks import person_label
from zimcli.render.spans import Block, Line, Note, Screen
from zimcli.session.command import RetryOptions, argument, id_option, place_command, retry_options
from zimcli.session.seen_discussion import Told
from zimcli.session.server_only import match_name
from zimcli.session.session import Session
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.documents import NewRequest, RequestInfo, RequestReply, RequestsAnswer
from zimcore.game import Seat

MAX_MOVES = 8
"""The most moves to list of those that a request would undo."""


@place_command()
def requests(session: Session, place: str) -> RequestsAnswer:
    """List requests between players.

    Example::

        zim requests kilwa-7
    """
    from zimcore.features.takebacks import actions  # slow to import

    return session.service.query(actions.requests, PageQuery(), match_name(place), session.viewer)


@place_command()
@argument("steps", type=click.IntRange(1), default=1)
@retry_options
def takeback(session: Session, place: str, steps: int, **options: Unpack[RetryOptions]) -> RequestsAnswer:
    """Ask the other players to take moves back.

    You need not ask about your last move if no move was played since and it revealed nothing: `undo` takes it back. For
    anything further the other players see which moves would be gone, and accept or decline. When all have accepted, Zim
    takes the moves back. The request lapses if a move is played first. To change a move and keep the later ones that
    are still legal, use `amend ... --ask`.

    The request says whether you have seen hidden cards since: you will still know them. With takebacks=free you ask
    only in that case; with takebacks=never moves are final.

    Example::

        zim takeback kilwa-7 2 --as zulu
    """
    return ask(session, place, NewRequest(steps), **options)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def accept(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Accept a request of another player.

    Leave the number out if only one request waits for you. When the last player accepts, it is done at once.

    Example::

        zim accept kilwa-7 1 --as lozi
    """
    return answer_request(session, place, "granted", number or 0, command_id)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def decline(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Decline a request of another player.

    Leave the number out if only one request waits for you. The game stays as it is.

    Example::

        zim decline kilwa-7 1 --as lozi
    """
    return answer_request(session, place, "declined", number or 0, command_id)


@place_command()
@argument("number", type=click.IntRange(1), required=False)
@id_option
def withdraw(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Withdraw your request to the other players.

    Leave the number out if only one request of yours is open.

    Example::

        zim withdraw kilwa-7 1 --as zulu
    """
    return answer_request(session, place, "withdrawn", number or 0, command_id)


def answer_request(
    session: Session, place: str, status: Literal["granted", "declined", "withdrawn"], number: int, command_id: str
) -> RequestsAnswer:
    """Grants, declines or withdraws a request."""
    from zimcore.features.takebacks import actions  # slow to import

    answer = session.service.change(
        actions.answer,
        RequestReply(status),
        match_name(place),
        {"number": number} if number else {},
        by=session.by,
        command_id=command_id,
        viewer=session.viewer,
    )
    return show_new_head(session, answer, place)


def ask(session: Session, place: str, body: NewRequest, **options: Unpack[RetryOptions]) -> RequestsAnswer:
    """Asks the other players."""
    from zimcore.features.takebacks import actions  # slow to import

    answer = session.service.change(actions.ask, body, place, by=session.by, viewer=session.viewer, **options)
    return show_new_head(session, answer, place)


def show_new_head(session: Session, answer: RequestsAnswer, place: str) -> RequestsAnswer:
    """The answer; if a request was granted, and moved the current line, the session sees the new head."""
    (request,) = answer.requests
    if request.status == "granted" and session.place == f"{match_name(place)}/{request.line}":
        session.record_head(session.head(session.place))
    return answer


def request_lines(request: RequestInfo) -> Iterator[Line]:
    """A request: its author, what it asks, the moves it would undo, and how to reply; or its outcome."""
    person, number, count = person_label(request.by, request.seat), request.number, len(request.gone)
    if request.status != "open":
        decliner_note = f" by {request.declined}" if request.declined else ""
        reason = f": {request.line or 'its line'} has moved on" if request.status == "lapsed" else ""
        yield [(f"request {number} of {person}: ", "bold"), (f"{request.status}{decliner_note}{reason}", "")]
        return
    request_text = (
        f"to play {request.move} at @{request.to + 1} instead" if request.move else f"to go back to @{request.to}"
    )
    yield [
        (f"request {number}: {person} asks {request_text}", "bold yellow"),
        (f" on {request.line}; this would take back:", ""),
    ]
    for move in request.gone[:MAX_MOVES]:
        yield [(f"  @{move.number} {move.seat}: {move.text}", "")]
    if count > MAX_MOVES:
        yield [(f"  and {count - MAX_MOVES} more", "dim")]
    if request.seen:
        moves = ", ".join(f"@{number}" for number in request.seen)
        yield [(f"  {person} has seen hidden cards since ({moves}) and will still know them", "yellow")]
    if request.waiting:
        yield [(f"waits for {' and '.join(request.waiting)}: accept {number} or decline {number}", "dim")]


def requests_blocks(answer: RequestsAnswer, _: Screen) -> Iterator[Block]:
    """Each request; an open one with the moves it would undo."""
    for request in answer.requests:
        yield from request_lines(request)
    if not answer.requests:
        yield Note("there are no requests")


RENDERERS: Renderers = {RequestsAnswer: requests_blocks}


def news(session: Session, match: str) -> Sequence[Told]:
    """All requests, oldest first."""
    from zimcore.features.takebacks import actions

    requests = session.service.query(actions.requests, PageQuery(), match, session.viewer).requests
    return [
        Told(
            f"request {each.number}",
            f"{each.status} {len(each.accepted)}",
            [*request_lines(each)],
            was_caused_by(each, session.viewer.seat),
            each.waiting,
            f"{each.by} asks: accept {each.number}, decline {each.number}",
        )
        for each in requests
    ]


def was_caused_by(request: RequestInfo, seat: Seat | None) -> bool:
    """Whether the player caused this state of the request: the answer to their command has already shown it."""
    is_own_question = request.status == "open" and request.seat == seat and not request.accepted
    return bool(seat) and (
        is_own_question or request.declined == seat or (request.status == "withdrawn" and request.seat == seat)
    )
