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
from zimcore.history.replay_states import end, evolve
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
        rounds=tuple(_rounds(dict(_line_rounds(game, a, shared)), dict(_line_rounds(game, b, shared)))),
        differences=tuple(differences(figures(game, end(game, a)), figures(game, end(game, b)))),
    )


def _shared_length(a: Sequence[Commit], b: Sequence[Commit]) -> int:
    """How many commits from the start are the same on both sides."""
    parting_points = (at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one.digest != other.digest)
    return next(parting_points, min(len(a), len(b)))


def _line_rounds(game: Game, commits: Sequence[Commit], shared: int) -> Iterator[tuple[str, LineRound]]:
    """The rounds in which a line has moves after the `shared` ones, with their names."""
    state = game.evolution.initial()
    for part in rounds(commits):
        own, paid = [], dict[str, dict[str, int]]()
        for commit in part.commits:
            if commit.number < shared:
                evolve(game, state, commit)
            else:
                own.append(commit)
                _count(game, state, commit, paid)
        if own:
            yield part.name, LineRound(tuple(own), figures(game, state), game.display.board(state), paid)


def _count(game: Game, state: Any, commit: Commit, paid: dict[str, dict[str, int]]) -> None:
    """Applies a commit, and adds up what each seat paid and received: `cattle paid`, `cattle got`.

    Compares figures after each event, as a commit may both take and give, and the sum would hide it.
    """
    before = figures(game, state)
    for event in commit.events:
        game.evolution.evolve(state, event)
        after = figures(game, state)
        for each in differences(before, after):
            if each.name in game.display.MONEY:
                name = f"{each.name} {'got' if each.change > 0 else 'paid'}"
                sums = paid.setdefault(each.seat, {})
                sums[name] = sums.get(name, 0) + abs(each.change)
        before = after


def _rounds(a: Mapping[str, LineRound], b: Mapping[str, LineRound]) -> Iterator[Round]:
    """The rounds of both lines side by side."""
    for name in {**a, **b}:
        first_round, second_round = a.get(name), b.get(name)
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
    a: Mapping[str, Mapping[str, int]], b: Mapping[str, Mapping[str, int]]
) -> Iterator[Difference]:
    for seat in {**a, **b}:
        first_payments, second_payments = a.get(seat, {}), b.get(seat, {})
        for name in {**first_payments, **second_payments}:
            if first_payments.get(name, 0) != second_payments.get(name, 0):
                yield Difference(seat, name, first_payments.get(name, 0), second_payments.get(name, 0))
