"""Handlers of the discussion: chat, takeback requests, standing orders, votes, notifications."""

from __future__ import annotations

from msgspec.structs import replace

from zimcore.documents import endpoints
from zimcore.documents.discussion import (
    NewOrder,
    NewRemark,
    NewRequest,
    NewVote,
    OrdersAnswer,
    RequestReply,
    RequestsAnswer,
    TalkAnswer,
    VotesAnswer,
)
from zimcore.documents.endpoints import Nothing
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import NewNotices, NoticesAnswer
from zimcore.game import RefusedError
from zimcore.server.access import place_of, viewer_of
from zimcore.server.notice_kinds import check_notice_choice, push_key_of
from zimcore.server.problem_responses import ProblemError, refusal_problem
from zimcore.server.routing import Call, HandlerAnswer, handles, page_of
from zimcore.service import Viewer
from zimcore.service.visibility import TABLE


@handles(endpoints.TALK)
def talk(call: Call, query: PageQuery) -> HandlerAnswer[TalkAnswer]:
    """The chat of a game, first to last, with your own notes."""
    service, visitor = call.service, call.visitor
    if visitor.seat:
        remarks = service.talk(call.game, by=visitor.name, whose=visitor.grant.id, viewer=Viewer(visitor.seat))
    else:  # only a seat has notes: you can choose any name for a token
        remarks = service.discussion(call.game).remarks
    page, headers = page_of(endpoints.TALK, call.path_values, remarks, query)
    return HandlerAnswer(TalkAnswer(call.game, tuple(page)), headers=headers)


@handles(endpoints.SAY)
def say(call: Call, body: NewRemark) -> TalkAnswer:
    """Sends a message to all, or adds a note for yourself. For players and the host."""
    visitor = call.visitor
    place = place_of(visitor, body.line, body.at)
    if body.at and not body.own and visitor.owns(body.line):
        raise ProblemError(403, f"only you see {body.line}", "the line is yours alone", ["own: true", "share it"])
    remark = call.service.say(
        place,
        body.text,
        own=body.own,
        whose=visitor.grant.id,
        **call.write_arguments,
        viewer=Viewer(visitor.seat) if visitor.seat else TABLE,
    )
    return TalkAnswer(call.game, (remark,))


@handles(endpoints.REQUESTS)
def requests(call: Call, query: PageQuery) -> HandlerAnswer[RequestsAnswer]:
    """The takeback requests, first to last; open ones with what they would undo."""
    page, headers = page_of(
        endpoints.REQUESTS, call.path_values, call.service.requests(call.game, Viewer(call.seat)), query
    )
    return HandlerAnswer(RequestsAnswer(call.game, tuple(page)), headers=headers)


@handles(endpoints.ASK)
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
        request = call.service.ask(
            place,
            body.steps,
            move=body.move,
            expected=call.expected_head,
            viewer=viewer,
            **call.write_arguments,
        )
    except RefusedError as error:
        raise ProblemError.from_problem(refusal_problem(body.move, error.refused)) from error
    return RequestsAnswer(call.game, (request,))


@handles(endpoints.ANSWER)
def answer(call: Call, body: RequestReply) -> HandlerAnswer[RequestsAnswer]:
    """Accepts or declines a request, or withdraws your own. When the last player accepts, the takeback is done."""
    viewer, number = Viewer(call.seat, own=True), int(call.path_values["number"])
    request = call.service.answer(call.game, body.status, number, viewer=viewer, **call.write_arguments)
    return HandlerAnswer(RequestsAnswer(call.game, (request,)), body.status)


@handles(endpoints.VOTES)
def votes(call: Call, query: PageQuery) -> HandlerAnswer[VotesAnswer]:
    """The seats that are out of time, and the votes of the others."""
    vote_list = call.service.votes(call.game)
    page, headers = page_of(endpoints.VOTES, call.path_values, vote_list.votes, query)
    return HandlerAnswer(replace(vote_list, votes=tuple(page)), headers=headers)


@handles(endpoints.VOTE)
def vote(call: Call, body: NewVote) -> VotesAnswer:
    """Votes to wait for a seat that is out of time, to let a bot play it, or to end the match as it is.

    When the last of the other players agrees, it is done.
    """
    return call.service.vote(call.game, body.what, body.seat, viewer=Viewer(call.seat), **call.write_arguments)


@handles(endpoints.ORDERS)
def orders(call: Call, _: Nothing) -> OrdersAnswer:
    """Your standing orders, what became of them, and what you can order."""
    return call.service.orders(call.game, call.seat, Viewer(call.seat))


@handles(endpoints.ORDER)
def add_order(call: Call, body: NewOrder) -> OrdersAnswer:
    """Adds a standing order, which is played when your turn comes; at once if it is your turn now."""
    return call.service.order(call.game, body.text, seat=call.seat, viewer=Viewer(call.seat), **call.write_arguments)


@handles(endpoints.TAKE_BACK_ORDER)
def take_back_order(call: Call, _: Nothing) -> OrdersAnswer:
    """Takes a standing order back: it plays nothing more."""
    seat, number = call.seat, int(call.path_values["order"])
    return call.service.take_back_order(call.game, number, seat=seat, viewer=Viewer(seat), **call.write_arguments)


@handles(endpoints.NOTICES)
def notices(call: Call, _: Nothing) -> NoticesAnswer:
    """How a player is notified while away, and the kinds available."""
    return notices_answer(call)


@handles(endpoints.WANT_NOTICES)
def set_notices(call: Call, body: NewNotices) -> NoticesAnswer:
    """Sets how a player is notified of their turn, of requests and of the end; "" for not at all."""
    check_notice_choice(call.notice_kinds, body)
    call.service.want_notices(call.game, body.kind, body.values, whose=call.visitor.grant.id, **call.write_arguments)
    return notices_answer(call)


def notices_answer(call: Call) -> NoticesAnswer:
    """A player's choice of notices, and the kinds available."""
    preference, kinds = call.service.notices(call.game, call.visitor.grant.id), call.notice_kinds
    return NoticesAnswer(
        call.game,
        preference.kind if preference else "",
        dict(preference.values) if preference else {},
        {name: kind.fields for name, kind in kinds.items()},
        push_key_of(kinds),
    )
