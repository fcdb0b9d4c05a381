"""Pairings follow from past and seed, and are as even as possible. No test here knows a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zimcore.documents.leagues import PairingSystem
from zimcore.game import GameError
from zimcore.service.records.pairings import Pairing, count_past_rounds, pair_round, planned_round_count, table_sizes

SIZES = ((2, 2), (3, 3), (3, 4), (4, 4), (2, 5))


def player_names(player_count: int) -> list[str]:
    return [f"p{each:02}" for each in range(player_count)]


def play_season(
    system: PairingSystem, player_count: int, sizes: tuple[int, int], round_count: int, seed: int
) -> Iterator[tuple[dict[str, float], Pairing]]:
    """The rounds of a season in which the player with the lower number always ends ahead; with the points before."""
    names, pairings, points = (
        player_names(player_count),
        list[Pairing](),
        dict.fromkeys(player_names(player_count), 0.0),
    )
    for round_index in range(round_count):
        pairing = pair_round(system, names, pairings, points, sizes, seed + round_index)
        yield dict(points), pairing
        pairings.append(pairing)
        for table in pairing.tables:
            for rank, player in enumerate(sorted(table)):
                points[player] += 1 - rank / (len(table) - 1)
        for each in pairing.byes:
            points[each] += 1


@given(st.sampled_from(("round-robin", "swiss")), st.integers(2, 12), st.sampled_from(SIZES), st.integers(0, 9))
def test_each_player_is_at_one_table_a_round_or_has_a_bye(
    system: PairingSystem, player_count: int, sizes: tuple[int, int], seed: int
) -> None:
    if player_count < sizes[0]:
        with pytest.raises(GameError):
            table_sizes(player_count, *sizes)
        return
    for _, pairing in play_season(system, player_count, sizes, 3, seed):
        assert sorted([*pairing.byes, *(player for table in pairing.tables for player in table)]) == player_names(
            player_count
        )
        assert all(sizes[0] <= len(table) <= sizes[1] for table in pairing.tables)
        assert len(pairing.byes) == player_count - sum(table_sizes(player_count, *sizes))


@given(st.sampled_from(("round-robin", "swiss")), st.integers(4, 12), st.sampled_from(SIZES), st.integers(0, 9))
def test_a_pairing_follows_from_its_past_and_its_seed(
    system: PairingSystem, player_count: int, sizes: tuple[int, int], seed: int
) -> None:
    assert [*play_season(system, player_count, sizes, 3, seed)] == [*play_season(system, player_count, sizes, 3, seed)]


@given(st.integers(2, 15), st.integers(0, 9))
def test_a_round_robin_of_two_has_equal_meetings_byes_and_seats(player_count: int, seed: int) -> None:
    round_count = planned_round_count("round-robin", player_count, 2)
    past_counts = count_past_rounds(
        [pairing for _, pairing in play_season("round-robin", player_count, (2, 2), round_count, seed)]
    )
    assert all(past_counts.meeting_counts[frozenset(pair)] == 1 for pair in combinations(player_names(player_count), 2))
    assert {past_counts.bye_counts[each] for each in player_names(player_count)} == {player_count % 2}
    assert all(
        spread_of(past_counts.seat_counts[player, seat_index] for seat_index in range(2)) <= 2
        for player in player_names(player_count)
    )


@given(st.integers(4, 13), st.sampled_from(SIZES[1:4]), st.integers(0, 9))
def test_byes_meetings_and_seats_are_spread_in_a_round_robin_of_larger_tables(
    player_count: int, sizes: tuple[int, int], seed: int
) -> None:
    round_count = planned_round_count("round-robin", player_count, sizes[1])
    past_counts = count_past_rounds(
        [pairing for _, pairing in play_season("round-robin", player_count, sizes, round_count, seed)]
    )
    assert spread_of(past_counts.bye_counts[each] for each in player_names(player_count)) <= 1
    assert (
        spread_of(past_counts.meeting_counts[frozenset(pair)] for pair in combinations(player_names(player_count), 2))
        <= 2
    )
    for player in player_names(player_count):
        assert spread_of(past_counts.seat_counts[player, seat_index] for seat_index in range(sizes[0])) <= 2


def spread_of(counts: Iterator[int]) -> int:
    all_counts = [*counts]
    return max(all_counts) - min(all_counts)


@given(st.integers(2, 8), st.integers(0, 9))
def test_swiss_repeats_as_few_meetings_as_possible(player_count: int, seed: int) -> None:
    pairings = list[Pairing]()
    for _, pairing in play_season(
        "swiss", player_count, (2, 2), planned_round_count("swiss", player_count, 2) + 1, seed
    ):
        meeting_counts = count_past_rounds(pairings).meeting_counts
        seated_players = [player for table in pairing.tables for player in table]
        assert sum(meeting_counts[frozenset(table)] > 0 for table in pairing.tables) == fewest_repeats(
            seated_players, meeting_counts
        )
        pairings.append(pairing)


def fewest_repeats(players: Sequence[str], meeting_counts: Counter[frozenset[str]]) -> int:
    """The smallest number of repeated meetings over all ways to pair these players."""
    if not players:
        return 0
    first_player, *other_players = players
    return min(
        (meeting_counts[frozenset((first_player, opponent))] > 0)
        + fewest_repeats([each for each in other_players if each != opponent], meeting_counts)
        for opponent in other_players
    )


@given(st.integers(4, 12), st.sampled_from(SIZES), st.integers(0, 9))
def test_in_swiss_the_bye_goes_to_those_with_the_fewest_byes_and_then_the_fewest_points(
    player_count: int, sizes: tuple[int, int], seed: int
) -> None:
    byes = Counter[str]()
    for points, pairing in play_season("swiss", player_count, sizes, 3, seed):
        keys_without_bye = [
            (byes[player], points[player]) for player in player_names(player_count) if player not in pairing.byes
        ]
        assert all(
            (byes[player], points[player]) <= player_key for player in pairing.byes for player_key in keys_without_bye
        )
        byes.update(pairing.byes)


def test_in_swiss_players_with_equal_points_meet() -> None:
    *_, (points, pairing) = play_season("swiss", 8, (2, 2), 2, 1)
    assert all(points[first_player] == points[second_player] for first_player, second_player in pairing.tables)


def test_the_opponent_of_a_player_who_withdrew_has_a_bye() -> None:
    schedule = ["ann", "ben", "cem", "dia"]
    remaining_players = ["ann", "ben", "cem"]
    rounds = list[Pairing]()
    for seed in range(3):
        rounds.append(pair_round("round-robin", remaining_players, rounds, {}, (2, 2), seed, schedule))
    past_counts = count_past_rounds(rounds)
    assert all(past_counts.meeting_counts[frozenset(pair)] == 1 for pair in combinations(remaining_players, 2))
    assert [past_counts.bye_counts[each] for each in remaining_players] == [1, 1, 1]
