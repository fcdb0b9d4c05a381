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
from zimcore.service.clocks import clocks_of_line
from zimcore.service.discussion import Discussion, VoteCast
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.memberships import GameEnded, SeatLeft, TimeGiven
from zimcore.service.names import BotSeated, NameEvent, Names
from zimcore.service.writer import Writer, WriteRequest


def cast_vote(
    writer: Writer, repository: LineRepository, match: str, choice: VoteWhat, seat: Seat, request: WriteRequest
) -> VotesAnswer:
    """Votes on a seat (by default the only one that is out of time), and does what all have voted for.

    Raises `GameError` for a viewer without a vote, and for a seat that has time left.
    """
    voter = request.viewer.seat or ""
    while True:
        discussion, loaded_line = repository.discussion(match), repository.line(match)
        if discussion.earlier_entry(request.by, request.key):
            return votes_answer(repository, match, writer.clock())
        names = repository.names(match)
        late_seats = _late_seats(loaded_line, names, writer.clock())
        late_seat = seat or (late_seats[0] if len(late_seats) == 1 else "")
        _check_may_vote(repository, loaded_line, late_seats, voter, late_seat)
        head = loaded_line.line.head
        votes = {**discussion.votes_on(late_seat, head), voter: choice}
        is_carried = all(votes.get(each) == choice for each in _voters(repository, loaded_line, late_seats))
        event = VoteCast(voter, late_seat, choice, head, is_carried)
        discussion.check_follows(event)
        draft = writer.draft([event], request.by, key=request.key)
        new_entries = [writer.store.seal_entry(discussion.stream, discussion.revision, draft)]
        if is_carried:
            result_events = _vote_events(repository, loaded_line, names, late_seat, choice)
            names.check(*result_events)
            new_entries.append(
                writer.store.seal_entry(names.stream, names.revision, writer.draft(result_events, request.by))
            )
        try:
            writer.store.adopt(new_entries)
            return votes_answer(repository, match, writer.clock())
        except ConflictError:
            continue  # another writer has voted, sent a message or played: try again


def votes_answer(repository: LineRepository, match: str, now: datetime) -> VotesAnswer:
    """The seats that are out of time, how the others have voted on each, and all votes that were cast."""
    names, discussion = repository.names(match), repository.discussion(match)
    if not names.lines:
        return VotesAnswer(match, (), ())
    loaded_line = repository.line(match)
    late_seats = _late_seats(loaded_line, names, now)
    voters = _voters(repository, loaded_line, late_seats)
    seats = tuple(_votes_so_far(discussion, loaded_line, seat, voters) for seat in late_seats)
    return VotesAnswer(match, seats, tuple(discussion.votes), names.members.ended)


def _votes_so_far(discussion: Discussion, loaded_line: LoadedLine, seat: Seat, voters: Sequence[Seat]) -> LateSeat:
    votes = discussion.votes_on(seat, loaded_line.line.head)
    return LateSeat(seat, dict(votes), tuple(each for each in voters if each not in votes))


def _late_seats(loaded_line: LoadedLine, names: Names, now: datetime) -> Sequence[Seat]:
    if names.members.ended:
        return ()
    return [seat for seat, clock in clocks_of_line(loaded_line, names.members).items() if clock.due <= now]


def _voters(repository: LineRepository, loaded_line: LoadedLine, late_seats: Sequence[Seat]) -> Sequence[Seat]:
    seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
    return [seat for seat in repository.human_seats(loaded_line.match, seats) if seat not in late_seats]


def _check_may_vote(
    repository: LineRepository, loaded_line: LoadedLine, late_seats: Sequence[Seat], voter: Seat, late_seat: Seat
) -> None:
    if not voter:
        raise GameError("vote: no seat given", "a vote is cast by a seat", ["vote --as SEAT"])
    if not late_seats:
        raise GameError("nobody is out of time", "there is nothing to vote on", [f"seats {loaded_line.match}"])
    if late_seat not in late_seats:
        raise UnknownError(
            f"{late_seat} is not out of time" if late_seat else "no seat given",
            "",
            [f"vote wait {each}" for each in late_seats],
        )
    if voter not in _voters(repository, loaded_line, late_seats):
        raise GameError(f"{voter} has no vote", "only seats that have time left vote", [f"seats {loaded_line.match}"])


def _vote_events(
    repository: LineRepository, loaded_line: LoadedLine, names: Names, late_seat: Seat, choice: VoteWhat
) -> Sequence[NameEvent]:
    match choice:
        case "wait":
            return [TimeGiven(late_seat)]
        case "end":
            return [GameEnded()]
        case "bot":
            if late_seat in repository.bindings_on(loaded_line):
                raise GameError(f"{late_seat} has a key", "a program can't sign for it", ["vote wait", "vote end"])
            bot = "quick" if loaded_line.game.strategy else "random"
            return [*([SeatLeft(late_seat)] if late_seat in names.members.token_ids else []), BotSeated(late_seat, bot)]
