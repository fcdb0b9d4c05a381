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

from event_store.line_history import path_to
from zimcore.game import Seat
from zimcore.service.lines.line_repository import LoadedLine
from zimcore.service.records.memberships import Members, TermsSet


class Clock(NamedTuple):
    """When the pace of a turn ends (`pace_end`), and when its bank ends too (`due`): then the seat is out of time."""

    pace_end: datetime
    due: datetime


class TurnStart(NamedTuple):
    """The seats that were to move from a time on."""

    start: datetime
    to_move: tuple[Seat, ...]


def clocks_of_turns(
    turns: Sequence[TurnStart],
    terms: TermsSet,
    pace_start: datetime,
    waiting_since: Mapping[Seat, datetime] = MappingProxyType({}),
) -> Mapping[Seat, Clock]:
    """The clocks of the seats that are to move now, from all turns of a game. Time counts from `pace_start` on.

    A turn lasts while its seat stays to move, even over several commands. Time beyond the pace comes out of the seat's
    bank; when the bank is empty too, the seat is out of time. `waiting_since` says when the others granted a seat more
    time: it gets the whole pace again from then on.

    >>> from datetime import UTC
    >>> noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> hour = timedelta(hours=1)
    >>> turns = [TurnStart(noon, ("ann",)), TurnStart(noon + 3 * hour, ("ben",)), TurnStart(noon + 4 * hour, ("ann",))]
    >>> clocks_of_turns(turns, TermsSet(pace=3600, bank=7200), noon)["ann"].due - noon == 5 * hour
    True
    """
    if not turns:
        return {}
    time_taken, bank_used = defaultdict[Seat, timedelta](timedelta), defaultdict[Seat, timedelta](timedelta)
    pace, bank = timedelta(seconds=terms.pace), timedelta(seconds=terms.bank)
    for turn, next_turn in pairwise(turns):
        # Machines' clocks differ, and a pace may be set in the middle of a turn: never count negative time.
        duration = max(next_turn.start - max(turn.start, pace_start), timedelta())
        for seat in turn.to_move:
            time_taken[seat] += duration
            if seat not in next_turn.to_move:
                bank_used[seat] += max(time_taken.pop(seat) - pace, timedelta())
    turn_start = max(turns[-1].start, pace_start)
    clocks_by_seat = dict[Seat, Clock]()
    for seat in turns[-1].to_move:
        pace_end, remaining_bank = turn_start + pace - time_taken[seat], max(bank - bank_used[seat], timedelta())
        extended_pace_end = waiting_since[seat] + pace if seat in waiting_since else pace_end
        turn_pace_end = max(pace_end, extended_pace_end)
        clocks_by_seat[seat] = Clock(turn_pace_end, max(pace_end + remaining_bank, turn_pace_end))
    return clocks_by_seat


def clocks_of_line(loaded_line: LoadedLine, members: Members) -> Mapping[Seat, Clock]:
    """The clocks of the seats to move at the head of a line; empty if the game has no pace."""
    if not members.terms.pace or members.pace_start is None:
        return {}
    line, evolution, pace_start = loaded_line.line, loaded_line.game.evolution, members.pace_start
    commits = path_to(line, line.head)
    first_index = next(
        (index for index, each in enumerate(commits) if line.commits[each].seal.at > pace_start), len(commits)
    )
    counted_commits = commits[max(first_index - 1, 0) :]
    turns = [
        TurnStart(line.commits[digest].seal.at, evolution.to_move(loaded_line.states.state_at(digest)))
        for digest in counted_commits
    ]
    return clocks_of_turns(turns, members.terms, pace_start, members.time_given_at)
