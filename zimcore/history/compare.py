"""How two lines of play differ: round by round from where they parted, and what it made of whom in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic

import msgspec

from zimcore.game import Board, Game
from zimcore.history.board import SquareDifference, board_differences
from zimcore.history.commits import AnyCommit, end, let_happen
from zimcore.history.differences import Difference, differences
from zimcore.history.rounds import rounds
from zimcore.history.walk import Values


class Round(msgspec.Struct, Generic[AnyCommit], frozen=True):
    """One round of two lines; where only one of them came so far, there are only its moves.

    `a` and `b` are the moves since they parted. `figures` are the numbers that differ at the end of the round, `paid`
    what of its money each seat has paid and got in it, `squares` those on which not the same stands at its end.
    """

    name: str
    a: tuple[AnyCommit, ...]
    b: tuple[AnyCommit, ...]
    figures: tuple[Difference, ...] = ()
    paid: tuple[Difference, ...] = ()
    squares: tuple[SquareDifference, ...] = ()


class Comparison(msgspec.Struct, Generic[AnyCommit], frozen=True):
    """Two lines of play side by side.

    `parted` is the last commit that they share (none: two games), `only_a` and `only_b` what each played since,
    `differences` are the numbers that differ at their ends.
    """

    parted: AnyCommit | None
    only_a: tuple[AnyCommit, ...]
    only_b: tuple[AnyCommit, ...]
    rounds: tuple[Round[AnyCommit], ...]
    differences: tuple[Difference, ...]


class Lap(msgspec.Struct, Generic[AnyCommit], frozen=True):
    """A round of one line: its own moves in it, how it ends, and what each seat's money came and went by."""

    commits: tuple[AnyCommit, ...]
    values: Values
    board: Board
    paid: dict[str, dict[str, int]]


def compare(rules: Game, a: Sequence[AnyCommit], b: Sequence[AnyCommit]) -> Comparison[AnyCommit]:
    """Compares two lines of play, given by their commits from the start."""
    shared = _shared(a, b)
    return Comparison(
        parted=a[shared - 1] if shared else None,
        only_a=tuple(a[shared:]),
        only_b=tuple(b[shared:]),
        rounds=tuple(_rounds(dict(_laps(rules, a, shared)), dict(_laps(rules, b, shared)))),
        differences=tuple(differences(rules.values(end(rules, a)), rules.values(end(rules, b)))),
    )


def _shared(a: Sequence[AnyCommit], b: Sequence[AnyCommit]) -> int:
    """How many commits from the start are the same on both sides."""
    parted = (at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one.digest != other.digest)
    return next(parted, min(len(a), len(b)))


def _laps(rules: Game, commits: Sequence[AnyCommit], shared: int) -> Iterator[tuple[str, Lap[AnyCommit]]]:
    """The rounds in which a line has moves of its own, by their names."""
    state = rules.initial()
    for part in rounds(commits):
        own, paid = [], dict[str, dict[str, int]]()
        for commit in part.commits:
            if commit.number < shared:
                let_happen(rules, state, commit)
            else:
                own.append(commit)
                _count(rules, state, commit, paid)
        if own:
            yield part.name, Lap(tuple(own), rules.values(state), rules.view(state).board, paid)


def _count(rules: Game, state: Any, commit: AnyCommit, paid: dict[str, dict[str, int]]) -> None:
    """Lets a commit happen, and adds up what each seat's money came and went by: `cattle paid`, `cattle got`."""
    before = rules.values(state)
    for event in commit.events:
        rules.evolve(state, event)
        after = rules.values(state)
        for each in differences(before, after):
            if each.name in rules.money:
                name = f"{each.name} {'got' if each.change > 0 else 'paid'}"
                sums = paid.setdefault(each.seat, {})
                sums[name] = sums.get(name, 0) + abs(each.change)
        before = after


def _rounds(a: Mapping[str, Lap[AnyCommit]], b: Mapping[str, Lap[AnyCommit]]) -> Iterator[Round[AnyCommit]]:
    """The rounds of both lines side by side."""
    for name in {**a, **b}:
        one, other = a.get(name), b.get(name)
        if one and other:
            figures, squares = differences(one.values, other.values), board_differences(one.board, other.board)
            paid = tuple(_paid(one.paid, other.paid))
            yield Round(name, one.commits, other.commits, tuple(figures), paid, tuple(squares))
        else:
            yield Round(name, one.commits if one else (), other.commits if other else ())


def _paid(a: Mapping[str, Mapping[str, int]], b: Mapping[str, Mapping[str, int]]) -> Iterator[Difference]:
    for seat in {**a, **b}:
        one, other = a.get(seat, {}), b.get(seat, {})
        for name in {**one, **other}:
            if one.get(name, 0) != other.get(name, 0):
                yield Difference(seat, name, one.get(name, 0), other.get(name, 0))
