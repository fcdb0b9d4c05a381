"""Handlers of the discussion: chat, standing orders, notifications."""

from __future__ import annotations

from zimcore.documents import endpoints
from zimcore.documents.discussion import (
    NewOrder,
    NewRemark,
    OrdersAnswer,
    TalkAnswer,
)
from zimcore.documents.endpoint import Nothing
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import NewNotices, NoticesAnswer
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, page_of
from zimcore.server.news.notice_kinds import check_notice_choice, push_key_of
from zimcore.server.people.access import place_of
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.service import Viewer
from zimcore.service.lines.visibility import TABLE


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
