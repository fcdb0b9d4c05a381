"""Learning by self-play fits weights that predict the winners, and describes them in terms of the game."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from scripts.research import calibrate, learn
from zimcore.games.zimbabwe import GAME


def lessons(count: int, weights: list[float]) -> list[learn.Lesson]:
    """Matches whose winners follow from the weights."""
    rng, results = Random(1), []
    for number in range(count):
        features = np.random.default_rng(number).normal(size=(1, 3, len(weights)))
        chances = learn.softmax(features @ np.array(weights))[0]
        results.append(learn.Lesson(features, rng.choices(range(3), chances)[0]))
    return results


def test_weights_that_made_the_winners_are_found_again() -> None:
    true_weights = [2.0, -1.0, 0.0]
    fitted_weights = learn.fit_weights(lessons(3000, true_weights), np.zeros(3))
    assert fitted_weights == pytest.approx(true_weights, abs=0.25)
    assert learn.log_loss(fitted_weights, lessons(300, true_weights)) < learn.log_loss(
        np.zeros(3), lessons(300, true_weights)
    )


def test_little_evidence_stays_near_the_prior() -> None:
    prior_weights = np.array([0.5, 0.5, 0.5])
    weights_of_few, weights_of_many = (
        learn.fit_weights(lessons(count, [2.0, -1.0, 0.0]), prior_weights) for count in (2, 400)
    )
    assert np.abs(weights_of_few - prior_weights).max() < np.abs(weights_of_many - prior_weights).max()


def test_a_lesson_has_the_features_of_all_seats_and_is_repeatable() -> None:
    assert GAME.strategy
    names = GAME.strategy.FEATURES
    lesson = learn.lesson("zimbabwe", 2, [learn.START_WEIGHTS.get(name, 0.0) for name in names], 0.3, 5)
    assert lesson is None or lesson.features.shape[1:] == (2, len(names))
    same_lesson = learn.lesson("zimbabwe", 2, [learn.START_WEIGHTS.get(name, 0.0) for name in names], 0.3, 5)
    assert (lesson is None) == (same_lesson is None)
    assert lesson is None or same_lesson is None or (lesson.features == same_lesson.features).all()


def test_learned_weights_are_described_in_victory_points() -> None:
    assert GAME.strategy
    weights = [0.2 if name == "vp" else 0.1 if name == "cattle" else 0.0 for name in GAME.strategy.FEATURES]
    assert [line.split() for line in learn.describe_weights(GAME.strategy, weights)] == [
        ["vp", "+1.00", "VP"],
        ["cattle", "+0.50", "VP"],
    ]


def test_a_short_run_learns_measures_and_keeps_its_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--generations 1 --matches 3 --players 2 --deals 1 --workers 1"
    matches_file, record_file = tmp_path / "matches.jsonl", tmp_path / "learned.json"
    monkeypatch.setattr(sys, "argv", ["learn", *words.split(), "--into", str(matches_file), "--out", str(record_file)])
    assert learn.main() == 0
    record, lines = json.loads(record_file.read_text("utf-8")), matches_file.read_text("utf-8")
    assert len(lines.splitlines()) == 3 + 2, "those to learn from, and those to measure"
    matches_file.write_text(lines[:-9], "utf-8")

    def lesson(*_: object) -> None:
        pytest.fail("a match that is kept was played again")

    monkeypatch.setattr(learn, "lesson", lesson)
    assert learn.main() == 0
    assert (json.loads(record_file.read_text("utf-8")), matches_file.read_text("utf-8")) == (record, lines)
    assert GAME.strategy
    assert list(record["weights"]) == list(GAME.strategy.FEATURES)
    assert record["run"]["matches"] == 3
    assert "of 2 against the baseline" in capsys.readouterr().out


def test_learning_with_one_player_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["learn", "zimbabwe", "--players", "1"])
    assert learn.main() == 2


@pytest.mark.parametrize("stage", ["play", "look", "fit", "families"])
def test_calibrate_asks_for_its_output_file_before_it_computes(
    stage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["calibrate", stage])
    with pytest.raises(SystemExit) as exit_info:
        calibrate.main()
    assert exit_info.value.code == 2
    assert "name it with --out" in capsys.readouterr().err


def test_no_seed_learns_from_matches_that_only_measure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["learn", "--seed", "10"])
    assert learn.main() == 2
    assert "seeds end at 9" in capsys.readouterr().err
