"""The arena plays each deal at every seat, counts victories, and reports how certain its results are."""

from random import Random

import pytest

from zimcore.bots.arena import (
    MatchResult,
    Seating,
    iter_seatings,
    play_match,
    sequential_test,
    share_interval,
    standings,
)
from zimcore.bots.registry import ConfiguredBot, parse_bot
from zimcore.game import GameError
from zimcore.games.zimbabwe import GAME


def test_every_deal_is_played_once_with_the_first_bot_at_each_seat() -> None:
    all_seatings = [*iter_seatings(["quick", "peer", "random"], players=3, matches=6, seed=50)]
    assert [seating.bots for seating in all_seatings[:3]] == [
        ("quick", "peer", "random"),
        ("peer", "quick", "random"),
        ("peer", "random", "quick"),
    ]
    assert [seating.seed for seating in all_seatings] == [50, 50, 50, 51, 51, 51]


def test_a_bot_meets_itself_where_no_other_is_named() -> None:
    (seating,) = iter_seatings(["quick"], players=2, matches=1, seed=1)
    assert seating.bots == ("quick", "quick")


def test_a_match_with_the_same_seed_is_the_same() -> None:
    (seating,) = iter_seatings(["quick", "random"], players=2, matches=1, seed=4)
    first_result, second_result = play_match(GAME, seating), play_match(GAME, seating)
    assert first_result.moves == second_result.moves
    assert first_result.winners in (("quick",), ("random",))
    assert sum(first_result.command_counts.values()) == len(first_result.moves)


def results_of_shares(shares: list[float], players: int = 4) -> list[MatchResult]:
    """A block of four matches for each share: the part that the first bot wins."""
    return [
        MatchResult(Seating(number, deal, deal, ("a", "b")), ("a",) if number < share * players else ("b",), {}, {}, ())
        for deal, share in enumerate(shares)
        for number in range(players)
    ]


def test_standings_have_the_best_first_with_an_interval() -> None:
    best_standing, other_standing = standings(results_of_shares([1, 0.75, 1, 0.5, 1]))
    assert (best_standing.bot, best_standing.matches, best_standing.wins, best_standing.share) == ("a", 20, 17, 0.85)
    assert best_standing.low < 0.85 < best_standing.high <= 1
    assert (other_standing.bot, round(other_standing.share, 2)) == ("b", 0.15)


@pytest.mark.parametrize(("share", "games", "blocks"), [(0.7, 4, 40), (0.95, 2, 10), (0.02, 4, 6), (0.5, 2, 10)])
def test_the_interval_covers_the_true_share_about_as_often_as_it_says(share: float, games: int, blocks: int) -> None:
    rng = Random(3)
    covered_count = 0
    for _ in range(400):
        wins = [sum(rng.random() < share for _ in range(games)) / games for _ in range(blocks)]
        low, high = share_interval(wins)[1:]
        covered_count += low <= share <= high
    assert covered_count / 400 >= 0.93
    assert high - low < 0.6, "and it says something"


@pytest.mark.parametrize(("share", "is_stronger"), [(0.9, True), (0.5, False)])
def test_the_sequential_test_ends_with_the_right_answer(share: float, is_stronger: bool) -> None:
    rng = Random(9)
    shares = [sum(rng.random() < share for _ in range(4)) / 4 for _ in range(200)]
    assert sequential_test(results_of_shares(shares[:2]), 0.7, 0.8) is None
    assert sequential_test(results_of_shares(shares), 0.7, 0.8) is is_stronger


def test_the_sequential_test_is_seldom_wrong_though_repeated_after_every_block() -> None:
    wrong_answers = 0
    for seed in range(200):
        rng, answer = Random(seed), None
        shares = [sum(rng.random() < 0.7 for _ in range(4)) / 4 for _ in range(60)]
        for count in range(5, 60, 5):
            answer = sequential_test(results_of_shares(shares[:count]), 0.7, 0.8)
            if answer is not None:
                break
        wrong_answers += answer is True
    assert wrong_answers <= 20


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clever", "no such level: 'clever'"),
        ("", "no such level: ''"),
        ("quick:", "no such level: 'quick:'"),
        ("my bot:Greedy", "no such level"),
        ("a:b:c", "no such level"),
        ("quick:nodes=0", "not a budget: 'nodes=0'"),
        ("quick:nodes=-1", "not a budget"),
        ("quick:seconds=1", "not a budget: 'seconds=1'"),
        ("quick:nodes=9999999999999999", "not a budget"),
        ("quick:nodes=٣", "not a budget"),
        ("strong:elo=0", "not a rating: 'strong:elo=0'"),
        ("strong:elo=-1500", "not a rating"),
        ("strong:elo=99999", "not a rating"),
        ("quick:elo=1500", "only strong has ratings"),
    ],
)
def test_a_wrong_name_of_a_bot_is_reported(name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        parse_bot(name)


def test_a_bot_has_a_name() -> None:
    for name in ("strong:nodes=500", "strong:elo=1500"):
        assert str(parse_bot(name)) == name
    assert str(ConfiguredBot("quick")) == "quick"
