"""Learning by self-play fits weights that predict the winners, and describes them in terms of the game."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import learn

from zimcore.games.zimbabwe import GAME


def lessons(count: int, weights: list[float]) -> list[learn.Lesson]:
    """Matches whose winners follow from the weights."""
    rng, texts = Random(1), []
    for number in range(count):
        features = np.random.default_rng(number).normal(size=(1, 3, len(weights)))
        chances = learn.softmax(features @ np.array(weights))[0]
        texts.append(learn.Lesson(features, rng.choices(range(3), chances)[0]))
    return texts


def test_weights_that_made_the_winners_are_found_again() -> None:
    true = [2.0, -1.0, 0.0]
    fitted = learn.fit_weights(lessons(3000, true), np.zeros(3))
    assert fitted == pytest.approx(true, abs=0.25)
    assert learn.surprise(fitted, lessons(300, true)) < learn.surprise(np.zeros(3), lessons(300, true))


def test_little_evidence_leaves_what_it_began_with() -> None:
    prior = np.array([0.5, 0.5, 0.5])
    few, many = (learn.fit_weights(lessons(count, [2.0, -1.0, 0.0]), prior) for count in (2, 400))
    assert np.abs(few - prior).max() < np.abs(many - prior).max()


def test_a_match_teaches_who_has_won_by_the_features_of_all_seats() -> None:
    assert GAME.strategy
    names = GAME.strategy.FEATURES
    lesson = learn.lesson("zimbabwe", 2, [learn.START.get(name, 0.0) for name in names], 0.3, 5)
    assert lesson is None or lesson.features.shape[1:] == (2, len(names))
    again = learn.lesson("zimbabwe", 2, [learn.START.get(name, 0.0) for name in names], 0.3, 5)
    assert (lesson is None) == (again is None)
    assert lesson is None or again is None or (lesson.features == again.features).all()


def test_it_says_what_it_learned_in_victory_points() -> None:
    assert GAME.strategy
    weights = [0.2 if name == "vp" else 0.1 if name == "cattle" else 0.0 for name in GAME.strategy.FEATURES]
    assert [line.split() for line in learn.describe_weights(GAME.strategy, weights)] == [
        ["vp", "+1.00", "VP"],
        ["cattle", "+0.50", "VP"],
    ]


def test_the_short_form_learns_measures_and_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--generations 1 --matches 3 --players 2 --deals 1 --workers 1"
    into, out = tmp_path / "matches.jsonl", tmp_path / "learned.json"
    monkeypatch.setattr(sys, "argv", ["learn", *words.split(), "--into", str(into), "--out", str(out)])
    assert learn.main() == 0
    record, lines = json.loads(out.read_text("utf-8")), into.read_text("utf-8")
    assert len(lines.splitlines()) == 3 + 2, "those to learn from, and those to measure"
    into.write_text(lines[:-9], "utf-8")

    def lesson(*_: object) -> None:
        pytest.fail("a match that is kept was played again")

    monkeypatch.setattr(learn, "lesson", lesson)
    assert learn.main() == 0
    assert (json.loads(out.read_text("utf-8")), into.read_text("utf-8")) == (record, lines)
    assert GAME.strategy
    assert list(record["weights"]) == list(GAME.strategy.FEATURES)
    assert record["run"]["matches"] == 3
    assert "of 2 against the baseline" in capsys.readouterr().out


def test_what_has_no_strategy_can_t_be_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["learn", "zimbabwe", "--players", "1"])
    assert learn.main() == 2
