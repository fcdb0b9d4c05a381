"""Lines are compared after their last shared commit: round by round, and in their final figures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import open_reproducible_service
from tests.cli.herd import GAME as HERD
from zimcore.documents.differences import SquareDifference
from zimcore.history import Comparison, Difference, compare, differences
from zimcore.service import EventStore, GameService


@pytest.fixture
def service() -> Iterator[GameService]:
    """A line `main` of three rounds, and `other`, which leaves it in the second."""
    with EventStore.open("memory:") as store:
        service = open_reproducible_service(store)
        service.new("herd", {"herd": "40"}, name="k", by="ann")
        play(service, "main", "take 2", "take 3", "build a1", "take 3", "take 1")
        service.fork("k/main@3", "other", by="ann")
        play(service, "other", "build b3", "build c3", "take 2")
        yield service


def play(service: GameService, line: str, *texts: str) -> None:
    for text in texts:
        service.play(f"k/{line}", text, by="ann")


def comparison_of(service: GameService, first_place: str, second_place: str) -> Comparison:
    return compare(HERD, service.log(first_place), service.log(second_place))


def test_lines_part_after_their_shared_commits(service: GameService) -> None:
    comparison = comparison_of(service, "k/main", "k/other")
    assert comparison.parted
    assert comparison.parted.number == 3
    assert [commit.text for commit in comparison.only_a] == ["take 3", "take 1"]
    assert [commit.text for commit in comparison.only_b] == ["build b3", "build c3", "take 2"]


def test_a_line_is_compared_with_its_own_past(service: GameService) -> None:
    comparison = comparison_of(service, "k/main@3", "k/main")
    assert (comparison.parted and comparison.parted.number, comparison.only_a, len(comparison.only_b)) == (3, (), 2)
    assert [(round_.a, round_.figures) for round_ in comparison.rounds] == [((), ()), ((), ())]


def test_two_games_share_nothing(service: GameService) -> None:
    service.new("herd", {"herd": "40"}, name="l", by="ann")
    assert comparison_of(service, "k/main", "l").parted is None


def test_a_position_does_not_differ_from_itself(service: GameService) -> None:
    comparison = comparison_of(service, "k/main", "k/main")
    assert (comparison.rounds, comparison.differences) == ((), ())


def test_the_rounds_stand_side_by_side(service: GameService) -> None:
    second_round, third_round = comparison_of(service, "k/main", "k/other").rounds
    assert (second_round.name, third_round.name) == ("r2", "r3")
    assert [len(moves) for moves in (second_round.a, second_round.b, third_round.a, third_round.b)] == [1, 1, 1, 2]
    assert second_round.figures == (Difference("zulu", "vp", 0, 1), Difference("zulu", "cattle", 6, 2))
    assert second_round.paid == (Difference("zulu", "cattle got", 3, 0), Difference("zulu", "cattle paid", 0, 1))
    assert second_round.squares == (SquareDifference("b3", "land", "zulu's monument"),)


def test_differences_at_the_end_are_listed_by_seat_and_figure(service: GameService) -> None:
    comparison = comparison_of(service, "k/main", "k/other")
    assert comparison.differences == tuple(
        differences(*(service.position(f"k/{line}").figures for line in ("main", "other")))
    )
    assert {(difference.seat, difference.name): difference.change for difference in comparison.differences} == {
        ("kilwa", "vp"): 1,
        ("kilwa", "cattle"): -2,
        ("zulu", "vp"): 1,
        ("zulu", "cattle"): -2,
    }


def test_only_numbers_of_seats_differ() -> None:
    first_figures = {"round": 3, "zulu": {"vp": 7, "god": "eshu", "over": True}, "lozi": {"vp": 1}}
    second_figures = {"round": 4, "zulu": {"vp": 9, "god": "gu", "over": False}, "lozi": {"vp": 1}}
    (difference,) = differences(first_figures, second_figures)
    assert difference == Difference("zulu", "vp", 7, 9)
    assert difference.change == 2
