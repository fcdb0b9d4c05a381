"""Pairings: pure, fair, and as even as can be. No test here knows a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zimcore.documents.leagues import PairingSystem
from zimcore.game import GameError
from zimcore.service.pairings import Pairing, pair_round, past_of, planned_rounds, table_sizes

SIZES = ((2, 2), (3, 3), (3, 4), (4, 4), (2, 5))


def players(number: int) -> list[str]:
    return [f"p{each:02}" for each in range(number)]


def season(
    system: PairingSystem, number: int, sizes: tuple[int, int], rounds: int, seed: int
) -> Iterator[tuple[dict[str, float], Pairing]]:
    """The rounds of a season in which the player with the lower number always ends ahead; with the points before."""
    names, before, points = players(number), list[Pairing](), dict.fromkeys(players(number), 0.0)
    for at in range(rounds):
        paired = pair_round(system, names, before, points, sizes, seed + at)
        yield dict(points), paired
        before.append(paired)
        for table in paired.tables:
            for place, each in enumerate(sorted(table)):
                points[each] += 1 - place / (len(table) - 1)
        for each in paired.byes:
            points[each] += 1


@given(st.sampled_from(("round-robin", "swiss")), st.integers(2, 12), st.sampled_from(SIZES), st.integers(0, 9))
def test_each_player_is_at_one_table_a_round_or_has_a_bye(
    system: PairingSystem, number: int, sizes: tuple[int, int], seed: int
) -> None:
    if number < sizes[0]:
        with pytest.raises(GameError):
            table_sizes(number, *sizes)
        return
    for _, paired in season(system, number, sizes, 3, seed):
        assert sorted([*paired.byes, *(each for table in paired.tables for each in table)]) == players(number)
        assert all(sizes[0] <= len(table) <= sizes[1] for table in paired.tables)
        assert len(paired.byes) == number - sum(table_sizes(number, *sizes))


@given(st.sampled_from(("round-robin", "swiss")), st.integers(4, 12), st.sampled_from(SIZES), st.integers(0, 9))
def test_a_pairing_follows_from_its_past_and_its_seed(
    system: PairingSystem, number: int, sizes: tuple[int, int], seed: int
) -> None:
    assert [*season(system, number, sizes, 3, seed)] == [*season(system, number, sizes, 3, seed)]


@given(st.integers(2, 15), st.integers(0, 9))
def test_in_a_round_robin_of_two_each_meets_each_once_and_byes_and_seats_are_equal(number: int, seed: int) -> None:
    rounds = planned_rounds("round-robin", number, 2)
    past = past_of([paired for _, paired in season("round-robin", number, (2, 2), rounds, seed)])
    assert all(past.met[frozenset(pair)] == 1 for pair in combinations(players(number), 2))
    assert {past.byes[each] for each in players(number)} == {number % 2}
    assert all(difference_of_counts(past.sat[each, at] for at in range(2)) <= 2 for each in players(number))


@given(st.integers(4, 13), st.sampled_from(SIZES[1:4]), st.integers(0, 9))
def test_byes_meetings_and_seats_are_spread_in_a_round_robin_of_larger_tables(
    number: int, sizes: tuple[int, int], seed: int
) -> None:
    rounds = planned_rounds("round-robin", number, sizes[1])
    past = past_of([paired for _, paired in season("round-robin", number, sizes, rounds, seed)])
    assert difference_of_counts(past.byes[each] for each in players(number)) <= 1
    assert difference_of_counts(past.met[frozenset(pair)] for pair in combinations(players(number), 2)) <= 2
    for each in players(number):
        assert difference_of_counts(past.sat[each, at] for at in range(sizes[0])) <= 2


def difference_of_counts(counts: Iterator[int]) -> int:
    total = [*counts]
    return max(total) - min(total)


@given(st.integers(2, 8), st.integers(0, 9))
def test_swiss_repeats_no_meeting_where_it_can_be_avoided(number: int, seed: int) -> None:
    before = list[Pairing]()
    for _, paired in season("swiss", number, (2, 2), planned_rounds("swiss", number, 2) + 1, seed):
        met = past_of(before).met
        seated = [each for table in paired.tables for each in table]
        assert sum(met[frozenset(table)] > 0 for table in paired.tables) == fewest_repeats(seated, met)
        before.append(paired)


def fewest_repeats(names: Sequence[str], met: Counter[frozenset[str]]) -> int:
    """How many pairs have to meet again, of all ways to pair these players."""
    if not names:
        return 0
    first, *rest = names
    return min(
        (met[frozenset((first, other))] > 0) + fewest_repeats([each for each in rest if each != other], met)
        for other in rest
    )


@given(st.integers(4, 12), st.sampled_from(SIZES), st.integers(0, 9))
def test_in_swiss_the_bye_goes_to_those_with_the_fewest_byes_and_then_the_fewest_points(
    number: int, sizes: tuple[int, int], seed: int
) -> None:
    byes = Counter[str]()
    for points, paired in season("swiss", number, sizes, 3, seed):
        others = [(byes[each], points[each]) for each in players(number) if each not in paired.byes]
        assert all((byes[each], points[each]) <= other for each in paired.byes for other in others)
        byes.update(paired.byes)


def test_in_swiss_those_with_equal_points_meet() -> None:
    *_, (points, paired) = season("swiss", 8, (2, 2), 2, 1)
    assert all(points[a] == points[b] for a, b in paired.tables)


def test_the_opponent_of_a_player_who_withdrew_has_a_bye() -> None:
    schedule = ["ann", "ben", "cem", "dia"]
    left = ["ann", "ben", "cem"]
    rounds = list[Pairing]()
    for seed in range(3):
        rounds.append(pair_round("round-robin", left, rounds, {}, (2, 2), seed, schedule))
    past = past_of(rounds)
    assert all(past.met[frozenset(pair)] == 1 for pair in combinations(left, 2))
    assert [past.byes[each] for each in left] == [1, 1, 1]
