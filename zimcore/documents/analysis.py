"""Answers of analyses: chances to win, best turns, mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from zimcore.documents.positions import Answer, Document, PositionDocument
from zimcore.game import Seat, Table

MARKS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
"""The marks of mistakes in a log, as in chess."""


class ChanceDocument(Document, frozen=True):
    """A chance to win from 0 to 1, and its standard error (0 if the chance is certain)."""

    chance: float
    error: float


class HintDocument(Document, frozen=True, kw_only=True):
    """A turn or a bid as commands, its seat's chance after it, and `why`: what it changes, in the words of the game."""

    commands: tuple[str, ...]
    chance: float
    error: float
    why: str


class HintAnswer(Answer, frozen=True, kw_only=True):
    """The best turns found for the seat to move, best first. `now` has the chance of every seat if the best is played.

    `nodes` counts the positions searched, `tried` the turns.
    """

    position: PositionDocument
    seat: Seat
    now: dict[Seat, ChanceDocument]
    hints: tuple[HintDocument, ...]
    tried: int
    nodes: int


class TermDocument(Document, frozen=True):
    """A group of features of a position (`term`). `makes` is what they add to the chance of a seat: the chance minus
    what it would be if all seats were equal in them. `own` are the numbers of the seat, `others` the means of the
    others.
    """

    term: str
    makes: float
    own: dict[str, float]
    others: dict[str, float]


class ChangeDocument(Document, frozen=True):
    """A turn or a bid of `seat`, by the numbers of its first and last commit, and the explained chance before and
    after it.
    """

    first: int
    last: int
    seat: Seat
    commands: tuple[str, ...]
    before: float
    after: float


class WhyChanceAnswer(Answer, frozen=True, kw_only=True):
    """Why a seat has its chance to win: the terms behind it, the largest first, and the turns that changed it most, the
    newest first. `subject` is what was asked for (`zulu.chance`). All chances are estimates of the model: no turn is
    searched or played out. When the game is over there are no terms.
    """

    position: PositionDocument
    subject: str
    seat: Seat
    chance: float
    error: float
    terms: tuple[TermDocument, ...]
    changes: tuple[ChangeDocument, ...]


class DecisionDocument(Document, frozen=True, kw_only=True):
    """A turn or a bid that was played, by the numbers of its first and last commit, and its judgement.

    `chances` has the chance of every seat after it, `chance` that of its own seat. `best` is a better turn (empty if
    none was found), `why` what is better about it, `best_chance` the chance after it. `given` is the chance that was
    given away, from 0 to 1, and `error` its standard error. `word` says inaccuracy, mistake or blunder, or is "".
    `turning` says whether it is a turning point.
    """

    first: int
    last: int
    seat: Seat
    round: str
    commands: tuple[str, ...]
    chances: dict[Seat, ChanceDocument]
    chance: float
    best: tuple[str, ...]
    why: str
    best_chance: float
    given: float
    error: float
    word: str
    turning: bool


class AccuracyDocument(Document, frozen=True, kw_only=True):
    """How a seat has played: accuracy from 0 to 100, its decisions, the chance it gave away, and its mistakes by kind.

    `luck` is how much more than on average the hidden cards that came up added to its chance to win; 0 without any.
    """

    accuracy: float
    decisions: int
    given: float
    inaccuracies: int
    mistakes: int
    blunders: int
    luck: float = 0.0


def accuracy_table(accuracy: Mapping[Seat, AccuracyDocument]) -> Table:
    """How accurately each seat has played, as a table."""
    has_luck = any(figures.luck for figures in accuracy.values())
    rows = tuple(
        (
            *(seat, f"{figures.accuracy:.1f}", str(figures.decisions), f"{100 * figures.given:.0f}"),
            *map(str, (figures.inaccuracies, figures.mistakes, figures.blunders)),
            *((f"{100 * figures.luck:+.0f}",) if has_luck else ()),
        )
        for seat, figures in accuracy.items()
    )
    columns = ("turns and bids", "points given away", "inaccuracies", "mistakes", "blunders")
    headings = ("player", "accuracy", *columns, *(("luck in points",) if has_luck else ()))
    return Table("Accuracy", headings, rows, tuple(accuracy), headings[2:])


class ExerciseDocument(Document, frozen=True, kw_only=True):
    """An exercise: the position, the seat to move, the turn that was played, and the chance it gave away, from 0 to 1.

    `solved` counts how often it was solved in a row; `due` is the day of the next try, null before the first one.
    """

    place: str
    seat: Seat
    round: str
    commands: tuple[str, ...]
    word: str
    given: float
    solved: int
    due: date | None


class PracticeAnswer(Answer, frozen=True):
    """The exercises from the games that were analysed."""

    exercises: tuple[ExerciseDocument, ...]


class AnalyseAnswer(Answer, frozen=True, kw_only=True):
    """The judgement of every turn and bid on the way to a position.

    `engine`, `nodes` and `seed` determine the result; `kept` counts decisions that were judged before. `forked` are the
    lines that were created, by name, with the number of the commit that each begins after. `file` has the graph.
    """

    position: PositionDocument
    engine: str
    nodes: int
    seed: int
    kept: int
    start: dict[Seat, ChanceDocument]
    decisions: tuple[DecisionDocument, ...]
    accuracy: dict[Seat, AccuracyDocument]
    forked: dict[str, int]
    file: str = ""


class EstimateDocument(Document, frozen=True):
    """The mean of a value over games. `error` is half the width of its 95 % interval, null after one game."""

    mean: float
    error: float | None


class AlternativeDocument(Document, frozen=True, kw_only=True, omit_defaults=True):
    """A turn after which games were played to the end: `wins` is its seat's share of victories, `values` the mean of
    each expression.

    `behind` is its distance to the best alternative, in the value that orders them and over the same games; null for
    the best one. `line` is the line of play with the first of its games, if that game was stored.
    """

    commands: tuple[str, ...]
    games: int
    wins: EstimateDocument
    values: dict[str, EstimateDocument]
    behind: EstimateDocument | None
    line: str = ""


class WhatIfAnswer(Answer, frozen=True, kw_only=True):
    """Alternatives that programs have played on to the end of the game, the best first.

    They are ordered by the first expression of `by`, or by victories of the seat if there is none. `decided` says that
    the best one was clear before all games were played; `reused` counts stored games of an earlier call.
    """

    position: PositionDocument
    seat: Seat
    bot: str
    seed: int
    by: tuple[str, ...]
    alternatives: tuple[AlternativeDocument, ...]
    decided: bool
    reused: int
