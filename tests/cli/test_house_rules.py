"""Disputed readings at the terminal: a page of all, replays of games under them, and house rules of a new game."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.cli.conftest import make_zim
from zimcore.games.registry import game
from zimcore.games.zimbabwe.house import HOUSE_RULES
from zimcore.history.disputed_readings import reading_options
from zimcore.service import open_service

Zim = Callable[..., Result]
GAMES_FOLDER = Path(__file__).parents[1] / "games"


@pytest.fixture
def zim() -> Zim:
    """`zim` on an empty store, with the installed games."""
    return make_zim(open_service("memory:"))


def disputed_rules(zim: Zim, *words: str) -> dict[str, dict[str, Any]]:
    result = zim("--json", "rules", "--disputed", *words)
    assert result.exit_code == 0, result.stderr
    return {rule_answer["option"]: rule_answer for rule_answer in json.loads(result.stdout)["disputed"]}


def test_all_readings_are_on_one_page_with_their_options(zim: Zim) -> None:
    page = zim("rules", "--disputed").stdout
    for kind in ("zimbabwe", "africana"):
        disputed_rules_of_game = [rule for rule in game(kind).texts.rules() if rule.reading]
        assert [rule.code for rule in disputed_rules_of_game if rule.reading and rule.reading.other not in page] == []
        assert [rule.code for rule in disputed_rules_of_game if rule.words not in page] == []
        assert [
            f"{name}={value}" for name, value in reading_options(game(kind)).items() if f"{name}={value}" not in page
        ] == []
    assert "there is no game to try it on" in page


def test_the_games_of_the_store_are_played_again_under_the_other_reading(zim: Zim) -> None:
    for match_name, moves in (("a", ["bid 1", "pass"]), ("b", ["pass"])):
        zim("new", match_name, "players=2", "seed=7", "order=kilwa,mutapa", "map=S...S")
        assert zim("do", f"{match_name}", "start a1").exit_code == 0
        assert zim("do", f"{match_name}", "start e1").exit_code == 0
        for move in moves:
            assert zim("do", match_name, move).exit_code == 0
    rules_by_option = disputed_rules(zim, "R-BID")
    assert rules_by_option["first_gift=required"]["mattered"] == 1
    assert rules_by_option["first_gift=required"]["games"] == 2
    assert rules_by_option["first_gift=required"]["first"] == "b/main@3"
    page = zim("rules", "--disputed", "R-BID-06").stdout
    assert (
        "first_gift=required  would have mattered in 1 of 2 games: first at b/main@3, pass: no player may pass" in page
    )


def test_recorded_games_are_tried_too(zim: Zim, tmp_path: Path) -> None:
    rules_by_option = disputed_rules(zim, "--recorded", str(GAMES_FOLDER))
    zimbabwe_options = [f"{name}={value}" for name, value in reading_options(game("zimbabwe")).items()]
    assert {rules_by_option[option]["games"] for option in zimbabwe_options} == {len(list(GAMES_FOLDER.glob("*.zim")))}
    assert rules_by_option["raised_hub=paid"]["mattered"] > 0
    assert rules_by_option["gu=one-move"]["mattered"] == 0
    broken_file = tmp_path / "broken.zim"
    broken_file.write_text("new players=2 seed=7\nbid 1\n")
    refusal = zim("rules", "--disputed", "--recorded", str(broken_file))
    assert refusal.exit_code == 2
    assert f"{broken_file}:2: bid 1" in refusal.stderr
    assert zim("rules", "--recorded", str(broken_file)).exit_code == 2


NEW_WITH_HOUSE_RULES = "new k players=2 seed=7 order=kilwa,mutapa map=S...S first_gift=required qamata=always"


def test_rules_in_a_session_name_the_house_rules_of_its_game(zim: Zim, tmp_path: Path) -> None:
    script_file = tmp_path / "script.zim"
    script_file.write_text(
        f"{NEW_WITH_HOUSE_RULES}\nrules R-BID-06\nrules R-BID\nhelp pass\nrules --disputed R-GOD-04\n"
    )
    output = zim("run", str(script_file)).stdout
    assert output.count("without any gift. At this table (first_gift=required): Every round needs") == 3
    script_file.write_text(f"{NEW_WITH_HOUSE_RULES.replace('k', 'j', 1)}\nhelp house rules\n")
    assert re.findall("^[RA][A-Z0-9-]+", zim("run", str(script_file)).stdout, re.MULTILINE) == ["R-BID-06", "R-GOD-04"]
    house_rules_text = zim("rules", "house rules").stdout
    assert [rule.code for rule in game("africana").texts.rules() if rule.reading and rule.reading.options][
        -1
    ] in house_rules_text
    assert "this table plays it that way: the option first_gift=required" in output
    assert "At this table (qamata=always): Hubs are paid" in output
    assert "shadipinyi=always  would" in output
    assert "this table" not in zim("rules", "R-BID-06").stdout.lower()


def test_in_a_game_options_may_stand_behind_a_command(zim: Zim, tmp_path: Path) -> None:
    script_file = tmp_path / "script.zim"
    script_file.write_text(f"{NEW_WITH_HOUSE_RULES}\nstart a1\nstart e1\nexplain bid 1 --both\nexplain --both bid 1\n")
    output = zim("run", str(script_file)).stdout
    assert output.count("legal: kilwa: bid 1") == 2 or output.count("legal: mutapa: bid 1") == 2


def test_explain_gives_both_verdicts_with_the_words_of_the_rulebook(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7", "order=kilwa,mutapa", "map=S...S")
    zim("do", "k", "start a1")
    zim("do", "k", "start e1")
    output = zim("explain", "k", "pass", "--both").stdout
    assert "legal: mutapa: pass" in output
    assert "otherwise not legal, with first_gift=required" in output
    assert 'R-BID-06: "provides a gift, or passes.' in output
    assert "the same under every reading" in zim("explain", "k", "bid 1", "--both").stdout
    assert "otherwise" not in zim("explain", "k", "pass").stdout
    zim("new", "h", "players=2", "seed=7", "order=kilwa,mutapa", "map=S...S", "first_gift=required")
    zim("do", "h", "start a1")
    zim("do", "h", "start e1")
    refusal = zim("explain", "h", "pass", "--both")
    assert refusal.exit_code == 1
    assert (
        "the rule: The first bidder may pass; all may pass without any gift. At this table (first_gift=required)"
        in refusal.stdout
    )
    assert "Every round needs a first gift" in refusal.stdout
    assert "otherwise legal, with first_gift=optional" in refusal.stdout


def test_explain_says_which_facts_another_reading_leaves_out(zim: Zim) -> None:
    options = ["players=2", "seed=7", "order=kilwa,mutapa", "map=S..W...S/........", "gods=0", "builder=whole-turn"]
    zim("new", "k", *options)
    for line in ["start a1", "start h1", "pass", "end", "end", "pass", "craft wood_carver c1-c2 price 1"]:
        assert zim("do", "k", line).exit_code == 0, line
    output = zim("explain", "k", "hire builder", "--both").stdout
    assert "otherwise legal, with builder=afterwards\n    not so: stock pays 2 to" in output


def test_the_help_of_new_breaks_no_value_at_its_hyphen(zim: Zim) -> None:
    help_text = zim("new", "--help").stdout
    values = [value for rule in HOUSE_RULES.values() for value in (rule.usual, rule.other)]
    assert [value for value in values if value not in help_text] == []


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_a_sheet_of_house_rules_sets_the_options_of_a_game(zim: Zim, kind: str, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.toml"
    sheet.write_text("".join(f'{name} = "{value}"\n' for name, value in reading_options(game(kind)).items()))
    result = zim("new", "k", "--game", kind, "players=2", "seed=7", "--house-rules", str(sheet))
    assert result.exit_code == 0, result.stderr
    log_text = zim("log", "k@0").stdout
    assert all(f"{name}={value}" in log_text for name, value in reading_options(game(kind)).items())
    assert zim("verify", "k").exit_code == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("gods = 'all'", "has no such house rule"),
        ("xango = 7", "the value has to be in quotes"),
        ("gu = 'maybe'", "gu is two-moves or one-move"),
        ("xango = 'absolute'", "xango is overshoot already"),
        ("xango", "this is not a sheet of house rules"),
        ("# ours\ngu=one-move\n", 'try: gu = "one-move"'),
    ],
)
def test_an_invalid_house_rule_is_an_error(zim: Zim, content: str, reason: str, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.toml"
    sheet.write_text(content)
    refusal = zim("new", "k", "players=2", "xango=overshoot", "--house-rules", str(sheet))
    assert refusal.exit_code == 2
    assert reason in refusal.stderr
    assert zim("show", "k").exit_code != 0
    missing_file_refusal = zim("new", "k", "--house-rules", str(tmp_path / "none.toml"))
    assert missing_file_refusal.exit_code == 4
    assert "Traceback" not in missing_file_refusal.stderr


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        (["xango=absolute", "gu=one-move"], "gu=one-move xango=absolute"),
        (["qamata=always"], "qamata=always"),
        (["--game", "africana", "bonus=first", "score=hidden"], "bonus=first score=hidden"),
    ],
)
def test_a_game_shows_all_its_house_rules_in_one_text(zim: Zim, words: list[str], rules: str) -> None:
    assert zim("new", "a", "players=2", *words).exit_code == 0
    for command in ("log", "story"):
        text = zim(command, "a").stdout
        assert f"house rules: {rules}" in text
        assert text.count("house rules: ") == 1
    set_up_text = " ".join(re.findall("house rules: (.*)", zim("events", "a").stdout))
    assert sorted(set_up_text.split()) == rules.split()
