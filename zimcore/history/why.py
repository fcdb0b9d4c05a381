"""Explains how a value came about: all events that changed it, with the value after each.

The subject is a square (`d7`) or an expression over a position (`kilwa.cattle`, `zulu.vp - kilwa.vp`). It is evaluated
after every single event, so no game needs code for this, and no change is missed: for cattle the answer is the ledger
of an account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from zimcore.commits import Commit
from zimcore.game import Event, Game, figures
from zimcore.history.board_differences import cells_by_square, describe_square
from zimcore.history.differences import is_number
from zimcore.history.evaluation import ExpressionError
from zimcore.history.expression import parse
from zimcore.history.replay_states import final_state

ReadValue: TypeAlias = Callable[[Any], Any]
"""Takes a state, returns the value of the subject."""


class ValueChange(msgspec.Struct, frozen=True):
    """An event that changed the subject. A subject that does not exist yet is None; from None to 0 is not a change."""

    commit: Commit
    event: Event
    before: Any
    after: Any

    @property
    def change(self) -> int | None:
        """By how much the value grew; None if it is not a number."""
        value_before = 0 if self.before is None else self.before
        return self.after - value_before if is_number(value_before) and is_number(self.after) else None


class Why(msgspec.Struct, frozen=True):
    """The answer: the subject, its value now, and the events that changed it, newest first."""

    subject: str
    value: Any
    changes: tuple[ValueChange, ...]


def why(game: Game, commits: Sequence[Commit], subject: str) -> Why:
    """The events that led to the value of a subject after these commits, which begin at the start.

    Raises `ExpressionError` if the subject is neither a square nor an expression over figures.
    """
    last_state = final_state(game, commits)
    read_value = subject_reader(game, last_state, subject)
    changes = tuple(_value_changes(game, commits, read_value))
    return Why(subject, read_value(last_state), changes[::-1])


def subject_reader(game: Game, state: Any, subject: str) -> ReadValue:
    """The function that reads a subject from a state. Raises `ExpressionError` if this state has no such thing."""
    square_name = subject.strip().lower()
    if square_name in cells_by_square(game.display.board(state)):
        return lambda state: _square_text(game, state, square_name)
    expression = parse(subject)
    expression.value(figures(game, state))
    return lambda state: expression.value(figures(game, state))


def _value_changes(game: Game, commits: Sequence[Commit], read_value: ReadValue) -> Iterator[ValueChange]:
    state = game.evolution.initial()
    value_before = _value_at(read_value, state)
    for commit in commits:
        for event in commit.events:
            game.evolution.evolve(state, event)
            value_after = _value_at(read_value, state)
            if value_after != value_before and (value_before, value_after) != (None, 0):
                yield ValueChange(commit, event, value_before, value_after)
            value_before = value_after


def _value_at(read_value: ReadValue, state: Any) -> Any:
    """The value of the subject in a state; None if it does not exist yet."""
    try:
        return read_value(state)
    except ExpressionError:
        return None


def _square_text(game: Game, state: Any, square_name: str) -> str | None:
    cell = cells_by_square(game.display.board(state)).get(square_name)
    return describe_square(cell) if cell else None
