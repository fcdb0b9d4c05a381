"""A match is judged turn by turn, with the same results for any number of workers; a wasted turn is noticed."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from zimcore.analysis.judgement_cache import JudgementCache
from zimcore.analysis.judging import JudgedTurn, judge_turn, mistake_word
from zimcore.analysis.match_analysis import (
    Decision,
    JudgedDecision,
    accuracy,
    analyse_match,
    chances_at_start,
    engine_version,
    iter_decisions,
    largest_change,
    turning_points,
)
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import QuickBot
from zimcore.commits import Commit
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import EndTurn, Raise
from zimcore.service import open_service

NODES = 60
TURN_COUNT = 12


@cache
def commits_of_match(moves: int = 600) -> tuple[Commit, ...]:
    """The commits of a match of two quick bots."""
    service = open_service("memory:")
    service.new("zimbabwe", {"players": "2", "seed": "7"}, name="k", by="anna")
    for seat, command in play_bots(GAME, [(QuickBot(), 0)] * 2, {"players": "2"}, 7, moves).moves:
        service.play_or_raise("k", command, by="anna", seat=seat)
    return tuple(service.log("k"))


def commits_of_first_turns() -> Sequence[Commit]:
    """The first turns of the match."""
    last_numbers = [decision.last for decision, _, _ in iter_decisions(GAME, commits_of_match())]
    return commits_of_match()[: last_numbers[TURN_COUNT - 1] + 1]


@cache
def judged_decisions() -> tuple[JudgedDecision, ...]:
    return tuple(analyse_match(GAME, commits_of_first_turns(), NODES, 1))


def test_every_command_is_in_one_decision_of_its_seat() -> None:
    all_decisions = [decision for decision, _, _ in iter_decisions(GAME, commits_of_match())]
    numbers = [number for decision in all_decisions for number in range(decision.first, decision.last + 1)]
    assert numbers == list(range(1, len(commits_of_match())))
    for decision in all_decisions:
        assert {commit.seat for commit in commits_of_match()[decision.first : decision.last + 1]} == {decision.seat}


def test_an_unfinished_turn_is_not_a_decision() -> None:
    turn = next(
        decision for decision, _, _ in iter_decisions(GAME, commits_of_match()) if decision.last > decision.first
    )
    assert [decision.last for decision, _, _ in iter_decisions(GAME, commits_of_match()[: turn.last])][
        -1
    ] == turn.first - 1


def test_any_number_of_workers_gives_the_same_results() -> None:
    assert tuple(analyse_match(GAME, commits_of_first_turns(), NODES, 1, workers=2)) == judged_decisions()


def test_known_decisions_are_not_judged_again() -> None:
    judgements = {judgement.decision.last: judgement.judged_turn for judgement in judged_decisions()[:-2]}
    new_entries = list[int]()
    analysis = analyse_match(
        GAME,
        commits_of_first_turns(),
        NODES,
        1,
        recall=lambda decision: judgements.get(decision.last),
        keep=lambda decision, _: new_entries.append(decision.last),
    )
    assert tuple(analysis) == judged_decisions()
    assert new_entries == [judged_decision.decision.last for judged_decision in judged_decisions()[-2:]]


def test_decisions_before_an_interruption_are_kept() -> None:
    all_decisions = list[Decision]()
    analysis = analyse_match(
        GAME, commits_of_first_turns(), NODES, 1, keep=lambda decision, _: all_decisions.append(decision)
    )
    next(analysis)
    next(analysis)
    analysis.close()  # type: ignore[attr-defined]  # as ctrl-c does
    assert all_decisions == [judged_decision.decision for judged_decision in judged_decisions()[:2]]


def test_chances_of_each_turn_add_up_to_one() -> None:
    assert sum(chance.mean for chance in chances_at_start(GAME, commits_of_first_turns()).values()) == pytest.approx(1)
    for judged_decision in judged_decisions():
        assert sum(chance.mean for chance in judged_decision.judged_turn.chances.values()) == pytest.approx(1)
        assert 0 <= judged_decision.judged_turn.loss <= 1
        assert bool(judged_decision.judged_turn.best_commands) == (judged_decision.judged_turn.loss > 0)


def test_a_wasted_turn_is_a_mistake() -> None:
    """The winner ends a turn without an action, though they raised monuments in it."""
    winner = GAME.evolution.outcome(
        [state_after for _, _, state_after in iter_decisions(GAME, commits_of_match())][-1]
    ).winner
    judged_turns = [
        judge_wasted_turn(decision, state_before)
        for decision, state_before, _ in iter_decisions(GAME, commits_of_match())
        if decision.seat == winner and raises_monuments(decision)
    ]
    worst_turn = max(judged_turns, key=lambda judged_turn: judged_turn.loss)
    assert worst_turn.word in ("mistake", "blunder")
    assert worst_turn.best_commands


def raises_monuments(decision: Decision) -> bool:
    return any(isinstance(command, Raise) for command in decision.commands)


def judge_wasted_turn(decision: Decision, state: Any) -> JudgedTurn:
    """The judgement of a turn that ends without an action."""
    command = EndTurn()
    return judge_turn(
        GAME, state, decision.seat, (command,), GAME.rules.apply(state, decision.seat, command).state, 600
    )


def test_no_turn_gives_away_more_than_there_was() -> None:
    known_judgements = {
        judged_decision.decision.last: judged_decision.judged_turn for judged_decision in judged_decisions()
    }
    # In the last ones the winner's chance is near 1.
    last_decisions = [decision for decision, _, _ in iter_decisions(GAME, commits_of_match())][-8:]
    late_analysis = analyse_match(
        GAME,
        commits_of_match(),
        12,
        1,
        recall=lambda decision: None if decision in last_decisions else next(iter(known_judgements.values())),
    )
    for judged_decision in (
        *judged_decisions(),
        *[judged_decision for judged_decision in late_analysis if judged_decision.decision in last_decisions],
    ):
        assert judged_decision.judged_turn.best_chance <= 1.0001
        assert judged_decision.judged_turn.best_chance == pytest.approx(
            judged_decision.judged_turn.chance + judged_decision.judged_turn.loss
        )
    accuracy_by_seat = accuracy(judged_decisions())
    assert set(accuracy_by_seat) == {judged_decision.decision.seat for judged_decision in judged_decisions()}
    assert all(0 <= value <= 100 for value in accuracy_by_seat.values())


def test_turning_points_come_in_their_order() -> None:
    points = turning_points(judged_decisions())
    assert [point.decision.last for point in points] == sorted(point.decision.last for point in points)
    assert all(largest_change(point) >= 0.1 for point in points)


@pytest.mark.parametrize(
    ("loss", "error", "word"),
    [(0.04, 0, ""), (0.05, 0, "inaccuracy"), (0.1, 0.02, "mistake"), (0.15, 0, "blunder"), (0.2, 0.3, "")],
)
def test_a_certain_loss_has_a_word(loss: float, error: float, word: str) -> None:
    assert mistake_word(loss, error) == word


def test_the_cache_recalls_whole_entries_and_none_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "kept.jsonl"
    first_decision, second_decision = judged_decisions()[:2]
    JudgementCache(path, "e", 5, 1).store(first_decision.decision.digest, first_decision.judged_turn)
    JudgementCache(path, "e", 5, 1).store(second_decision.decision.digest, second_decision.judged_turn)
    path.write_bytes(path.read_bytes()[:-20])
    reopened_cache = JudgementCache(path, "e", 5, 1)
    assert reopened_cache.recall(first_decision.decision.digest) == first_decision.judged_turn
    assert reopened_cache.recall(second_decision.decision.digest) is None
    for other_settings in (("f", 5, 1), ("e", 6, 1), ("e", 5, 2)):
        assert JudgementCache(path, *other_settings).recall(first_decision.decision.digest) is None
    reopened_cache.store(second_decision.decision.digest, second_decision.judged_turn)
    assert JudgementCache(path, "e", 5, 1).recall(second_decision.decision.digest) == second_decision.judged_turn


def test_another_model_is_another_engine() -> None:
    assert "seed" in engine_version(GAME)
    assert isinstance(judged_decisions()[0].judged_turn, JudgedTurn)
