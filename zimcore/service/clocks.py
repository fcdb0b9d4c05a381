"""Clocks: deadlines of the seats to move, computed from the recorded times of commits. Nothing ticks.

In other words: time control, time bank, deadline.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from event_store.line_history import way
from zimcore.game import Seat
from zimcore.service.line_repository import LoadedLine
from zimcore.service.memberships import Members, TermsSet


class Clock(NamedTuple):
    """Until when the pace of a turn lasts, and until when the bank that comes after it: then it is out of time."""

    pace: datetime
    due: datetime


class TurnStart(NamedTuple):
    """Who was to move from some time on."""

    since: datetime
    to_move: tuple[Seat, ...]


def due(
    turns: Sequence[TurnStart], terms: TermsSet, paced: datetime, waited: Mapping[Seat, datetime] = MappingProxyType({})
) -> Mapping[Seat, Clock]:
    """Until when each seat that is to move now has time, by all turns of a game; `paced` is since when it counts.

    For whom the others have `waited` since some time has the whole pace from then on.
    A turn goes on while its seat stays to move, however many commands it plays. What it takes beyond the pace comes out
    of the seat's bank; when that is used up too, its time is over.

    >>> from datetime import UTC
    >>> noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> hour = timedelta(hours=1)
    >>> turns = [TurnStart(noon, ("ann",)), TurnStart(noon + 3 * hour, ("ben",)), TurnStart(noon + 4 * hour, ("ann",))]
    >>> due(turns, TermsSet(pace=3600, bank=7200), noon)["ann"].due - noon == 5 * hour
    True
    """
    if not turns:
        return {}
    taken, used = defaultdict[Seat, timedelta](timedelta), defaultdict[Seat, timedelta](timedelta)
    pace, bank = timedelta(seconds=terms.pace), timedelta(seconds=terms.bank)
    for turn, following in pairwise(turns):
        # Clocks of machines differ, and a pace may be said in the middle: no turn takes less than no time.
        took = max(following.since - max(turn.since, paced), timedelta())
        for seat in turn.to_move:
            taken[seat] += took
            if seat not in following.to_move:
                used[seat] += max(taken.pop(seat) - pace, timedelta())
    begun = max(turns[-1].since, paced)
    found = dict[Seat, Clock]()
    for seat in turns[-1].to_move:
        paced_until, left = begun + pace - taken[seat], max(bank - used[seat], timedelta())
        waited_until = waited[seat] + pace if seat in waited else paced_until
        until = max(paced_until, waited_until)
        found[seat] = Clock(until, max(paced_until + left, until))
    return found


def due_on(found: LoadedLine, members: Members) -> Mapping[Seat, Clock]:
    """Until when each seat that is to move at the head of a line has time; nothing where there is no pace."""
    if not members.terms.pace or members.paced is None:
        return {}
    line, evolution, paced = found.line, found.game.evolution, members.paced
    commits = way(line, line.head)
    first = next((at for at, each in enumerate(commits) if line.commits[each].seal.at > paced), len(commits))
    since = commits[max(first - 1, 0) :]
    turns = [TurnStart(line.commits[each].seal.at, evolution.to_move(found.states.state_at(each))) for each in since]
    return due(turns, members.terms, paced, members.waited)
