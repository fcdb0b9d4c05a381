"""Finds when an expression becomes true or false. Tries every commit, as the value may change more than once.

A slow test, such as a program, is asked about few commits instead: `first_bad` halves the range each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from zimcore.commits import Commit
from zimcore.game import Game, figures
from zimcore.history.evaluation import ExpressionError, Values
from zimcore.history.expression import Expression, parse
from zimcore.history.replay_states import states_after_commits

ReadValues: TypeAlias = Callable[[Game, Any], Values]
"""Takes a game and a state, returns the values for expressions."""


class BisectStep(msgspec.Struct, frozen=True):
    """A commit, whether the expression is true after it, and the values that it names then."""

    commit: Commit
    holds: bool
    figures: dict[str, Any]


class Bisection(msgspec.Struct, frozen=True):
    """When an expression is true: at the start, at the end, and pairs (before, after) of commits where it changed."""

    expression: str
    at_start: BisectStep
    at_end: BisectStep
    turning_points: tuple[tuple[BisectStep, BisectStep], ...]

    @property
    def first(self) -> tuple[BisectStep, BisectStep] | None:
        """The pair (before, after) where the expression first became true; None if it never did."""
        return next(((before, after) for before, after in self.turning_points if after.holds), None)


def bisect(
    game: Game, commits: Sequence[Commit], expression: Expression | str, read_values: ReadValues = figures
) -> Bisection:
    """Finds when an expression is true along these commits from the start. Raises `ExpressionError`."""
    expression = parse(expression) if isinstance(expression, str) else expression
    bisect_steps = list(evaluate_commits(game, commits, expression, read_values))
    return Bisection(
        expression.text,
        bisect_steps[0],
        bisect_steps[-1],
        tuple((before, after) for before, after in pairwise(bisect_steps) if before.holds != after.holds),
    )


def evaluate_commits(
    game: Game, commits: Sequence[Commit], expression: Expression, read_values: ReadValues = figures
) -> Iterator[BisectStep]:
    """Evaluates an expression after each commit from the start, also on branches. `read_values` gives its values.

    It is false where it names something that does not exist yet (the price of a card without an owner). Raises
    `ExpressionError` if that is so after every commit.
    """
    error: ExpressionError | None = None
    is_evaluated = False
    for commit, state in states_after_commits(game, commits):
        values = read_values(game, state)
        try:
            holds = expression.holds(values)
            is_evaluated = True
        except ExpressionError as failure:
            holds, error = False, failure
        yield BisectStep(commit, holds, dict(expression.named_values(values)))
    if error and not is_evaluated:
        raise error


Verdict: TypeAlias = Literal["good", "bad", "skip"]
"""What a test says about a commit; `skip` if it can't say."""


class BadRange(NamedTuple):
    """The indexes of the last commit that is good and of the first that is bad after it.

    Commits between them could not be tested.
    """

    good_index: int
    bad_index: int


def first_bad(good_index: int, bad_index: int, verdict_at: Callable[[int], Verdict]) -> BadRange:
    """Finds by halving where commits become bad. The first index is known to be good, the last to be bad.

    If the verdict changes several times, this finds one of the changes from good to bad.

    >>> first_bad(0, 9, lambda index: "bad" if index >= 6 else "good")
    BadRange(good_index=5, bad_index=6)
    >>> first_bad(0, 9, lambda index: "skip" if index in (4, 5) else "bad" if index >= 6 else "good")
    BadRange(good_index=3, bad_index=6)
    """
    skipped_indices = set[int]()
    while untested_indices := [index for index in range(good_index + 1, bad_index) if index not in skipped_indices]:
        index = untested_indices[(len(untested_indices) - 1) // 2]
        match verdict_at(index):
            case "good":
                good_index = index
            case "bad":
                bad_index = index
            case "skip":
                skipped_indices.add(index)
    return BadRange(good_index, bad_index)
