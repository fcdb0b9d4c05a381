"""Votes on a seat that is out of time: the others wait for it, let a program play it, or end the match as it stands.

A vote is about a position, so it no longer counts once the seat has played. When all voters agree, it is done.

In other words: adjudication, timeout.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from event_store import ConflictError
from zimcore.documents.discussion import LateSeat, VotesAnswer, VoteWhat
from zimcore.game import GameError, Seat, UnknownError
from zimcore.service.clocks import clocks_on
from zimcore.service.discussion import Discussion, VoteCast
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.memberships import GameEnded, SeatLeft, TimeGiven
from zimcore.service.names import BotSeated, NameEvent, Names
from zimcore.service.writer import Writer, WriteRequest


def cast(
    writer: Writer, lines: LineRepository, match: str, what: VoteWhat, seat: Seat, request: WriteRequest
) -> VotesAnswer:
    """Votes on a seat (by default the only one that is out of time), and does what all have voted for.

    Raises `GameError` for a viewer without a vote, and for a seat that has time left.
    """
    voter = request.viewer.seat or ""
    while True:
        discussion, found = lines.discussion(match), lines.line(match)
        if discussion.earlier_entry(request.by, request.key):
            return answer(lines, match, writer.clock())
        names = lines.names(match)
        late = _late_seats(found, names, writer.clock())
        about = seat or (late[0] if len(late) == 1 else "")
        _check_may_vote(lines, found, late, voter, about)
        head = found.line.head
        votes = {**discussion.votes_on(about, head), voter: what}
        carried = all(votes.get(each) == what for each in _voters(lines, found, late))
        event = VoteCast(voter, about, what, head, carried)
        discussion.check(event)
        draft = writer.draft([event], request.by, key=request.key)
        stored = [writer.store.seal_entry(discussion.stream, discussion.revision, draft)]
        if carried:
            done = _vote_events(lines, found, names, about, what)
            names.check(*done)
            stored.append(writer.store.seal_entry(names.stream, names.revision, writer.draft(done, request.by)))
        try:
            writer.store.adopt(stored)
            return answer(lines, match, writer.clock())
        except ConflictError:
            continue  # another writer has voted, sent a message or played: try again


def answer(lines: LineRepository, match: str, now: datetime) -> VotesAnswer:
    """The seats that are out of time, how the others have voted on each, and all votes that were cast."""
    names, discussion = lines.names(match), lines.discussion(match)
    if not names.lines:
        return VotesAnswer(match, (), ())
    found = lines.line(match)
    late = _late_seats(found, names, now)
    voters = _voters(lines, found, late)
    seats = tuple(_votes_so_far(discussion, found, seat, voters) for seat in late)
    return VotesAnswer(match, seats, tuple(discussion.votes), names.members.ended)


def _votes_so_far(discussion: Discussion, loaded: LoadedLine, seat: Seat, voters: Sequence[Seat]) -> LateSeat:
    votes = discussion.votes_on(seat, loaded.line.head)
    return LateSeat(seat, dict(votes), tuple(each for each in voters if each not in votes))


def _late_seats(loaded: LoadedLine, names: Names, now: datetime) -> Sequence[Seat]:
    if names.members.ended:
        return ()
    return [seat for seat, clock in clocks_on(loaded, names.members).items() if clock.due <= now]


def _voters(lines: LineRepository, loaded: LoadedLine, late: Sequence[Seat]) -> Sequence[Seat]:
    seats = loaded.game.evolution.seats(loaded.states.state_at(loaded.line.head))
    return [seat for seat in lines.people(loaded.match, seats) if seat not in late]


def _check_may_vote(lines: LineRepository, loaded: LoadedLine, late: Sequence[Seat], voter: Seat, about: Seat) -> None:
    if not voter:
        raise GameError("vote: no seat given", "a vote is cast by a seat", ["vote --as SEAT"])
    if not late:
        raise GameError("nobody is out of time", "there is nothing to vote on", [f"seats {loaded.match}"])
    if about not in late:
        raise UnknownError(
            f"{about} is not out of time" if about else "no seat given", "", [f"vote wait {each}" for each in late]
        )
    if voter not in _voters(lines, loaded, late):
        raise GameError(f"{voter} has no vote", "only seats that have time left vote", [f"seats {loaded.match}"])


def _vote_events(
    lines: LineRepository, loaded: LoadedLine, names: Names, about: Seat, what: VoteWhat
) -> Sequence[NameEvent]:
    match what:
        case "wait":
            return [TimeGiven(about)]
        case "end":
            return [GameEnded()]
        case "bot":
            if about in lines.bindings_on(loaded):
                raise GameError(f"{about} has a key", "a program can't sign for it", ["vote wait", "vote end"])
            bot = "quick" if loaded.game.strategy else "random"
            return [*([SeatLeft(about)] if about in names.members.seated else []), BotSeated(about, bot)]
