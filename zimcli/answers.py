"""Answers that several commands give in the same words."""

from __future__ import annotations

from collections.abc import Sequence

from zimcli.documents import commits_document, position_document
from zimcli.render.moves import move_line, place_line
from zimcli.session import Session
from zimcore.service import Commit, Position


def arrived(session: Session, position: Position) -> None:
    """Says where a line stands now."""
    session.saw(position)
    session.out.lines([place_line(position)])
    session.out.document({"position": position_document(position)})


def moved(session: Session, position: Position) -> None:
    """Prints the command that was just played."""
    session.out.lines([move_line(position.commit, position.colours)])


def played(session: Session, position: Position, commits: Sequence[Commit]) -> None:
    """The document of the commands that were played, and where that leads."""
    if session.out.json:
        session.out.document({"played": commits_document(commits), "position": position_document(position)})
