"""Handlers that replay moves (`amend` on your own line, `pick` from another one); `forget` removes a line."""

from __future__ import annotations

from zimcore.documents import endpoints
from zimcore.documents.endpoint import Nothing
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.seats import NewAmendment, NewPick
from zimcore.game import Refused
from zimcore.server.endpoints.line_handlers import new_line_name, position_reply, report_missed_commits
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles
from zimcore.server.people.access import place_of
from zimcore.server.wire.problem_responses import ProblemError, refusal_problem
from zimcore.service import Viewer
from zimcore.service.lines.visibility import TABLE
from zimcore.service.records.results import Replay
from zimcore.service.writing.rewriting import rewrite_answer


@handles(endpoints.AMEND)
def amend(call: Call, body: NewAmendment) -> HandlerAnswer[RewriteAnswer]:
    """Begins a line of your own in which one move is replaced and the moves after it are replayed."""
    replay = call.service.amend(
        call.place(body.at),
        body.move,
        name=new_line_name(call.visitor, body.name),
        expected=call.expected_head,
        keep=body.keep,
        dry_run=body.dry_run,
        # On your own line you play all seats, if the game hides nothing.
        viewer=TABLE if call.service.game(call.game).secrets is None else Viewer(call.seat),
        **call.write_arguments,
    )
    if isinstance(replay, Refused):
        raise ProblemError.from_problem(refusal_problem(body.move, replay))
    return rewrite_reply(replay)


@handles(endpoints.PICK)
def pick(call: Call, body: NewPick) -> HandlerAnswer[RewriteAnswer]:
    """Replays a range of moves of another line at the head of this one, as far as you may play them there."""
    source_line, _, source_position = body.source.partition("@")
    place, source_place = call.place(), place_of(call.visitor, source_line or call.line, source_position)
    with report_missed_commits(call):
        replay = call.service.pick(
            place,
            source_place,
            expected=call.expected_head,
            keep=body.keep,
            dry_run=body.dry_run,
            viewer=call.viewer,
            **call.write_arguments,
        )
    return rewrite_reply(replay)


@handles(endpoints.FORGET)
def forget(call: Call, _: Nothing) -> PositionAnswer:
    """Removes the name of a line of your own, and returns the position of the match."""
    service, viewer = call.service, Viewer(call.seat)
    match = f"{call.game}/{service.names(call.game).first_line}"
    for line_viewer in (
        viewer,
        TABLE,
    ):  # the server must not keep the removed line as current: each client keeps its own
        if call.line in call.visitor.lines:
            service.switch(match, by=call.visitor.name, viewer=line_viewer)
    # Not by `call.place()`: a retry finds the line gone, and still gets the first answer.
    service.forget(f"{call.game}/{call.line}", viewer=viewer, **call.write_arguments)
    return position_reply(service.head(match, viewer))


def rewrite_reply(replay: Replay) -> HandlerAnswer[RewriteAnswer]:
    """The answer for a replay; without a head if nothing was stored."""
    return HandlerAnswer(rewrite_answer(replay), head=None if replay.stored else "")
