"""Positions and commits as documents, and the base class of all answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from zimcore.commits import Commit, Position
from zimcore.game import Game, Seat

if TYPE_CHECKING:
    from zimcore.documents.frames import Frame


class Document(msgspec.Struct, frozen=True):
    """The base class of documents and their parts."""


class Answer(Document, frozen=True, kw_only=True):
    """The base class of all answers to commands.

    `command` is the command that was answered. If the answer is about one position, `place` (`kilwa-7/main@12`) and
    `digest` are those of the position.
    """

    command: str = ""
    place: str = ""
    digest: str = ""

    def frame(self) -> Frame:
        """Its list as a table, as `--format csv` prints it; an answer without a list is one row."""
        from zimcore.documents.frames import Frame
        from zimcore.documents.rows import answer_rows

        return Frame.of_documents(answer_rows(self))


AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


class PositionDocument(Document, frozen=True):
    """A position: the commit before it, the seats to move, and a status line.

    `game` is the name of the game that is played, such as `kilwa-7`. `actor` is the seat to move if there is only one;
    `to_move` are all seats that may act. `digest` and `state` (the digest of the state) are hex. `colours` are those of
    the seats, `names` the names of their players, if known. `ranking` has the seats from first to last, tied ones
    together; `scores` are their points, null if hidden. `winner` is the winner of a finished game, unless there are
    several.
    """

    game: str
    line: str
    number: int
    digest: str
    state: str
    marks: tuple[str, ...]
    actor: Seat | None
    over: bool
    status: str
    to_move: tuple[Seat, ...]
    colours: Mapping[Seat, str]
    names: Mapping[Seat, str]
    winner: Seat | None = None
    ranking: tuple[tuple[Seat, ...], ...] = ()
    scores: Mapping[Seat, int | None] = {}

    @property
    def place(self) -> str:
        """The place of the position: `kilwa-7/main@12`."""
        return f"{self.game}/{self.line}@{self.number}"


class CommitDocument(Document, frozen=True, omit_defaults=True):
    """A commit: a command with its events as stored; `facts` are the events as text, if you asked for them."""

    number: int
    digest: str
    parent: str
    state: str
    seat: Seat
    text: str
    summary: str
    by: str
    at: datetime
    events: tuple[dict[str, Any], ...]
    marks: tuple[str, ...]
    facts: tuple[str, ...] | None = None


class Fact(Document, frozen=True):
    """An event as text, and the number of its commit."""

    number: int
    text: str


class PositionAnswer(Answer, frozen=True, omit_defaults=True):
    """The position at a line's head; `left` is the line that was current before, if that has changed.

    `answered` has the commands that programs then played.
    """

    position: PositionDocument
    left: str = ""
    answered: tuple[CommitDocument, ...] = ()


def position_document(position: Position) -> PositionDocument:
    """A position as a document."""
    commit, outcome = position.commit, position.outcome
    return PositionDocument(
        game=position.match,
        line=position.line,
        number=commit.number,
        digest=commit.digest,
        state=commit.state,
        marks=commit.marks,
        actor=position.actor,
        over=outcome.over,
        status=position.status,
        to_move=position.to_move,
        colours=position.colours,
        names=position.names,
        winner=outcome.winner,
        ranking=outcome.ranking,
        scores=outcome.scores,
    )


def label_answer(answer: AnyAnswer, command: str) -> AnyAnswer:
    """An answer labelled with its command and the position that it is about; if it compares two, the first."""
    position: PositionDocument | None = getattr(answer, "position", None) or getattr(answer, "a", None)
    label = {"place": position.place, "digest": position.digest} if position else {}
    return msgspec.structs.replace(answer, command=command, **label)


def commit_document(commit: Commit, game: Game | None = None) -> CommitDocument:
    """A commit as a document; with a game also its events as text."""
    return CommitDocument(
        number=commit.number,
        digest=commit.digest,
        parent=commit.parent,
        state=commit.state,
        seat=commit.seat,
        text=commit.text,
        summary=commit.summary,
        by=commit.by,
        at=commit.at,
        events=tuple(map(msgspec.to_builtins, commit.events)),
        marks=commit.marks,
        facts=tuple(map(game.notation.describe, commit.events[1:])) if game else None,
    )


def commit_documents(commits: Iterable[Commit], game: Game | None = None) -> tuple[CommitDocument, ...]:
    """Commits as documents, in the same order."""
    return tuple(commit_document(commit, game) for commit in commits)


def seat_with_unseen_cards(position: Position, words: Sequence[str] = ()) -> Seat | None:
    """The seat named in the words, or else the one to move, if some of its cards are hidden: answers depend on them."""
    game, state = position.game, position.state
    seat = next((word for word in words if word in position.seats), position.actor or "")
    return seat if game.secrets and game.secrets.hides(state, seat) else None
