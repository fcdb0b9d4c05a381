"""When an expression began to hold. Every commit is tried, so that it is exact for one that comes and goes, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec

from zimcore.commits import Commit
from zimcore.game import Game, figures
from zimcore.history.evaluation import ExpressionError, Values
from zimcore.history.expression import Expression
from zimcore.history.replay_states import positions

Look: TypeAlias = Callable[[Game, Any], Values]
"""From a position to what an expression may speak of there."""


class BisectStep(msgspec.Struct, frozen=True):
    """A commit, whether the expression holds after it, and the figures in the expression then."""

    commit: Commit
    holds: bool
    figures: dict[str, Any]


class Bisection(msgspec.Struct, frozen=True):
    """When an expression holds: at the start, at the end, and the commits where that changed (before, after)."""

    expression: str
    at_start: BisectStep
    at_end: BisectStep
    turns: tuple[tuple[BisectStep, BisectStep], ...]

    @property
    def first(self) -> tuple[BisectStep, BisectStep] | None:
        """The last commit before it came true for the first time, and the one after which it was."""
        return next(((before, after) for before, after in self.turns if after.holds), None)


def bisect(game: Game, commits: Sequence[Commit], expression: Expression, look: Look = figures) -> Bisection:
    """Finds when an expression holds along these commits from the start. Raises `ExpressionError`."""
    found = list(answers(game, commits, expression, look))
    return Bisection(
        expression.text, found[0], found[-1], tuple((a, b) for a, b in pairwise(found) if a.holds != b.holds)
    )


def answers(
    game: Game, commits: Sequence[Commit], expression: Expression, look: Look = figures
) -> Iterator[BisectStep]:
    """What an expression says after each of the commits from the start, on branches too, of what `look` sees there.

    It does not hold where it names something that does not exist yet (the price of a card that nobody has). Raises
    `ExpressionError` if that is so after all of them.
    """
    error: ExpressionError | None = None
    sensible = False
    for commit, state in positions(game, commits):
        values = look(game, state)
        try:
            holds = expression.holds(values)
            sensible = True
        except ExpressionError as caught:
            holds, error = False, caught
        yield BisectStep(commit, holds, dict(expression.figures(values)))
    if error and not sensible:
        raise error
