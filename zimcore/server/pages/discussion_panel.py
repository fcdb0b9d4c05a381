"""The discussion panel of a page: chat, takeback requests, standing orders, terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from zimcore.commits import Commit, Position
from zimcore.documents.discussion import RequestInfo
from zimcore.documents.problems import ProblemDetails
from zimcore.game import GameError, Refused
from zimcore.server.access import Visitor
from zimcore.server.pages.error_hints import with_fitting_hints
from zimcore.server.problem_responses import problem_of, refusal_problem
from zimcore.service import GameService, Viewer
from zimcore.service.visibility import TABLE

MAX_TAKEBACKS = 30
"""The most moves that a page offers to take back, counted from the last."""
MAX_REMARKS = 200
"""The most messages that a page shows, the newest."""
PHRASES = ("Hi", "Good luck", "One moment", "Well played")
"""Messages that a click sends."""


class TakebackForm(msgspec.Struct, frozen=True):
    """A takeback request in preparation: back to before move `number`, what to play instead, and the moves undone."""

    number: int
    instead: str
    undone_commits: Sequence[Commit] = ()
    problem: ProblemDetails | None = None


def discussion_values(
    service: GameService, visitor: Visitor, head: Position, commits: Sequence[Commit], back_text: str, new_move: str
) -> Mapping[str, Any]:
    """The values of the discussion panel, by the names in its template."""
    game, seat = visitor.game, visitor.seat
    is_player, viewer = visitor.role in ("seat", "bot"), Viewer(seat)
    may_ask = is_player and not visitor.owns(head.line) and not head.outcome.over
    may_ask = may_ask and service.discussion(game).takebacks != "never" and head.commit.number > 0
    remarks = service.talk(game, by=visitor.name, whose=visitor.grant.id, viewer=viewer) if is_player else None
    return {
        "talk": (service.discussion(game).remarks if remarks is None else remarks)[-MAX_REMARKS:],
        "says": is_player or visitor.role == "host",
        "phrases": PHRASES,
        "notes": is_player,
        "requests": service.requests(game, viewer if is_player else Viewer(None, plays=False)),
        "orders": service.orders(game, seat, viewer) if is_player and not head.outcome.over else None,
        "asks": may_ask,
        "takebacks": service.discussion(game).takebacks,
        "recent": commits[1:][-MAX_TAKEBACKS:],
        "asking": takeback_preview(service, visitor, head, commits, back_text, new_move)
        if may_ask and back_text
        else None,
        "numbers": {commit.digest: commit.number for commit in commits},
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


def open_requests(service: GameService, visitor: Visitor) -> Sequence[RequestInfo]:
    """The open requests; those that wait for the visitor's answer come first."""
    requests = [request for request in service.requests(visitor.game, Viewer(visitor.seat)) if request.status == "open"]
    return sorted(requests, key=lambda request: visitor.seat not in request.waiting)
