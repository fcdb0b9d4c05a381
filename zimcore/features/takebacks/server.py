"""Takeback requests on the network, and on the page of a game: the open requests, and a form to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from zimcore.commits import Commit, Position
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks import actions
from zimcore.features.takebacks.documents import ANSWER, ASK, NewRequest, RequestReply, RequestsAnswer
from zimcore.features.takebacks.events import RequestChange, Requests
from zimcore.game import GameError, Refused, RefusedError
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, serve
from zimcore.server.news.feeds import FeedSource
from zimcore.server.pages.error_hints import with_fitting_hints
from zimcore.server.pages.form_handlers import FormAction
from zimcore.server.pages.panels import Panel, Shown
from zimcore.server.people.access import Visitor, place_of, viewer_of
from zimcore.server.wire.problem_responses import ProblemError, problem_of, refusal_problem
from zimcore.service import GameService, Viewer
from zimcore.service.actions import ActionCall
from zimcore.service.lines.visibility import TABLE

MAX_TAKEBACKS = 30
"""The most moves that a page offers to take back, counted from the last."""

requests = serve(actions.requests)


@handles(ASK)
def ask(call: Call, body: NewRequest) -> RequestsAnswer:
    """Asks the other players for a takeback, on a public line; if no consent is needed it is done at once."""
    if bool(body.at) != bool(body.move):
        raise ProblemError(
            400, "at and move belong together", "at names the move to replace, move the one to play instead"
        )
    place, viewer = place_of(call.visitor, body.line, body.at), viewer_of(call.service, call.visitor, body.line)
    if not viewer.own:
        raise ProblemError(403, f"only you see {body.line}", "take moves back there without asking", ["undo"])
    try:
        return call.service.change(
            actions.ask, body, place, expected=call.expected_head, viewer=viewer, **call.write_arguments
        )
    except RefusedError as error:
        raise ProblemError.from_problem(refusal_problem(body.move, error.refused)) from error


@handles(ANSWER)
def answer(call: Call, body: RequestReply) -> HandlerAnswer[RequestsAnswer]:
    """Accepts or declines a request, or withdraws your own. When the last player accepts, the takeback is done."""
    viewer = Viewer(call.seat, own=True)
    document = call.service.change(
        actions.answer, body, call.game, call.path_values, viewer=viewer, **call.write_arguments
    )
    return HandlerAnswer(document, body.status)


def request_answer(call: ActionCall, change: RequestChange) -> RequestsAnswer:
    """A list of the request that changed, as spectators may see it."""
    return actions.about(call, call.repository.discussion(call.match).of(Requests).by_number[change.request])


def open_requests(shown: Shown) -> Mapping[str, Any]:
    """The open requests; those that wait for the visitor's answer come first."""
    seat, game = shown.visitor.seat, shown.visitor.game
    if not shown.is_player:
        return {"asked_for": ()}
    requests = shown.service.query(actions.requests, PageQuery(), game, Viewer(seat)).requests
    open_ones = [request for request in requests if request.status == "open"]
    return {"asked_for": sorted(open_ones, key=lambda request: seat not in request.waiting)}


class TakebackForm(msgspec.Struct, frozen=True):
    """A takeback request in preparation: back to before move `number`, what to play instead, and the moves undone."""

    number: int
    instead: str
    undone_commits: Sequence[Commit] = ()
    problem: ProblemDetails | None = None


def takeback_values(shown: Shown) -> Mapping[str, Any]:
    """All requests, and a form for a new one."""
    service, visitor, head, commits = shown.service, shown.visitor, shown.head, shown.commits
    takebacks, back_text = service.discussion(visitor.game).takebacks, shown.query["takeback"]
    may_ask = shown.is_player and not visitor.owns(head.line) and not head.outcome.over
    may_ask = may_ask and takebacks != "never" and head.commit.number > 0
    viewer = Viewer(visitor.seat) if shown.is_player else Viewer(None, plays=False)
    return {
        "requests": service.query(actions.requests, PageQuery(), visitor.game, viewer).requests,
        "asks": may_ask,
        "takebacks": takebacks,
        "recent": commits[1:][-MAX_TAKEBACKS:],
        "asking": takeback_preview(service, visitor, head, commits, back_text, shown.query["new_move"])
        if may_ask and back_text
        else None,
    }


def takeback_preview(
    service: GameService, visitor: Visitor, head: Position, commits: Sequence[Commit], back_text: str, new_move: str
) -> TakebackForm:
    """The result of a takeback: the moves that would be gone, or the problem with the move to play instead."""
    number = (
        int(back_text)
        if back_text.isascii() and back_text.isdigit() and 0 < int(back_text) < len(commits)
        else len(commits) - 1
    )
    if not new_move:
        return TakebackForm(number, new_move, commits[number:])
    try:
        replay = service.amend(
            f"{head.place}@{commits[number].digest}",
            new_move,
            by="",
            keep="skip",
            dry_run=True,
            viewer=TABLE if head.game.secrets is None else Viewer(visitor.seat),
        )
    except GameError as error:
        problem = problem_of(error)
        return TakebackForm(
            number, new_move, problem=with_fitting_hints(problem, lambda _: problem.kind == "ambiguous")
        )
    if isinstance(replay, Refused):
        return TakebackForm(number, new_move, problem=refusal_problem(new_move, replay))
    return TakebackForm(number, new_move, [commits[number], *(conflict.commit for conflict in replay.conflicts)])


FEED = FeedSource("request", lambda discussion: [*discussion.of(Requests).changes.values()], request_answer, "requests")
PANELS = (
    Panel("act", "takebacks/asked.html", open_requests),
    Panel("around", "takebacks/asking.html", takeback_values),
)
FORMS = (
    FormAction("/games/{game}/requests", ask),
    FormAction("/games/{game}/requests/{number}", answer),
)
