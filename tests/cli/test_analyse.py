"""`zim analyse`: its output, its cache, and its better turns as lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli

Zim = Callable[..., Result]
ANALYSE_WORDS = ("analyse", "k", "--nodes", "120", "--workers", "1")


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run_zim(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])

    run_zim("new", "k", "players=2", "seed=7")
    for level in ("quick", "quick", "quick", "random", "quick", "random", "random"):
        assert run_zim("bot", "k", level, "--seed", "x").exit_code == 0
    return run_zim


def parse_document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_turn_is_shown_and_none_is_judged_twice(zim: Zim, tmp_path: Path) -> None:
    first_answer = parse_document(zim(*ANALYSE_WORDS, "--json"))
    second_answer = parse_document(zim(*ANALYSE_WORDS, "--json"))
    assert first_answer["kept"] == 0
    assert second_answer["kept"] == len(first_answer["decisions"]) > 5
    assert first_answer["decisions"] == second_answer["decisions"]
    assert parse_document(zim(*ANALYSE_WORDS, "--json", "--fresh"))["kept"] == 0
    output = zim(*ANALYSE_WORDS)
    assert output.exit_code == 0
    assert "accuracy" in output.stdout


def test_turns_are_judged_where_nothing_can_be_kept(zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose disk is read-only or full."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    result = zim("analyse", "k", "--nodes", "1")
    assert (result.exit_code, "not kept for the next time: not a directory" in result.stderr) == (0, True)
    assert result.stdout


def test_lines_keep_the_better_turns(zim: Zim) -> None:
    zim("new", "j", "players=4", "seed=7")  # with two, chances are nearly even so early
    for level in ("quick",) * 8 + ("random",) * 4:
        assert zim("bot", "j", level, "--seed", "x").exit_code == 0
    analyse_words = ("analyse", "j", *ANALYSE_WORDS[2:], "--fork", "--json")
    answer = parse_document(zim(*analyse_words))
    bad_turns = {f"better-{decision['first']}": decision for decision in answer["decisions"] if decision["word"]}
    assert answer["forked"] == {line_name: turn["first"] - 1 for line_name, turn in bad_turns.items()}
    assert parse_document(zim(*analyse_words))["forked"] == {}
    assert bad_turns, "two bots at random have played nothing bad"
    lines_by_name = {line["name"]: line for line in parse_document(zim("lines", "j", "--json"))["lines"]}
    assert [line_name for line_name, line in lines_by_name.items() if line.get("current")] == ["main"]
    for line_name, turn in bad_turns.items():
        commits = parse_document(zim("log", f"j/{line_name}", "--json"))["commits"]
        assert [commit["text"] for commit in commits[turn["first"] :]] == turn["best"]
        assert "points better" in commits[-1]["by"]
    line_name = next(iter(bad_turns))
    assert zim("compare", "j/main", f"j/{line_name}").exit_code == 0
    assert zim("board", f"j/{line_name}").exit_code == 0


def test_chances_are_figures_like_any_other(zim: Zim) -> None:
    answer = parse_document(zim("bisect", "k", "kilwa.chance > mutapa.chance or kilwa.chance <= 0.5", "--json"))
    assert answer["at_start"] is True
    assert 0 <= answer["start"]["kilwa.chance"] <= 1
    expectation = parse_document(zim("expect", "k", "kilwa.chance + mutapa.chance > 0.99", "--json"))
    assert set(expectation["figures"]) == {"kilwa.chance", "mutapa.chance"}
    assert zim("expect", "k", "zulu.chance > 0.5").exit_code != 0


def test_why_explains_a_chance(zim: Zim) -> None:
    answer = parse_document(zim("why", "k", "kilwa.chance", "--json"))
    assert answer["subject"] == "kilwa.chance"
    assert {term["term"] for term in answer["terms"]} >= {"cattle", "god", "craftsmen"}
    contributions = [abs(term["makes"]) for term in answer["terms"]]
    assert contributions == sorted(contributions, reverse=True)
    assert [change["last"] for change in answer["changes"]] == sorted(
        (change["last"] for change in answer["changes"]), reverse=True
    )
    assert all(abs(change["after"] - change["before"]) >= 0.049 for change in answer["changes"])
    assert "kilwa wins with " in zim("why", "k", "kilwa.chance").stdout
    assert zim("why", "k", "zulu.chance").exit_code != 0


def test_analyse_judges_no_turn_by_hidden_cards(zim: Zim) -> None:
    zim("new", "a", "--game", "africana")
    result = zim("analyse", "a")
    assert result.exit_code != 0
    assert "cards are hidden" in result.output
    assert zim("analyse", "a", "--open").exit_code == 0
    assert zim("bisect", "a", "italy.chance > 0.99").exit_code == 1
