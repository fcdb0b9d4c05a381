"""Cached analyses are shown in the story, the statistics, the replay, a picture and the table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from tests.cli.table.conftest import WholeFrameTerminal
from zimcli.main import cli

Zim = Callable[..., Result]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game for two in which bots have played some turns, with its analysis."""
    home = tmp_path_factory.mktemp("home")
    run_zim = make_zim(home)
    run_zim("new", "k", "players=2", "seed=7")
    for level in ("quick", "quick", "quick", "random", "quick", "random", "random"):
        assert run_zim("bot", "k", level, "--seed", "x").exit_code == 0
    assert run_zim("analyse", "k", "--nodes", "120", "--workers", "1", "--svg", str(home / "k.svg")).exit_code == 0
    return home


def make_zim(home: Path) -> Zim:
    def run_zim(*words: str) -> Result:
        environment = {"XDG_CACHE_HOME": str(home / "cache")}
        return CliRunner(env=environment).invoke(cli, ["--store", f"sqlite:///{home}/zim.db", *words])

    return run_zim


@pytest.fixture
def zim(home: Path) -> Zim:
    return make_zim(home)


def bad_turns(zim: Zim) -> list[dict[str, object]]:
    decisions = json.loads(zim("analyse", "k", "--nodes", "120", "--json").stdout)["decisions"]
    return [decision for decision in decisions if decision["word"]]


def test_a_story_tells_what_was_given_away(zim: Zim) -> None:
    result = zim("story", "k")
    assert result.exit_code == 0
    assert "Chances to win, by the analysis that is kept" in result.stdout
    for turn in bad_turns(zim):
        assert f"{turn['word']}, -" in result.stdout
    assert "Chances" not in zim("story", "k@start").stdout


def test_statistics_have_the_accuracy(zim: Zim) -> None:
    tables = json.loads(zim("stats", "k", "--json").stdout)["stats"]
    assert [column["name"] for column in tables[-1]["columns"]][:2] == ["player", "accuracy"]


def test_a_picture_has_a_line_for_each_seat(home: Path, zim: Zim) -> None:
    drawing = ElementTree.parse(home / "k.svg")
    texts = {element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert {"kilwa", "mutapa", "50 %", "Chances to win"} <= texts
    titles = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == [f"{turn['word']} of {turn['seat']}, move {turn['last']}" for turn in bad_turns(zim)]


def test_a_replay_has_the_chances_and_the_better_turns(home: Path, zim: Zim) -> None:
    replay_file = home / "k.html"
    assert zim("replay", "k", "--html", str(replay_file)).exit_code == 0
    data_match = re.search(r'id="game">(.*?)</script>', replay_file.read_text("utf-8"), re.DOTALL)
    assert data_match
    record = json.loads(data_match[1])
    assert record["series"][-1] == "chance %"
    assert all(len(figures) == len(record["series"]) for step in record["steps"] for figures in step["figures"])
    assert sum(figures[-1] for figures in record["steps"][-1]["figures"]) in (99, 100, 101)
    for turn in bad_turns(zim):
        step = record["steps"][turn["last"]]
        assert step["note"].startswith(str(turn["word"]))
        assert [better_turn["text"] for better_turn in step["better"]] == turn["best"]


def test_the_table_shows_chances_beside_the_log(home: Path) -> None:
    store_options = ("--store", f"sqlite:///{home}/zim.db")
    terminal = WholeFrameTerminal(
        home, "-m", "zimcli", *store_options, "play", "k", lines=40, columns=120, XDG_CACHE_HOME=str(home / "cache")
    )
    text = terminal.wait_until(lambda text: bool(re.search(r"(bid \d+|pass|end|build .*)  \d+ %", text)))
    assert re.search(r"kilwa +[▁▂▃▄▅▆▇█]+ +\d+ %", text)
    terminal.child.close(force=True)


def test_the_table_says_how_far_the_analysis_goes(home: Path, zim: Zim) -> None:
    head_number = json.loads(zim("show", "k", "--json").stdout)["position"]["number"]
    zim("fork", "k", "further")
    assert zim("bot", "k/further", "random").exit_code == 0
    zim("switch", "k/main")
    store_options = ("--store", f"sqlite:///{home}/zim.db")
    terminal = WholeFrameTerminal(
        home,
        "-m",
        "zimcli",
        *store_options,
        "play",
        "k/further",
        lines=40,
        columns=120,
        XDG_CACHE_HOME=str(home / "cache"),
    )
    terminal.wait_until(lambda text: f"chances to win after move {head_number} " in text)
    terminal.child.close(force=True)


def test_a_story_without_a_stored_analysis_starts_none(zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "zimcore.analysis.match_analysis.iter_decisions", lambda *_: pytest.fail("a story started an analysis")
    )
    zim("new", "other", "players=2", "seed=8")
    assert json.loads(zim("story", "other", "--json").stdout)["judged"] == []
