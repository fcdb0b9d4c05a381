"""The cache of analyses: its folder, and the judgements that it holds for a game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from event_store.outputs import failure_reason
from zimcli.session.session import Session
from zimcore.analysis.judgement_files import judgement_path
from zimcore.commits import Commit
from zimcore.documents.analysis import DecisionDocument
from zimcore.game import Game

if TYPE_CHECKING:
    from zimcore.analysis.json_lines import CacheFile
    from zimcore.analysis.match_analysis import JudgedDecision


def cache_folder() -> Path:
    """The folder with the cached judgements of all games."""
    from platformdirs import user_cache_path

    return user_cache_path("zim", appauthor=False) / "analysis"


def cache_file(commits: Sequence[Commit]) -> Path:
    """The cache file of a game, named by the digest of its first commit."""
    return judgement_path(cache_folder(), commits[0].digest)


def note_unkept(session: Session, file: CacheFile) -> None:
    """Says if results could not be kept, and why."""
    if file.write_error:
        reason = failure_reason(file.write_error).lower()
        session.show_note(f"not kept for the next time: {reason}: {file.path}")


def judgement_documents(
    game: Game, commits: Sequence[Commit], judgements: Sequence[JudgedDecision]
) -> tuple[DecisionDocument, ...]:
    """Judged decisions as documents. The analysis library is imported only if there are any."""
    if not judgements:
        return ()
    from zimcore.analysis.analysis_documents import decision_documents

    return tuple(decision_documents(game, commits, judgements))


def known_judgements(session: Session, game: Game, place: str, commits: Sequence[Commit]) -> Sequence[JudgedDecision]:
    """The cached judgements of the turns and bids among these commits. Nothing is analysed here.

    Empty if the game has no model of chances, if nothing is cached, or if help is off in this match; also while
    something is hidden from the viewer, which the judgements would tell.
    """
    if not cache_file(commits).exists() or game.chances is None or not session.is_help_allowed(place):
        return ()
    if not session.viewer.sees_all and session.service.hides(place):
        return ()
    from zimcore.analysis import match_analysis

    return match_analysis.known_judgements(cache_folder(), game, commits)
