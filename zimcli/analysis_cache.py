"""Where analyses are kept, and what is known of a game: what was thought once is shown wherever it helps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zimcli.session import Session
from zimcore.analysis.judgement_files import file_in
from zimcore.commits import Commit
from zimcore.documents.analysis import DecisionDocument
from zimcore.game import Game

if TYPE_CHECKING:
    from zimcore.analysis.match_analysis import JudgedDecision


def folder() -> Path:
    """Where all judgements are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("zim", appauthor=False) / "analysis"


def file_of(commits: Sequence[Commit]) -> Path:
    """Where those of a game are kept."""
    return file_in(folder(), commits[0].digest)


def documents(game: Game, commits: Sequence[Commit], found: Sequence[JudgedDecision]) -> tuple[DecisionDocument, ...]:
    """What was thought, as documents; what judges is loaded only where there is something."""
    if not found:
        return ()
    from zimcore.analysis.analysis_documents import decision_documents

    return tuple(decision_documents(game, commits, found))


def known_judgements(session: Session, game: Game, place: str, commits: Sequence[Commit]) -> Sequence[JudgedDecision]:
    """What is thought of the turns and bids among these commits, as far as an analysis of them is kept.

    Nothing where help is off, and nothing is thought anew.
    """
    if game.chances is None or not file_of(commits).exists() or not session.helps(place):
        return ()
    from zimcore.analysis import match_analysis

    return match_analysis.known_judgements(folder(), game, commits)
