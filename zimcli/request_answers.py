"""What is answered about a request to the other players; and what came around a game since it was seen last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zimcli.server_only import game_of
from zimcli.session import Session
from zimcore.documents.discussion import Remark, RequestInfo, RequestsAnswer, Vote


def request_answer(session: Session, request: RequestInfo, place: str) -> RequestsAnswer:
    """The answer about a request. What is granted has moved its line: who is there sees it so."""
    match = game_of(place)
    if request.status == "granted" and session.place == f"{match}/{request.line}":
        session.saw(session.head(session.place))
    return RequestsAnswer(match, (request,))


class SeenDiscussion(NamedTuple):
    """What was said and asked for around the current game, as somebody saw it last."""

    talk: Sequence[Remark] = ()
    requests: Sequence[RequestInfo] = ()
    votes: Sequence[Vote] = ()

    def since(self, before: SeenDiscussion) -> SeenDiscussion:
        """What is new in it: remarks, and requests of which something has changed."""
        known = {(each.number, each.own) for each in before.talk}
        seen = {_request_state(each) for each in before.requests}
        return SeenDiscussion(
            [each for each in self.talk if (each.number, each.own) not in known],
            [each for each in self.requests if _request_state(each) not in seen],
            self.votes[len(before.votes) :],
        )

    def waiting_requests(self, seat: str | None) -> Sequence[RequestInfo]:
        """The requests that wait for a seat, or for anybody where all sit at one keyboard."""
        return [each for each in self.requests if (seat in each.waiting if seat else each.waiting)]


def _request_state(request: RequestInfo) -> tuple[int, str, int]:
    return request.number, request.status, len(request.accepted)


def read_discussion(session: Session) -> SeenDiscussion:
    """What was said and asked for around the current game."""
    assert session.here
    service, match = session.service, session.here.match
    talk = service.talk(match, by=session.by, viewer=session.viewer)
    return SeenDiscussion(talk, service.requests(match, session.viewer), [*service.discussion(match).votes])
