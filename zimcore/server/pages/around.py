"""What goes on around a game: talk, requests for takebacks, orders given ahead, the terms. As it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from zimcore.commits import Commit, Position
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.proceedings import RequestInfo
from zimcore.game import GameError, Refused
from zimcore.server.access import Visitor
from zimcore.server.pages.hints import typable
from zimcore.server.problems import problem_of, refused
from zimcore.service import GameService, Viewer
from zimcore.service.visibility import TABLE

MOST_BACK = 30
"""Moves that a page offers to take back, the last ones."""
MOST_SHOWN = 200
"""Remarks that a page shows, the last ones."""


class Asking(msgspec.Struct, frozen=True):
    """A takeback that somebody thinks of: before which move, what would be played instead, what would be gone then."""

    number: int
    instead: str
    gone: Sequence[Commit] = ()
    problem: ProblemDetails | None = None


def around(
    service: GameService, visitor: Visitor, head: Position, log: Sequence[Commit], back: str, instead: str
) -> Mapping[str, Any]:
    """What a page shows of it, by the names that its template uses."""
    game, seat = visitor.game, visitor.seat
    plays, viewer = visitor.role in ("seat", "bot"), Viewer(seat)
    asks = plays and not visitor.owns(head.line) and not head.outcome.over
    asks = asks and service.proceedings(game).takebacks != "never" and head.commit.number > 0
    said = service.talk(game, by=visitor.name, whose=visitor.grant.id, viewer=viewer) if plays else None
    return {
        "talk": (service.proceedings(game).talk if said is None else said)[-MOST_SHOWN:],
        "says": plays or visitor.role == "host",
        "notes": plays,
        "requests": service.requests(game, viewer if plays else Viewer(None, plays=False)),
        "orders": service.orders(game, seat, viewer) if plays and not head.outcome.over else None,
        "asks": asks,
        "takebacks": service.proceedings(game).takebacks,
        "recent": log[1:][-MOST_BACK:],
        "asking": asking(service, visitor, head, log, back, instead) if asks and back else None,
        "numbers": {commit.digest: commit.number for commit in log},
    }


def asking(
    service: GameService, visitor: Visitor, head: Position, log: Sequence[Commit], back: str, instead: str
) -> Asking:
    """What a takeback would come to."""
    number = int(back) if back.isascii() and back.isdigit() and 0 < int(back) < len(log) else len(log) - 1
    if not instead:
        return Asking(number, instead, log[number:])
    try:
        replay = service.amend(
            f"{head.place}@{log[number].digest}",
            instead,
            by="",
            keep="skip",
            dry_run=True,
            viewer=TABLE if head.game.secrets is None else Viewer(visitor.seat),
        )
    except GameError as error:
        problem = problem_of(error)
        return Asking(number, instead, problem=typable(problem, lambda _: problem.kind == "ambiguous"))
    if isinstance(replay, Refused):
        return Asking(number, instead, problem=refused(instead, replay))
    return Asking(number, instead, [log[number], *(each.commit for each in replay.conflicts)])


def open_requests(service: GameService, visitor: Visitor) -> Sequence[RequestInfo]:
    """The requests that are open, those first that wait for somebody's answer."""
    found = [each for each in service.requests(visitor.game, Viewer(visitor.seat)) if each.status == "open"]
    return sorted(found, key=lambda each: visitor.seat not in each.waiting)
