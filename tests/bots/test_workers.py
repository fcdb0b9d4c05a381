"""The results of an arena do not depend on its workers; the matches of a lost worker are played again."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator, Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from tests.timeouts import PATIENCE
from zimcore.bots.arena import Holding, MatchResult, Seating, cards_at_end, holdings, iter_seatings, play_match
from zimcore.bots.process_pool import (
    MAX_ATTEMPTS,
    MAX_BUNDLE_SIZE,
    MIN_BUNDLE_SECONDS,
    MatchBundle,
    ProcessPool,
    bundle_size,
    match_results_in_order,
)
from zimcore.bots.ratings import ratings
from zimcore.game import GameError
from zimcore.games.zimbabwe import GAME

SEATINGS = [*iter_seatings(["random", "random"], players=2, matches=6, seed=40)]


def play_bundle(bundle: MatchBundle) -> list[MatchResult]:
    """Plays matches as `zim arena` does."""
    return [play_match(GAME, seating) for seating in bundle]


def play_or_end_process(folder: Path, kills: int, bundle: MatchBundle) -> list[MatchResult]:
    """Plays matches, but kills the worker of the third match so many times."""
    for seating in bundle:
        deaths = len(list(folder.iterdir()))
        if seating.number == 2 and deaths < kills:
            (folder / str(deaths)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return play_bundle(bundle)


def play_with_failing_bot(bundle: MatchBundle) -> list[MatchResult]:
    """Raises the error of a bot that failed."""
    raise GameError("the bot of kilwa has failed", "ValueError: no")


def without_seconds(results: Iterator[MatchResult] | list[MatchResult]) -> list[tuple[Any, ...]]:
    """The results without the seconds, which differ from run to run."""
    return [(result.seating, result.winners, result.command_counts, result.moves, result.cards) for result in results]


@pytest.fixture(scope="module")
def local_outcomes() -> list[tuple[Any, ...]]:
    return without_seconds(play_bundle(tuple(SEATINGS)))


@pytest.mark.parametrize("count", [1, 2])
def test_processes_play_the_same_matches(count: int, local_outcomes: list[tuple[Any, ...]]) -> None:
    with ProcessPool(play_bundle, count) as workers:
        assert without_seconds(match_results_in_order(workers, SEATINGS)) == local_outcomes


def test_matches_of_a_killed_process_are_played_again(tmp_path: Path, local_outcomes: list[tuple[Any, ...]]) -> None:
    with ProcessPool(partial(play_or_end_process, tmp_path, MAX_ATTEMPTS - 1), 1) as workers:
        assert without_seconds(match_results_in_order(workers, SEATINGS)) == local_outcomes
    assert len(list(tmp_path.iterdir())) == MAX_ATTEMPTS - 1


def test_a_match_that_kills_every_process_is_given_up(tmp_path: Path) -> None:
    with (
        ProcessPool(partial(play_or_end_process, tmp_path, 99), 1) as workers,
        pytest.raises(GameError, match="are lost"),
    ):
        list(match_results_in_order(workers, SEATINGS))


def test_a_bot_that_fails_is_not_tried_again() -> None:
    with (
        ProcessPool(play_with_failing_bot, 1) as workers,
        pytest.raises(GameError, match="the bot of kilwa has failed"),
    ):
        list(match_results_in_order(workers, SEATINGS))


def play_until_ended(folder: Path, bundle: MatchBundle) -> list[MatchResult]:
    """The first match takes no time, each other one very long."""
    if bundle[0].number == 0:
        return play_bundle(bundle)
    (folder / "begun").touch()
    time.sleep(PATIENCE)
    (folder / "done").touch()
    return play_bundle(bundle)


def play_results(folder: Path) -> Generator[MatchResult, None, None]:
    with ProcessPool(partial(play_until_ended, folder), 2) as workers:
        yield from match_results_in_order(workers, SEATINGS)


def test_processes_end_when_no_more_results_are_wanted(tmp_path: Path) -> None:
    results = play_results(tmp_path)
    next(results)
    wait_for_file(tmp_path / "begun")
    results.close()
    assert not (tmp_path / "done").exists()
    assert not active_children()


def test_processes_end_after_an_error(tmp_path: Path) -> None:
    results = play_results(tmp_path)
    next(results)
    wait_for_file(tmp_path / "begun")
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt())
    assert not (tmp_path / "done").exists()
    assert not active_children()


def wait_for_file(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert path.exists()


def timed_result(seconds: float) -> MatchResult:
    return MatchResult(SEATINGS[0], ("a",), {"a": seconds}, {}, ())


@pytest.mark.parametrize(
    ("seconds", "size"), [(1.0, 1), (MIN_BUNDLE_SECONDS, 1), (MIN_BUNDLE_SECONDS / 4, 4), (0.0, MAX_BUNDLE_SIZE)]
)
def test_a_bundle_takes_a_tenth_of_a_second(seconds: float, size: int) -> None:
    assert bundle_size([timed_result(seconds), timed_result(seconds)]) == size


def test_ratings_order_bots_and_grow_more_certain() -> None:
    def result_of_match(number: int, winner: str) -> MatchResult:
        return MatchResult(Seating(number, number, number, ("a", "b", "b")), (winner,), {}, {}, ())

    ratings_of_few, ratings_of_many = (
        ratings([result_of_match(number, "b" if number % 5 == 0 else "a") for number in range(count)])
        for count in (10, 60)
    )
    assert ratings_of_few["a"].strength > 25 > ratings_of_few["b"].strength
    assert ratings_of_many["a"].doubt < ratings_of_few["a"].doubt
    assert ratings([result_of_match(1, "a")]).keys() == {"a", "b"}
    assert ratings([MatchResult(Seating(0, 0, 0, ("a", "a")), ("a",), {}, {}, ())]) == {}


def test_cards_are_listed_by_wins() -> None:
    def result_with_cards(*cards: tuple[str, str, float]) -> MatchResult:
        return MatchResult(SEATINGS[0], (), {}, {}, (), cards)

    holding_rows = holdings(
        [
            result_with_cards(("specialist", "herd", 1), ("god", "gu", 0), ("god", "eshu", 1)),
            result_with_cards(("god", "gu", 1)),
            result_with_cards(),
        ]
    )
    assert holding_rows == [
        Holding("god", "eshu", 1, 1),
        Holding("god", "gu", 2, 1),
        Holding("specialist", "herd", 1, 1),
    ]
    (result,) = play_bundle((SEATINGS[0],))
    assert {kind for kind, _, _ in result.cards} <= {"god", "specialist"}
    assert cards_at_end(GAME, GAME.evolution.initial(), GAME.evolution.outcome(GAME.evolution.initial())) == ()
