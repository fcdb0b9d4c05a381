"""A game told round by round: what each seat did in its turn, and how everybody stood then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from zimcore.commits import Commit
from zimcore.game import Game, Seat, Table
from zimcore.history.replay import evolve
from zimcore.history.rounds import rounds, turns


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


def story(game: Game, commits: Sequence[Commit]) -> Iterator[Chapter]:
    """Tells what happened from the start up to the last of these commits."""
    state = game.evolution.initial()
    for part in rounds(commits):
        for commit in part.commits:
            evolve(game, state, commit)
        told = tuple(_turn(game, turn.name, turn.commits) for turn in turns(part.commits))
        yield Chapter(part.name, told, next(iter(game.display.tables(state)), None))


def _turn(game: Game, seat: Seat, commits: Sequence[Commit]) -> Turn:
    events = [event for commit in commits for event in commit.events]
    return Turn(seat, commits[0].number, commits[-1].number, game.notation.tell(events))
