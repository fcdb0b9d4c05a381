"""The parts of a game, by the names of the positions that its commits end in: rounds (`r4`), and turns in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

from zimcore.commits import Commit
from zimcore.game import Seat


class MatchPart(msgspec.Struct, frozen=True):
    """Commits that belong together: a round with its mark (none before the first), or a turn with its seat."""

    name: str
    commits: tuple[Commit, ...]


def rounds(commits: Iterable[Commit]) -> Iterator[MatchPart]:
    """The rounds: what follows the commit that ends in a mark without a dot, up to the next such commit."""
    name, played = "", list[Commit]()
    for commit in commits:
        played.append(commit)
        for mark in commit.marks:
            if "." not in mark:
                if played:
                    yield MatchPart(name, tuple(played))
                name, played = mark, []
    if played:
        yield MatchPart(name, tuple(played))


def turns(commits: Iterable[Commit]) -> Iterator[MatchPart]:
    """What each seat played in a row."""

    def seat(commit: Commit) -> Seat:
        return commit.seat

    for name, played in groupby(commits, seat):
        yield MatchPart(name, tuple(played))
