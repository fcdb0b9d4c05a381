"""Weights are tuned, and gods counted, by scripts that anyone can run again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import gods
from styles import STYLES

from zimcore.games.zimbabwe.strategy import WEIGHTS

PEOPLE = {"games": {"2p": {"games": 9, "gods": {"xango": {"picked": 30, "won": 20}}, "specialists": {}}}}


def run_tune(monkeypatch: pytest.MonkeyPatch, out: Path, *extra: str) -> int:
    """One generation for two players, as it is run at the terminal."""
    tune = pytest.importorskip("tune")
    few = ("--generations", "1", "--population", "4", "--matches", "1", "--players", "2", "--workers", "1")
    monkeypatch.setattr("sys.argv", ["tune", *few, "--out", str(out), *extra])
    return int(tune.main())


def test_only_the_features_that_are_named_are_tuned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_tune(monkeypatch, tmp_path / "weights.json", "--features", "xango,anansi") == 0
    weights = json.loads((tmp_path / "weights.json").read_text())["weights"]
    assert {name for name in WEIGHTS if weights[name] != WEIGHTS[name]} == {"xango", "anansi"}


def test_styles_are_met_but_those_that_are_held_out() -> None:
    tune = pytest.importorskip("tune")
    rivals = {rival for _, _, table in tune.tables(Random(1), 100, [*STYLES], 4) for rival in table}
    assert {rival.partition(" ")[0] for rival in rivals} == {*STYLES}
    assert all(map(tune.opponent, rivals))


@pytest.mark.parametrize("wrong", [("--features", "frob"), ("--seed", "0")])
def test_a_game_that_can_t_be_tuned_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, wrong: tuple[str, str]
) -> None:
    assert run_tune(monkeypatch, tmp_path / "weights.json", *wrong) == 1
    assert capsys.readouterr().err.startswith("tune: ")
    assert not (tmp_path / "weights.json").exists()


def test_gods_are_counted_on_from_a_line_that_was_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    people, into = tmp_path / "people.json", tmp_path / "matches.jsonl"
    people.write_text(json.dumps(PEOPLE))

    def count_gods() -> str:
        questions = [str(people), "--bot", "quick", "--players", "2", "--matches", "2", "--into", str(into)]
        monkeypatch.setattr("sys.argv", ["gods", *questions])
        assert gods.main() == 0
        return capsys.readouterr().out

    whole, lines = count_gods(), into.read_bytes()
    assert "2 matches of quick" in whole
    into.write_bytes(lines[:-20])
    assert count_gods() == whole
    assert into.read_bytes() == lines
