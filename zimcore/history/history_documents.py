"""Makes documents of the answers to questions about the past, for terminal, server and client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from zimcore.commits import Commit, Position
from zimcore.documents.history import (
    BisectAnswer,
    CompareAnswer,
    Posting,
    RoundDifference,
    StoryAnswer,
    StoryNote,
    TurningPoint,
    WhyAnswer,
)
from zimcore.documents.listings import PositionNote
from zimcore.documents.positions import commit_documents, position_document
from zimcore.game import Game, GameError, figures
from zimcore.history.bisect import BisectStep, ReadValues, bisect
from zimcore.history.compare import Round, compare
from zimcore.history.expression import parse
from zimcore.history.story import story
from zimcore.history.why import ValueChange, why
from zimcore.rule_texts import find_word


def why_answer(position: Position, commits: Sequence[Commit], subject: str) -> WhyAnswer:
    """The events that led to the value of a subject, as a document. Raises `ExpressionError`."""
    explanation = why(position.game, commits, subject)
    postings = tuple(posting(change, position.game) for change in explanation.changes)
    word = find_word(position.game, subject)
    place = position_document(position)
    return WhyAnswer(explanation.subject, explanation.value, postings, place, word.text if word else "")


def posting(change: ValueChange, game: Game) -> Posting:
    """An event that changed a value, with its commit; as stored, and in words."""
    return Posting(
        number=change.commit.number,
        digest=change.commit.digest,
        seat=change.commit.seat,
        event=msgspec.to_builtins(change.event),
        told=game.notation.describe(change.event),
        before=change.before,
        after=change.after,
        change=change.change,
    )


def compare_answer(
    first_position: Position,
    second_position: Position,
    first_commits: Sequence[Commit],
    second_commits: Sequence[Commit],
) -> CompareAnswer:
    """Compares two positions, given with their commits. Raises `GameError` for positions of different games."""
    if first_position.game is not second_position.game:
        raise GameError(
            f"{first_position.match} and {second_position.match}",
            f"one plays {first_position.game.title}, the other {second_position.game.title}",
            ["games"],
        )
    comparison = compare(first_position.game, first_commits, second_commits)
    return CompareAnswer(
        a=position_document(first_position),
        b=position_document(second_position),
        parted=comparison.parted.number if comparison.parted else None,
        only_a=commit_documents(comparison.only_a),
        only_b=commit_documents(comparison.only_b),
        rounds=tuple(map(round_difference, comparison.rounds)),
        differences=comparison.differences,
    )


def round_difference(compared_round: Round) -> RoundDifference:
    """A round of a comparison as a document, with the numbers of its moves."""
    return RoundDifference(
        name=compared_round.name,
        a=commit_numbers(compared_round.a),
        b=commit_numbers(compared_round.b),
        figures=compared_round.figures,
        paid=compared_round.paid,
        squares=compared_round.squares,
    )


def commit_numbers(commits: Iterable[Commit]) -> tuple[int, ...]:
    """The numbers of commits."""
    return tuple(commit.number for commit in commits)


def bisect_answer(
    position: Position, commits: Sequence[Commit], expression: str, read_values: ReadValues = figures
) -> BisectAnswer:
    """The moves at which an expression became true or false, with the figures before and after.

    Raises `ExpressionError`.
    """
    bisection = bisect(position.game, commits, parse(expression), read_values)
    return BisectAnswer(
        bisect=bisection.expression,
        at_start=bisection.at_start.holds,
        at_end=bisection.at_end.holds,
        first=turning_point(*bisection.first) if bisection.first else None,
        turns=tuple(turning_point(before, after) for before, after in bisection.turning_points),
        position=position_document(position),
        start=bisection.at_start.figures,
        end=bisection.at_end.figures,
    )


def turning_point(step_before: BisectStep, step_after: BisectStep) -> TurningPoint:
    """A commit at which an expression changed, as a document."""
    commit = step_after.commit
    return TurningPoint(
        number=commit.number,
        digest=commit.digest,
        seat=commit.seat,
        text=commit.text,
        holds=step_after.holds,
        before=step_before.figures,
        after=step_after.figures,
        summary=commit.summary,
        by=commit.by,
        marks=commit.marks,
    )


def story_answer(position: Position, commits: Sequence[Commit], notes: tuple[PositionNote, ...] = ()) -> StoryAnswer:
    """The report of a match: a chapter for each round, and what happened around the game."""
    numbers = {commit.digest: commit.number for commit in commits}
    numbered_notes = tuple(StoryNote(numbers.get(note.about, 0), note.text) for note in notes)
    return StoryAnswer(position_document(position), tuple(story(position.game, commits)), notes=numbered_notes)
