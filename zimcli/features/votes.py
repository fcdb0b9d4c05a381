"""The command `vote`, and votes as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import click

from zimcli.render.answers import Renderers
from zimcli.render.remarks import person_label
from zimcli.render.spans import Block, Line, Note, Screen
from zimcli.session.command import argument, id_option, place_command
from zimcli.session.seen_discussion import Told
from zimcli.session.server_only import match_name
from zimcli.session.session import Session
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.votes.documents import NewVote, Vote, VotesAnswer, VoteWhat
from zimcore.features.votes.events import Votes


@place_command()
@argument("what", type=click.Choice(["wait", "bot", "end"]), required=False)
@argument("seat", required=False)
@id_option
def vote(session: Session, place: str, what: str | None, seat: str | None, command_id: str) -> VotesAnswer:
    """Vote on what to do about a seat that is out of time.

    The other seats can wait (the seat gets its pace once more), give it to a bot, or end the match as it is. It is done
    when all of them have voted the same. If the late player plays after all, nothing is lost. Without a choice you see
    the votes.

    Example::

        zim vote kilwa-7 wait --as lozi
    """
    from zimcore.features.votes import actions  # slow to import: the table needs only the news

    service, match = session.service, match_name(place)
    if not what:
        return service.query(actions.votes, PageQuery(), match)
    body = NewVote(cast("VoteWhat", what), seat or "")
    return service.change(actions.vote, body, match, by=session.by, command_id=command_id, viewer=session.viewer)


CHOICES = {"wait": "to wait for {}", "bot": "to give {} to a bot", "end": "to end the match, as {} is out of time"}
RESULTS = {
    "wait": "{} has its pace once more",
    "bot": "a bot plays {} from here on",
    "end": "the match ends as it stands",
}
"""What each vote leads to when it is carried."""


def vote_line(vote: Vote) -> Line:
    """A vote about a seat that is out of time, and its result if it was carried."""
    result = f": {RESULTS[vote.what].format(vote.about)}" if vote.carried else ""
    return [
        (f"{person_label(vote.by, vote.seat)} votes {CHOICES[vote.what].format(vote.about)}", "bold yellow"),
        (result, ""),
    ]


def votes_blocks(answer: VotesAnswer, screen: Screen) -> Iterator[Block]:
    """All votes, the seats out of time, and the seats that have yet to vote."""
    for vote in answer.votes:
        yield [(f"{vote.at:%Y-%m-%d %H:%M}  ", "dim"), *vote_line(vote)]
    for late_seat in answer.late:
        vote_texts = "".join(f", {seat} votes {what}" for seat, what in late_seat.votes.items())
        voters_text = f"; {' and '.join(late_seat.waiting)} may vote: wait, bot or end" if late_seat.waiting else ""
        yield [(f"{late_seat.seat} is out of time", "bold"), (f"{vote_texts}{voters_text}", "")]
    if answer.ended:
        yield Note("the match was ended")
    elif not answer.late:
        yield Note("no seat is out of time")


RENDERERS: Renderers = {VotesAnswer: votes_blocks}


def news(session: Session, match: str) -> Sequence[Told]:
    """All votes, oldest first."""
    votes = session.service.discussion(match).of(Votes).cast
    return [Told(f"vote {each.number}", "", [vote_line(each)], each.by == session.by) for each in votes]
