"""Answers that show a position."""

from __future__ import annotations

from typing import Any

from zimcore.commits import Position
from zimcore.documents.listings import PositionNote
from zimcore.documents.positions import (
    Answer,
    CommitDocument,
    PositionDocument,
    commit_document,
    position_document,
)
from zimcore.documents.tables import TableDocument, table_documents
from zimcore.game import Board, Overlay, Seat, Step


class ShowAnswer(Answer, frozen=True, omit_defaults=True):
    """A position with everything to be seen of it; `turn` has the parts of the turn that is being taken.

    `recorded` says of a commit on the way there that was imported although today's rules would not have given it;
    `notes` say what happened around the game on the way there.
    """

    position: PositionDocument
    commit: CommitDocument
    values: dict[str, Any]
    tables: tuple[TableDocument, ...]
    turn: tuple[Step, ...] = ()
    recorded: str = ""
    notes: tuple[PositionNote, ...] = ()


class BoardAnswer(Answer, frozen=True):
    """A board if there is one, what is laid over it, the squares of the last command, the files it was drawn into."""

    position: PositionDocument
    board: Board | None
    overlay: Overlay | None
    last: tuple[str, ...]
    files: tuple[str, ...]


class ReplayAnswer(Answer, frozen=True):
    """A replay that was written."""

    position: PositionDocument
    file: str
    moves: int


class ReachAnswer(Answer, frozen=True, omit_defaults=True):
    """What is in reach, as the game computes it; `unseen` is a seat with hidden cards."""

    position: PositionDocument
    reach: tuple[TableDocument, ...]
    unseen: Seat | None = None


class AskAnswer(Answer, frozen=True, omit_defaults=True):
    """The answer to a game's own question; `unseen` is a seat with hidden cards."""

    position: PositionDocument
    question: str
    answer: tuple[TableDocument, ...]
    unseen: Seat | None = None


class StatisticsAnswer(Answer, frozen=True):
    """The statistics of a game."""

    position: PositionDocument
    stats: tuple[TableDocument, ...]


class AllStatisticsAnswer(Answer, frozen=True):
    """Tables over finished games, and how many there are."""

    games: int
    stats: tuple[TableDocument, ...]


def show_answer(position: Position, recorded: str = "", notes: tuple[PositionNote, ...] = ()) -> ShowAnswer:
    """A commit with its facts, and all tables of the position after it."""
    return ShowAnswer(
        position_document(position),
        commit_document(position.commit, position.game),
        position.figures,
        table_documents(position.tables),
        tuple(position.game.display.turn(position.state)),
        recorded,
        notes,
    )
