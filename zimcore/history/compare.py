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
from zimcore.history.replay_states import apply_commit, final_state
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
    payments_by_seat: dict[str, dict[str, int]]


def compare(game: Game, first_commits: Sequence[Commit], second_commits: Sequence[Commit]) -> Comparison:
    """Compares two lines of play, given by their commits from the start."""
    shared_count = _shared_length(first_commits, second_commits)
    return Comparison(
        parted=first_commits[shared_count - 1] if shared_count else None,
        only_a=tuple(first_commits[shared_count:]),
        only_b=tuple(second_commits[shared_count:]),
        rounds=tuple(
            _rounds_side_by_side(
                dict(_line_rounds(game, first_commits, shared_count)),
                dict(_line_rounds(game, second_commits, shared_count)),
            )
        ),
        differences=tuple(
            differences(
                figures(game, final_state(game, first_commits)), figures(game, final_state(game, second_commits))
            )
        ),
    )


def _shared_length(first_commits: Sequence[Commit], second_commits: Sequence[Commit]) -> int:
    """How many commits from the start are the same on both sides."""
    parting_points = (
        index
        for index, (commit, other_commit) in enumerate(zip(first_commits, second_commits, strict=False))
        if commit.digest != other_commit.digest
    )
    return next(parting_points, min(len(first_commits), len(second_commits)))


def _line_rounds(game: Game, commits: Sequence[Commit], shared_count: int) -> Iterator[tuple[str, LineRound]]:
    """The rounds in which a line has moves after the first `shared_count`, with their names."""
    state = game.evolution.initial()
    for played_round in rounds(commits):
        own_commits, payments_by_seat = [], dict[str, dict[str, int]]()
        for commit in played_round.commits:
            if commit.number < shared_count:
                apply_commit(game, state, commit)
            else:
                own_commits.append(commit)
                _apply_and_add_payments(game, state, commit, payments_by_seat)
        if own_commits:
            yield (
                played_round.name,
                LineRound(tuple(own_commits), figures(game, state), game.display.board(state), payments_by_seat),
            )


def _apply_and_add_payments(
    game: Game, state: Any, commit: Commit, payments_by_seat: dict[str, dict[str, int]]
) -> None:
    """Applies a commit, and adds up what each seat paid and received: `cattle paid`, `cattle got`.

    Compares figures after each event, as a commit may both take and give, and the sum would hide it.
    """
    figures_before = figures(game, state)
    for event in commit.events:
        game.evolution.evolve(state, event)
        figures_after = figures(game, state)
        for difference in differences(figures_before, figures_after):
            if difference.name in game.display.MONEY:
                payment_name = f"{difference.name} {'got' if difference.change > 0 else 'paid'}"
                seat_payments = payments_by_seat.setdefault(difference.seat, {})
                seat_payments[payment_name] = seat_payments.get(payment_name, 0) + abs(difference.change)
        figures_before = figures_after


def _rounds_side_by_side(
    first_rounds: Mapping[str, LineRound], second_rounds: Mapping[str, LineRound]
) -> Iterator[Round]:
    """The rounds of both lines side by side."""
    for name in {**first_rounds, **second_rounds}:
        first_round, second_round = first_rounds.get(name), second_rounds.get(name)
        if first_round and second_round:
            figure_differences, square_differences = (
                differences(first_round.values, second_round.values),
                board_differences(first_round.board, second_round.board),
            )
            payment_differences = tuple(
                _payment_differences(first_round.payments_by_seat, second_round.payments_by_seat)
            )
            yield Round(
                name,
                first_round.commits,
                second_round.commits,
                tuple(figure_differences),
                payment_differences,
                tuple(square_differences),
            )
        else:
            yield Round(name, first_round.commits if first_round else (), second_round.commits if second_round else ())


def _payment_differences(
    first_payments_by_seat: Mapping[str, Mapping[str, int]], second_payments_by_seat: Mapping[str, Mapping[str, int]]
) -> Iterator[Difference]:
    for seat in {**first_payments_by_seat, **second_payments_by_seat}:
        first_payments, second_payments = first_payments_by_seat.get(seat, {}), second_payments_by_seat.get(seat, {})
        for name in {**first_payments, **second_payments}:
            if first_payments.get(name, 0) != second_payments.get(name, 0):
                yield Difference(seat, name, first_payments.get(name, 0), second_payments.get(name, 0))
