"""Compares two lines of play: round by round after their last shared commit, and in their final figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from zimcore.commits import Commit
from zimcore.documents.differences import Difference, SquareDifference
from zimcore.game import Board, Game, figures
from zimcore.history.board_differences import board_differences
from zimcore.history.differences import differences
from zimcore.history.evaluation import Values
from zimcore.history.replay_states import evolve, final_state
from zimcore.history.rounds import rounds


class Round(msgspec.Struct, frozen=True):
    """One round of two lines; if only one of them reached it, with only that line's moves.

    `a` and `b` are the moves of the round that are not shared. `figures` are the numbers that differ at its end, `paid`
    the differences in what each seat paid and received in it, `squares` the squares that differ at its end.
    """

    name: str
    a: tuple[Commit, ...]
    b: tuple[Commit, ...]
    figures: tuple[Difference, ...] = ()
    paid: tuple[Difference, ...] = ()
    squares: tuple[SquareDifference, ...] = ()


class Comparison(msgspec.Struct, frozen=True):
    """Two lines of play side by side.

    `parted` is the last shared commit (None: two games), `only_a` and `only_b` are the moves of each after it,
    `differences` the numbers that differ at their ends.
    """

    parted: Commit | None
    only_a: tuple[Commit, ...]
    only_b: tuple[Commit, ...]
    rounds: tuple[Round, ...]
    differences: tuple[Difference, ...]


class LineRound(msgspec.Struct, frozen=True):
    """A round of one line: the moves that only this line has, the values at its end, and each seat's payments."""

    commits: tuple[Commit, ...]
    values: Values
    board: Board | None
    paid: dict[str, dict[str, int]]


def compare(game: Game, a: Sequence[Commit], b: Sequence[Commit]) -> Comparison:
    """Compares two lines of play, given by their commits from the start."""
    shared = _shared_length(a, b)
    return Comparison(
        parted=a[shared - 1] if shared else None,
        only_a=tuple(a[shared:]),
        only_b=tuple(b[shared:]),
        rounds=tuple(_rounds_side_by_side(dict(_line_rounds(game, a, shared)), dict(_line_rounds(game, b, shared)))),
        differences=tuple(differences(figures(game, final_state(game, a)), figures(game, final_state(game, b)))),
    )


def _shared_length(first_line: Sequence[Commit], second_line: Sequence[Commit]) -> int:
    """How many commits from the start are the same on both sides."""
    parting_points = (
        index
        for index, (commit, other_commit) in enumerate(zip(first_line, second_line, strict=False))
        if commit.digest != other_commit.digest
    )
    return next(parting_points, min(len(first_line), len(second_line)))


def _line_rounds(game: Game, commits: Sequence[Commit], shared: int) -> Iterator[tuple[str, LineRound]]:
    """The rounds in which a line has moves after the `shared` ones, with their names."""
    state = game.evolution.initial()
    for played_round in rounds(commits):
        own_commits, paid = [], dict[str, dict[str, int]]()
        for commit in played_round.commits:
            if commit.number < shared:
                evolve(game, state, commit)
            else:
                own_commits.append(commit)
                _apply_and_count(game, state, commit, paid)
        if own_commits:
            yield (
                played_round.name,
                LineRound(tuple(own_commits), figures(game, state), game.display.board(state), paid),
            )


def _apply_and_count(game: Game, state: Any, commit: Commit, paid: dict[str, dict[str, int]]) -> None:
    """Applies a commit, and adds up what each seat paid and received: `cattle paid`, `cattle got`.

    Compares figures after each event, as a commit may both take and give, and the sum would hide it.
    """
    figures_before = figures(game, state)
    for event in commit.events:
        game.evolution.evolve(state, event)
        figures_after = figures(game, state)
        for difference in differences(figures_before, figures_after):
            if difference.name in game.display.MONEY:
                name = f"{difference.name} {'got' if difference.change > 0 else 'paid'}"
                sums = paid.setdefault(difference.seat, {})
                sums[name] = sums.get(name, 0) + abs(difference.change)
        figures_before = figures_after


def _rounds_side_by_side(first_line: Mapping[str, LineRound], second_line: Mapping[str, LineRound]) -> Iterator[Round]:
    """The rounds of both lines side by side."""
    for name in {**first_line, **second_line}:
        first_round, second_round = first_line.get(name), second_line.get(name)
        if first_round and second_round:
            figures, squares = (
                differences(first_round.values, second_round.values),
                board_differences(first_round.board, second_round.board),
            )
            paid = tuple(_payment_differences(first_round.paid, second_round.paid))
            yield Round(name, first_round.commits, second_round.commits, tuple(figures), paid, tuple(squares))
        else:
            yield Round(name, first_round.commits if first_round else (), second_round.commits if second_round else ())


def _payment_differences(
    first_line: Mapping[str, Mapping[str, int]], second_line: Mapping[str, Mapping[str, int]]
) -> Iterator[Difference]:
    for seat in {**first_line, **second_line}:
        first_payments, second_payments = first_line.get(seat, {}), second_line.get(seat, {})
        for name in {**first_payments, **second_payments}:
            if first_payments.get(name, 0) != second_payments.get(name, 0):
                yield Difference(seat, name, first_payments.get(name, 0), second_payments.get(name, 0))
