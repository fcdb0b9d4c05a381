"""Handlers of the discussion: chat, takeback requests, standing orders, votes, notifications."""

from __future__ import annotations

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
from zimcore.documents.seats import NewNotices, NoticesAnswer
from zimcore.game import RefusedError
from zimcore.server.access import line_of, viewer_of
from zimcore.server.notifier import check_wanted, holes
from zimcore.server.problem_responses import ProblemError, refusal_problem
from zimcore.server.routing import Call, HandlerAnswer, handles
from zimcore.service import Viewer
from zimcore.service.visibility import TABLE


@handles(endpoints.TALK)
def talk(call: Call, _: Nothing) -> TalkAnswer:
    """What was said, first to last, with one's own notes."""
    service, visitor = call.service, call.visitor
    if visitor.seat:
        found = service.talk(call.game, by=visitor.name, whose=visitor.grant.id, viewer=Viewer(visitor.seat))
    else:  # nobody else has notes: the name of a token is no proof of who somebody is
        found = service.discussion(call.game).talk
    return TalkAnswer(call.game, tuple(found))


@handles(endpoints.SAY)
def say(call: Call, given: NewRemark) -> TalkAnswer:
    """Says something to all, or notes it for oneself. For who has a seat, and for the host."""
    visitor = call.visitor
    place = line_of(visitor, given.line, given.at)
    if given.at and not given.own and visitor.owns(given.line):
        raise ProblemError(403, f"only you see {given.line}", "the line is yours alone", ["own: true", "share it"])
    said = call.service.say(
        place,
        given.text,
        own=given.own,
        whose=visitor.grant.id,
        **call.asking,
        viewer=Viewer(visitor.seat) if visitor.seat else TABLE,
    )
    return TalkAnswer(call.game, (said,))


@handles(endpoints.REQUESTS)
def requests(call: Call, _: Nothing) -> RequestsAnswer:
    """What was asked for, first to last, with what it would come to while it can be granted."""
    return RequestsAnswer(call.game, tuple(call.service.requests(call.game, Viewer(call.seat))))


@handles(endpoints.ASK)
def ask(call: Call, given: NewRequest) -> RequestsAnswer:
    """Asks the others for a takeback, on a line that all see; if no consent is needed it is done at once."""
    if bool(given.at) != bool(given.move):
        raise ProblemError(400, "no move given, or nothing to play instead", "to replace a move, give both at and move")
    place, viewer = line_of(call.visitor, given.line, given.at), viewer_of(call.service, call.visitor, given.line)
    if not viewer.own:
        raise ProblemError(403, f"only you see {given.line}", "take moves back there without asking", ["undo"])
    try:
        asked = call.service.ask(
            place,
            given.steps,
            move=given.move,
            expected=call.expected,
            viewer=viewer,
            **call.asking,
        )
    except RefusedError as error:
        raise ProblemError.of(refusal_problem(given.move, error.refused)) from error
    return RequestsAnswer(call.game, (asked,))


@handles(endpoints.ANSWER)
def answer(call: Call, given: RequestReply) -> HandlerAnswer[RequestsAnswer]:
    """Accepts a request, declines it, or withdraws one's own. With the last who has to agree it is done."""
    viewer, number = Viewer(call.seat, own=True), int(call.path["number"])
    found = call.service.answer(call.game, given.status, number, viewer=viewer, **call.asking)
    return HandlerAnswer(RequestsAnswer(call.game, (found,)), given.status)


@handles(endpoints.VOTES)
def votes(call: Call, _: Nothing) -> VotesAnswer:
    """The seats that are out of time, and how the others have voted."""
    return call.service.votes(call.game)


@handles(endpoints.VOTE)
def vote(call: Call, given: NewVote) -> VotesAnswer:
    """Votes to wait for a seat that is out of time, to give it to a program, or to end the match where it stands.

    With the last of the others who has to agree it is done.
    """
    return call.service.vote(call.game, given.what, given.seat, viewer=Viewer(call.seat), **call.asking)


@handles(endpoints.ORDERS)
def orders(call: Call, _: Nothing) -> OrdersAnswer:
    """A seat's standing orders, what became of them, and what can be ordered."""
    return call.service.orders(call.game, call.seat, Viewer(call.seat))


@handles(endpoints.ORDER)
def give(call: Call, given: NewOrder) -> OrdersAnswer:
    """Orders ahead what is to be played when one's turn comes; where that is now, it is played now."""
    return call.service.order(call.game, given.text, seat=call.seat, viewer=Viewer(call.seat), **call.asking)


@handles(endpoints.TAKE_BACK_ORDER)
def take_back(call: Call, _: Nothing) -> OrdersAnswer:
    """Takes an order back: it plays nothing more."""
    seat, number = call.seat, int(call.path["order"])
    return call.service.take_back_order(call.game, number, seat=seat, viewer=Viewer(seat), **call.asking)


@handles(endpoints.NOTICES)
def notices(call: Call, _: Nothing) -> NoticesAnswer:
    """How a player is notified while away, and the kinds available."""
    return kinds_of(call)


@handles(endpoints.WANT_NOTICES)
def want(call: Call, given: NewNotices) -> NoticesAnswer:
    """Sets how a player is notified of their turn, of requests and of the end; "" for not at all."""
    check_wanted(call.dispatcher.notifier.kinds, given)
    call.service.want_notices(call.game, given.kind, given.values, whose=call.visitor.grant.id, **call.asking)
    return kinds_of(call)


def kinds_of(call: Call) -> NoticesAnswer:
    """A player's choice of notices, and the kinds available."""
    wanted, kinds = call.service.notices(call.game, call.visitor.grant.id), call.dispatcher.notifier.kinds
    return NoticesAnswer(
        call.game,
        wanted.kind if wanted else "",
        dict(wanted.values) if wanted else {},
        {kind: holes(url) for kind, url in kinds.items()},
    )
