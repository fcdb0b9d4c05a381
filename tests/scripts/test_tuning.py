"""Weights are tuned, and gods counted, by scripts that anyone can run again."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from scripts.research import gods
from scripts.research.styles import STYLES
from zimcore.games.zimbabwe.strategy import WEIGHTS

HUMAN_GAMES = {"games": {"2p": {"games": 9, "gods": {"xango": {"picked": 30, "won": 20}}, "specialists": {}}}}


def run_tune(monkeypatch: pytest.MonkeyPatch, weights_file: Path, *extra_arguments: str) -> int:
    """One generation for two players, as it is run at the terminal."""
    tune = pytest.importorskip("tune")
    arguments = ("--generations", "1", "--population", "4", "--matches", "1", "--players", "2", "--workers", "1")
    monkeypatch.setattr("sys.argv", ["tune", *arguments, "--out", str(weights_file), *extra_arguments])
    return int(tune.main())


def test_only_the_features_that_are_named_are_tuned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_tune(monkeypatch, tmp_path / "weights.json", "--features", "xango,anansi") == 0
    weights = json.loads((tmp_path / "weights.json").read_text())["weights"]
    assert {name for name in WEIGHTS if weights[name] != WEIGHTS[name]} == {"xango", "anansi"}


def test_tuning_meets_all_styles_but_those_held_out() -> None:
    tune = pytest.importorskip("tune")
    drawn_opponents = {
        opponent for _, _, opponents in tune.draw_matches(Random(1), 100, [*STYLES], 4) for opponent in opponents
    }
    assert {opponent.partition(" ")[0] for opponent in drawn_opponents} == {*STYLES}
    assert all(map(tune.opponent_bot, drawn_opponents))


@pytest.mark.parametrize("wrong_arguments", [("--features", "frob"), ("--seed", "0")])
def test_a_game_that_can_t_be_tuned_is_reported(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    wrong_arguments: tuple[str, str],
) -> None:
    assert run_tune(monkeypatch, tmp_path / "weights.json", *wrong_arguments) == 1
    assert capsys.readouterr().err.startswith("tune: ")
    assert not (tmp_path / "weights.json").exists()


def test_counting_gods_goes_on_from_a_line_that_was_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    games_file, matches_file = tmp_path / "people.json", tmp_path / "matches.jsonl"
    games_file.write_text(json.dumps(HUMAN_GAMES))

    def count_gods() -> str:
        arguments = [str(games_file), "--bot", "quick", "--players", "2", "--matches", "2", "--into", str(matches_file)]
        monkeypatch.setattr("sys.argv", ["gods", *arguments])
        assert gods.main() == 0
        return capsys.readouterr().out

    output, lines = count_gods(), matches_file.read_bytes()
    assert "2 matches of quick" in output
    matches_file.write_bytes(lines[:-20])
    assert count_gods() == output
    assert matches_file.read_bytes() == lines
