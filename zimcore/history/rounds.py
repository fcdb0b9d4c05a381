"""Splits a match into rounds (by marks such as `r4`) and turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

from zimcore.commits import Commit
from zimcore.game import Seat


class MatchPart(msgspec.Struct, frozen=True):
    """Consecutive commits: a round, named by its mark ("" before the first), or a turn, named by its seat."""

    name: str
    commits: tuple[Commit, ...]


def rounds(commits: Iterable[Commit]) -> Iterator[MatchPart]:
    """The rounds. Each begins after a commit with a mark of a round (one without a dot), and ends with the next one."""
    name, commits_in_round = "", list[Commit]()
    for commit in commits:
        commits_in_round.append(commit)
        for mark in commit.marks:
            if "." not in mark:
                if commits_in_round:
                    yield MatchPart(name, tuple(commits_in_round))
                name, commits_in_round = mark, []
    if commits_in_round:
        yield MatchPart(name, tuple(commits_in_round))


def turns(commits: Iterable[Commit]) -> Iterator[MatchPart]:
    """The turns: consecutive commits of the same seat."""

    def seat_of(commit: Commit) -> Seat:
        return commit.seat

    for name, turn_commits in groupby(commits, seat_of):
        yield MatchPart(name, tuple(turn_commits))
