"""`zim analyse`: its output, its cache, and its better turns as lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli

Zim = Callable[..., Result]
ASKED = ("analyse", "k", "--nodes", "120", "--workers", "1")


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])

    run("new", "k", "players=2", "seed=7")
    for level in ("quick", "quick", "quick", "random", "quick", "random", "random"):
        assert run("bot", "k", level, "--seed", "x").exit_code == 0
    return run


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_turn_is_shown_and_none_is_judged_twice(zim: Zim, tmp_path: Path) -> None:
    first = document(zim(*ASKED, "--json"))
    again = document(zim(*ASKED, "--json"))
    assert first["kept"] == 0
    assert again["kept"] == len(first["decisions"]) > 5
    assert first["decisions"] == again["decisions"]
    assert document(zim(*ASKED, "--json", "--fresh"))["kept"] == 0
    output = zim(*ASKED)
    assert output.exit_code == 0
    assert "accuracy" in output.stdout


def test_lines_keep_the_better_turns(zim: Zim) -> None:
    zim("new", "j", "players=4", "seed=7")  # with two, chances are nearly even so early
    for level in ("quick",) * 8 + ("random",) * 4:
        assert zim("bot", "j", level, "--seed", "x").exit_code == 0
    asked = ("analyse", "j", *ASKED[2:], "--fork", "--json")
    answer = document(zim(*asked))
    worse = {f"better-{each['first']}": each for each in answer["decisions"] if each["word"]}
    assert answer["forked"] == {name: each["first"] - 1 for name, each in worse.items()}
    assert document(zim(*asked))["forked"] == {}
    assert worse, "two bots at random have played nothing bad"
    lines = {each["name"]: each for each in document(zim("lines", "j", "--json"))["lines"]}
    assert [name for name, each in lines.items() if each.get("current")] == ["main"]
    for name, each in worse.items():
        commits = document(zim("log", f"j/{name}", "--json"))["commits"]
        assert [commit["text"] for commit in commits[each["first"] :]] == each["best"]
        assert "points better" in commits[-1]["by"]
    name = next(iter(worse))
    assert zim("compare", "j/main", f"j/{name}").exit_code == 0
    assert zim("board", f"j/{name}").exit_code == 0


def test_chances_are_figures_like_any_other(zim: Zim) -> None:
    answer = document(zim("bisect", "k", "kilwa.chance > mutapa.chance or kilwa.chance <= 0.5", "--json"))
    assert answer["at_start"] is True
    assert 0 <= answer["start"]["kilwa.chance"] <= 1
    so = document(zim("expect", "k", "kilwa.chance + mutapa.chance > 0.99", "--json"))
    assert set(so["figures"]) == {"kilwa.chance", "mutapa.chance"}
    assert zim("expect", "k", "zulu.chance > 0.5").exit_code != 0


def test_why_a_chance_is_what_it_is(zim: Zim) -> None:
    answer = document(zim("why", "k", "kilwa.chance", "--json"))
    assert answer["subject"] == "kilwa.chance"
    assert {each["term"] for each in answer["terms"]} >= {"cattle", "god", "craftsmen"}
    makes = [abs(each["makes"]) for each in answer["terms"]]
    assert makes == sorted(makes, reverse=True)
    assert [each["last"] for each in answer["changes"]] == sorted(
        (each["last"] for each in answer["changes"]), reverse=True
    )
    assert all(abs(each["after"] - each["before"]) >= 0.049 for each in answer["changes"])
    assert "kilwa wins with " in zim("why", "k", "kilwa.chance").stdout
    assert zim("why", "k", "zulu.chance").exit_code != 0


def test_where_cards_are_hidden_no_turn_is_judged_by_them(zim: Zim) -> None:
    zim("new", "a", "--game", "africana")
    result = zim("analyse", "a")
    assert result.exit_code != 0
    assert "cards are hidden" in result.output
    assert zim("analyse", "a", "--open").exit_code == 0
    assert zim("bisect", "a", "italy.chance > 0.99").exit_code == 1
