"""Answers about the past: logs, reports, how a value came about, how lines of play differ."""

from __future__ import annotations

from typing import Any

from zimcore.documents.analysis import DecisionDocument
from zimcore.documents.differences import Difference, SquareDifference
from zimcore.documents.listings import Operation, PositionNote, TagInfo
from zimcore.documents.positions import Answer, CommitDocument, Document, Fact, PositionDocument
from zimcore.documents.tables import TableDocument
from zimcore.game import Refusal, Seat


class LogRow(Document, frozen=True, omit_defaults=True):
    """A commit in a graph: its digest, and the lanes in front of it: `├─○ `. `heads` are the lines that end there."""

    digest: str
    lanes: str
    heads: tuple[str, ...] = ()


class LogAnswer(Answer, frozen=True, omit_defaults=True):
    """The commits on the way to a position; with `--all` also the undone ones, as a graph.

    With `--graph` the graph has the commits of all lines. With `--ops` there are operations instead of commits. `tags`
    are the names that players gave to these positions, `notes` what happened around the game at them.
    """

    position: PositionDocument
    commits: tuple[CommitDocument, ...] | None = None
    graph: tuple[LogRow, ...] | None = None
    operations: tuple[Operation, ...] | None = None
    tags: tuple[TagInfo, ...] = ()
    notes: tuple[PositionNote, ...] = ()


class EventsAnswer(Answer, frozen=True):
    """The events up to a position, as stored and as text, each with the number of its commit."""

    events: tuple[dict[str, Any], ...]
    facts: tuple[Fact, ...]
    position: PositionDocument


class FactOf(Document, frozen=True):
    """An event of a game: its line and commit, as text and as stored."""

    game: str
    line: str
    number: int
    digest: str
    told: str
    event: dict[str, Any]


class AllEventsAnswer(Answer, frozen=True):
    """The facts of every game, each on its current line."""

    facts: tuple[FactOf, ...]


class Turn(Document, frozen=True):
    """A turn: its seat, its first and last move, and a report in words."""

    seat: Seat
    first: int
    last: int
    report: str


class Chapter(Document, frozen=True):
    """A round of a story: its mark ("" before the first round), its turns, and the standings at its end."""

    name: str
    turns: tuple[Turn, ...]
    standings: TableDocument | None


class StoryNote(Document, frozen=True):
    """What happened around the game after a move, in words."""

    number: int
    text: str


class StoryAnswer(Answer, frozen=True):
    """A match, round by round; `judged` has the judgements of its turns and bids, if they were analysed before."""

    position: PositionDocument
    story: tuple[Chapter, ...]
    judged: tuple[DecisionDocument, ...] = ()
    notes: tuple[StoryNote, ...] = ()


class RoundDifference(Document, frozen=True):
    """A round on two lines: the numbers of its moves on each, and what differs at its end."""

    name: str
    a: tuple[int, ...]
    b: tuple[int, ...]
    figures: tuple[Difference, ...]
    paid: tuple[Difference, ...]
    squares: tuple[SquareDifference, ...]


class CompareAnswer(Answer, frozen=True):
    """Two positions: the number of the last commit that they share, the commits after it, and the differences."""

    a: PositionDocument
    b: PositionDocument
    parted: int | None
    only_a: tuple[CommitDocument, ...]
    only_b: tuple[CommitDocument, ...]
    rounds: tuple[RoundDifference, ...]
    differences: tuple[Difference, ...]


class Posting(Document, frozen=True):
    """An event that changed a value, as stored and as text, and the value before and after it."""

    number: int
    digest: str
    seat: Seat
    event: dict[str, Any]
    told: str
    before: Any
    after: Any
    change: int | None


class WhyAnswer(Answer, frozen=True):
    """How a value came about: the value, and the events that changed it, newest first.

    `meaning` is the game's word for it in a sentence, if it has one.
    """

    why: str
    value: Any
    postings: tuple[Posting, ...]
    position: PositionDocument
    meaning: str = ""


class TurningPoint(Document, frozen=True):
    """A commit after which an expression became true or false, with the figures before and after it."""

    number: int
    digest: str
    seat: Seat
    text: str
    holds: bool
    before: dict[str, Any]
    after: dict[str, Any]
    summary: str
    by: str
    marks: tuple[str, ...]


class BisectAnswer(Answer, frozen=True):
    """Whether an expression is true at the start and at the end, and the commits at which that changed.

    `first` is the commit at which it first became true, `turns` are all changes. `start` and `end` are its figures
    there. For `bisect run` the expression is a program, "true" means bad, the only figure is the exit status, and
    `skipped` are the moves before `first` that the program could not test.
    """

    bisect: str
    at_start: bool
    at_end: bool
    first: TurningPoint | None
    turns: tuple[TurningPoint, ...]
    position: PositionDocument
    start: dict[str, Any]
    end: dict[str, Any]
    skipped: tuple[int, ...] = ()


class Conflict(Document, frozen=True):
    """A commit whose command is no longer legal, and why."""

    commit: CommitDocument
    refusals: tuple[Refusal, ...]


class RewriteAnswer(Answer, frozen=True, omit_defaults=True):
    """The result of playing commands again: whether it is stored, and the commands that are no longer legal.

    `left` is the line that was current before, if the current line has changed; `answered` has the commands that
    programs then played.
    """

    stored: bool
    played: tuple[CommitDocument, ...]
    conflicts: tuple[Conflict, ...]
    position: PositionDocument
    left: str = ""
    answered: tuple[CommitDocument, ...] = ()
