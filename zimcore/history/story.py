"""A game told round by round: what each seat did in its turn, and how everybody stood then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from zimcore.game import Event, Game, Seat, Table
from zimcore.history.commits import AnyCommit, let_happen
from zimcore.history.rounds import rounds, turns


@runtime_checkable
class Teller(Protocol):
    """A game that can tell a turn better than by its commands."""

    def tell(self, events: Sequence[Event]) -> str:
        """What a seat did in a row, in a sentence; the events are those of all its commits."""
        ...


class Turn(msgspec.Struct, frozen=True):
    """What a seat did in a row: its first and last move, and the report."""

    seat: Seat
    first: int
    last: int
    report: str


class Chapter(msgspec.Struct, frozen=True):
    """A round: its mark (none before the first), its turns, the standings at its end."""

    name: str
    turns: tuple[Turn, ...]
    standings: Table | None


def story(rules: Game, commits: Sequence[AnyCommit]) -> Iterator[Chapter]:
    """Tells what happened from the start up to the last of these commits."""
    state = rules.initial()
    for part in rounds(commits):
        for commit in part.commits:
            let_happen(rules, state, commit)
        told = tuple(_turn(rules, turn.name, turn.commits) for turn in turns(part.commits))
        yield Chapter(part.name, told, next(iter(rules.view(state).tables), None))


def _turn(rules: Game, seat: Seat, commits: Sequence[AnyCommit]) -> Turn:
    return Turn(seat, commits[0].number, commits[-1].number, _report(rules, commits))


def _report(rules: Game, commits: Sequence[AnyCommit]) -> str:
    events = [event for commit in commits for event in commit.events]
    if isinstance(rules, Teller):
        return rules.tell(events)
    summary = rules.summary(events)
    return ", ".join(commit.text for commit in commits) + (f" ({summary})" if summary else "")
