"""A match as a report, round by round: what each seat did in its turns, and the standings after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcore.commits import Commit
from zimcore.documents.history import Chapter, Turn
from zimcore.documents.tables import table_documents
from zimcore.game import Game, Seat
from zimcore.history.replay_states import apply_commit
from zimcore.history.rounds import rounds, turns


def story(game: Game, commits: Sequence[Commit]) -> Iterator[Chapter]:
    """The chapters of a match, one for each round, from its commits from the start."""
    state = game.evolution.initial()
    for played_round in rounds(commits):
        for commit in played_round.commits:
            apply_commit(game, state, commit)
        reports = tuple(_turn_report(game, turn.name, turn.commits) for turn in turns(played_round.commits))
        yield Chapter(played_round.name, reports, next(iter(table_documents(game.display.tables(state))), None))


def _turn_report(game: Game, seat: Seat, commits: Sequence[Commit]) -> Turn:
    events = [event for commit in commits for event in commit.events]
    return Turn(seat, commits[0].number, commits[-1].number, game.notation.describe_turn(events))
