"""Where analyses are kept, and what is known of a game: what was thought once is shown wherever it helps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zimcli.session import Session
from zimcore.commits import Commit
from zimcore.documents.analysis import DecisionDocument
from zimcore.game import Game

if TYPE_CHECKING:
    from zimcore.analysis.match import Found


def file_of(commits: Sequence[Commit]) -> Path:
    """Where the judgements of a game are kept: by the digest of its set-up, whatever it is called."""
    from platformdirs import user_cache_path

    return user_cache_path("zim", appauthor=False) / "analysis" / f"{commits[0].digest}.jsonl"


def documents(game: Game, commits: Sequence[Commit], found: Sequence[Found]) -> tuple[DecisionDocument, ...]:
    """What was thought, as documents; what judges is loaded only where there is something."""
    if not found:
        return ()
    from zimcore.analysis.answers import decision_documents

    return tuple(decision_documents(game, commits, found))


def known(session: Session, game: Game, place: str, commits: Sequence[Commit]) -> Sequence[Found]:
    """What is thought of the turns and bids among these commits, as far as an analysis of them is kept.

    Nothing where help is off, and nothing is thought anew.
    """
    if game.chances is None or not (path := file_of(commits)).exists() or not session.helps(place):
        return ()
    from zimcore.analysis.kept import most_known
    from zimcore.analysis.match import Found, decisions, engine

    judged = most_known(path, engine(game), {commit.digest for commit in commits})
    asked = [each for each, _, _ in decisions(game, commits)] if judged else []
    return [Found(each, judged[each.digest]) for each in asked if each.digest in judged]
