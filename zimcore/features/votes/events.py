"""The event of a vote, and what votes add up to.

A vote is about a position, so it no longer counts once the seat has played.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from event_store import Entry
from zimcore.features.votes.documents import Vote, VoteWhat
from zimcore.game import Event, Seat
from zimcore.service.records.folds import Share


class VoteCast(Event, frozen=True, tag="vote_cast.1"):
    """A seat voted on another one (`about`), which was out of time at the commit `head`.

    The last vote needed is `carried`: what was voted for is done in the same transaction.
    """

    seat: Seat
    about: Seat
    what: VoteWhat
    head: bytes
    carried: bool = False


class Votes(Share, msgspec.Struct, eq=False):
    """All votes, oldest first, and the open ones by late seat and head."""

    event_types = (VoteCast,)
    cast: list[Vote] = []
    open: dict[tuple[Seat, bytes], dict[Seat, VoteWhat]] = {}

    def on(self, late_seat: Seat, head: bytes) -> Mapping[Seat, VoteWhat]:
        """The votes on a seat at a head, by voter; empty once a vote was carried."""
        return self.open.get((late_seat, head), {})

    def apply(self, event: VoteCast, entry: Entry) -> None:
        """Counts a vote."""
        seal, about = entry.seal, event.about
        self.cast.append(Vote(entry.revision, seal.by, event.seat, seal.at, about, event.what, event.carried))
        votes = {} if event.carried else {**self.on(about, event.head), event.seat: event.what}
        self.open = {**self.open, (about, event.head): votes}


SHARE = Votes
