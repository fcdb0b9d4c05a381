"""The published benchmark: its deals do not change, its table is right, and its baseline learns from what it won."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.research import ladder
from scripts.research.league import Meeting, PlayedMeeting
from scripts.research.policy_gradient import (
    Adam,
    Policy,
    PolicyBot,
    TakenAction,
    draw_action,
    gradient,
    load_policy,
    new_policy,
    train,
)
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import RandomBot
from zimcore.envs.env_match import Setting
from zimcore.games.zimbabwe import GAME


def test_the_deals_are_frozen() -> None:
    assert ladder.positions_digest(ladder.TEST_SEEDS) == ladder.FROZEN_DIGEST
    assert ladder.positions_digest(ladder.TEST_SEEDS[1:]) != ladder.FROZEN_DIGEST


def test_each_bot_meets_the_next_two_at_both_seats_of_each_deal() -> None:
    meetings = [*ladder.meetings(["a", "b", "c", "d"], 3)]
    assert {(meeting.first, meeting.other) for meeting in meetings} == {
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("b", "d"),
        ("c", "d"),
    }
    assert len(meetings) == 5 * 3 * 2


def test_the_table_has_the_stronger_bot_first() -> None:
    results = [
        PlayedMeeting(meeting, float(meeting.deal == 9)) for meeting in ladder.meetings(["weak", "middle", "good"], 10)
    ]
    text = ladder.result_table(results, ["weak", "middle", "good"])
    assert [line.split(" | ")[0] for line in text.splitlines()[2:5]] == ["| good", "| middle", "| weak"]
    assert "weak 90%" in text.splitlines()[2]


def test_the_ladder_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results_file = tmp_path / "ladder.jsonl"
    policy, matches = train("zimbabwe", 0, 1, workers=0)
    assert matches == 0
    policy.save(results_file.with_suffix(".npz"))
    words = ["ladder", "random", "policy", "--deals", "1", "--workers", "1", "--into", str(results_file)]
    monkeypatch.setattr("sys.argv", words)
    assert ladder.main() == 0
    output, stored_bytes = capsys.readouterr().out, results_file.read_bytes()
    assert "2 matches; 1 deals" in output
    assert ladder.main() == 0
    assert (capsys.readouterr().out, results_file.read_bytes()) == (output, stored_bytes)


def test_actions_that_won_become_likelier_and_illegal_ones_stay_impossible() -> None:
    policy = Policy(np.ones((3, 4), np.float32), np.zeros(4, np.float32), np.zeros((4, 8), np.float32))
    observation, mask = np.ones(3, np.float32), np.array([1, 1, 0, 1, 0, 0, 0, 0], np.int8)
    chances_before = policy.action_chances(observation[None], mask[None])[0]
    assert np.allclose(chances_before, mask / 3)
    episodes = [
        ([TakenAction(observation.astype(np.float16), np.packbits(mask), action)], 0, outcome)
        for action, outcome in ((0, 1.0), (1, -1.0))
    ]
    Adam(policy).step(gradient(policy, episodes, np.random.default_rng(1)))
    chances_after = policy.action_chances(observation[None], mask[None])[0]
    assert chances_after[0] > chances_before[0] > chances_after[1]
    assert not chances_after[mask == 0].any()


def test_an_action_without_a_chance_is_never_drawn() -> None:
    chances = np.array([0, 0.25, 0, 0.75, 0], np.float32)
    assert [draw_action(chances, number) for number in (0.0, 0.2, 0.3, 0.9999999999)] == [1, 1, 3, 3]


def test_a_policy_plays_a_whole_match_and_comes_back_from_its_file(tmp_path: Path) -> None:
    setting = Setting("zimbabwe", 2)
    new_policy(setting, 1).save(tmp_path / "policy.npz")
    bot = PolicyBot(load_policy(tmp_path / "policy.npz"), setting)
    match = play_bots(GAME, [(bot, 0), (RandomBot(), 0)], {"players": "2"}, 7)
    assert match.outcome.over


def test_a_match_counts_for_the_first_of_a_meeting(tmp_path: Path) -> None:
    victories = [ladder.play_meeting(Meeting("peer", "random", 2, 0, place), tmp_path).won for place in range(2)]
    assert victories == [1, 1]
