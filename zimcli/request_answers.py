"""Answers about requests between players, and what is new in the discussion of a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from zimcli.server_only import match_name
from zimcli.session import Session
from zimcore.documents.discussion import Remark, RequestInfo, RequestsAnswer, Vote
from zimcore.game import Seat


def request_answer(session: Session, request: RequestInfo, place: str) -> RequestsAnswer:
    """The answer about a request. If it was granted, and moved the current line, the session sees the new head."""
    match = match_name(place)
    if request.status == "granted" and session.place == f"{match}/{request.line}":
        session.record_head(session.head(session.place))
    return RequestsAnswer(match, (request,))


class SeenDiscussion(NamedTuple):
    """What the user last saw around the current game: messages, requests, votes, and who sits where (None: unknown)."""

    talk: Sequence[Remark] = ()
    requests: Sequence[RequestInfo] = ()
    votes: Sequence[Vote] = ()
    players: Mapping[Seat, str] | None = None

    def changes_since(self, discussion_before: SeenDiscussion) -> SeenDiscussion:
        """What is new since `discussion_before`: messages, requests whose state has changed, and votes."""
        known_remarks = {(each.number, each.own) for each in discussion_before.talk}
        seen_requests = {_request_state(each) for each in discussion_before.requests}
        return SeenDiscussion(
            [each for each in self.talk if (each.number, each.own) not in known_remarks],
            [each for each in self.requests if _request_state(each) not in seen_requests],
            self.votes[len(discussion_before.votes) :],
        )

    def changed_seats(self, discussion_before: SeenDiscussion, own_name: str = "") -> Iterator[tuple[Seat, str, str]]:
        """The seats whose player has changed since `discussion_before`: each with its player then and now, "" for none.

        Not what the person named `own_name` did: the answer to their own command has shown it.

        >>> [*SeenDiscussion(players={"zulu": "ben"}).changed_seats(SeenDiscussion(players={"kilwa": "ann"}))]
        [('kilwa', 'ann', ''), ('zulu', '', 'ben')]
        """
        if discussion_before.players is None or self.players is None:
            return
        for seat in dict.fromkeys([*discussion_before.players, *self.players]):
            player_before, player_now = discussion_before.players.get(seat, ""), self.players.get(seat, "")
            if player_before != player_now and (player_now or player_before) != own_name:
                yield seat, player_before, player_now

    def waiting_requests(self, seat: str | None) -> Sequence[RequestInfo]:
        """The requests that wait for an answer from a seat; with no seat, from any."""
        return [each for each in self.requests if (seat in each.waiting if seat else each.waiting)]


def _request_state(request: RequestInfo) -> tuple[int, str, int]:
    return request.number, request.status, len(request.accepted)


def read_discussion(session: Session) -> SeenDiscussion:
    """Reads the discussion of the current game."""
    assert session.current
    service, match = session.service, session.current.match
    talk = service.talk(match, by=session.by, viewer=session.viewer)
    return SeenDiscussion(
        talk, service.requests(match, session.viewer), [*service.discussion(match).votes], service.players(match)
    )
