"""The parts of a game, by the names of the positions that its commits end in: rounds (`r4`), and turns in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Generic

import msgspec

from zimcore.game import Seat
from zimcore.history.commits import AnyCommit


class Part(msgspec.Struct, Generic[AnyCommit], frozen=True):
    """Commits that belong together: a round with its mark (none before the first), or a turn with its seat."""

    name: str
    commits: tuple[AnyCommit, ...]


def rounds(commits: Iterable[AnyCommit]) -> Iterator[Part[AnyCommit]]:
    """The rounds: what follows the commit that ends in a mark without a dot, up to the next such commit."""
    name, played = "", list[AnyCommit]()
    for commit in commits:
        played.append(commit)
        for mark in commit.marks:
            if "." not in mark:
                if played:
                    yield Part(name, tuple(played))
                name, played = mark, []
    if played:
        yield Part(name, tuple(played))


def turns(commits: Iterable[AnyCommit]) -> Iterator[Part[AnyCommit]]:
    """What each seat played in a row."""

    def seat(commit: AnyCommit) -> Seat:
        return commit.seat

    for name, played in groupby(commits, seat):
        yield Part(name, tuple(played))
