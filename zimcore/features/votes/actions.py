"""Voting, and reading the votes. When all voters agree, it is done."""

from __future__ import annotations

from collections.abc import Sequence

from event_store import ConflictError
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.votes.documents import VOTE, VOTES, LateSeat, NewVote, VotesAnswer, VoteWhat
from zimcore.features.votes.events import VoteCast, Votes
from zimcore.game import GameError, Seat, UnknownError
from zimcore.service.actions import ActionCall, action
from zimcore.service.lines.clocks import clocks_of_line
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.records.memberships import GameEnded, SeatLeft, TimeGiven
from zimcore.service.records.names import BotSeated, NameEvent, Names


@action(VOTES, items="votes")
def votes(call: ActionCall, _: PageQuery) -> VotesAnswer:
    """The seats that are out of time, and the votes of the others."""
    names, share = call.repository.names(call.match), call.repository.discussion(call.match).of(Votes)
    if not names.lines:
        return VotesAnswer(call.match, (), ())
    loaded_line = call.repository.line(call.match)
    late_seats = _late_seats(call, loaded_line, names)
    voters = _voters(call.repository, loaded_line, late_seats)
    seats = tuple(_votes_so_far(share, loaded_line, seat, voters) for seat in late_seats)
    return VotesAnswer(call.match, seats, tuple(share.cast), names.members.ended)


@action(VOTE)
def vote(call: ActionCall, body: NewVote) -> VotesAnswer:
    """Votes to wait for a seat that is out of time, to let a bot play it, or to end the match as it is.

    When the last of the other players agrees, it is done.
    """
    request, repository, writer = call.request("vote", body.what, body.seat), call.repository, call.writer
    voter, choice = call.viewer.seat or "", body.what
    while True:
        discussion, loaded_line = repository.discussion(call.match), repository.line(call.match)
        if discussion.earlier_entry(request.by, request.key):
            return votes(call, PageQuery())
        names = repository.names(call.match)
        late_seats = _late_seats(call, loaded_line, names)
        late_seat = body.seat or (late_seats[0] if len(late_seats) == 1 else "")
        _check_may_vote(repository, loaded_line, late_seats, voter, late_seat)
        head = loaded_line.line.head
        votes_now = {**discussion.of(Votes).on(late_seat, head), voter: choice}
        is_carried = all(votes_now.get(each) == choice for each in _voters(repository, loaded_line, late_seats))
        draft = writer.draft([VoteCast(voter, late_seat, choice, head, is_carried)], request.by, key=request.key)
        new_entries = [writer.store.seal_entry(discussion.stream, discussion.revision, draft)]
        if is_carried:
            result_events = _vote_events(repository, loaded_line, names, late_seat, choice)
            names.check(*result_events)
            new_entries.append(
                writer.store.seal_entry(names.stream, names.revision, writer.draft(result_events, request.by))
            )
        try:
            writer.store.adopt(new_entries)
            return votes(call, PageQuery())
        except ConflictError:
            continue  # another writer has voted, sent a message or played: try again


def _votes_so_far(share: Votes, loaded_line: LoadedLine, seat: Seat, voters: Sequence[Seat]) -> LateSeat:
    votes_on_seat = share.on(seat, loaded_line.line.head)
    return LateSeat(seat, dict(votes_on_seat), tuple(each for each in voters if each not in votes_on_seat))


def _late_seats(call: ActionCall, loaded_line: LoadedLine, names: Names) -> Sequence[Seat]:
    if names.members.ended:
        return ()
    now = call.writer.clock()
    return [seat for seat, clock in clocks_of_line(loaded_line, names.members).items() if clock.due <= now]


def _voters(repository: LineRepository, loaded_line: LoadedLine, late_seats: Sequence[Seat]) -> Sequence[Seat]:
    seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
    return [seat for seat in repository.human_seats(loaded_line.match, seats) if seat not in late_seats]


def _check_may_vote(
    repository: LineRepository, loaded_line: LoadedLine, late_seats: Sequence[Seat], voter: Seat, late_seat: Seat
) -> None:
    if not late_seats:
        raise GameError("nobody is out of time", "there is nothing to vote on", [f"seats {loaded_line.match}"])
    if not voter:
        raise GameError("vote: no seat given", "a vote is cast by a seat", ["vote --as SEAT"])
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
