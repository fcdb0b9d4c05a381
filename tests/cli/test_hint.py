"""Hints at the shell: turns that can be played, with what they are worth."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli

Zim = Callable[..., Result]


@pytest.fixture
def zim(tmp_path: Path) -> Zim:
    def run_zim(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])

    return run_zim


def test_a_hint_names_turns_that_can_be_played(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7")
    hint_answer = json.loads(zim("hint", "k", "--json").stdout)
    assert 0 < len(hint_answer["hints"]) <= 3
    assert hint_answer["seat"] in hint_answer["now"]
    assert zim("do", "k", "; ".join(hint_answer["hints"][0]["commands"])).exit_code == 0
    assert "chances: kilwa " in zim("hint", "k").stdout


def test_a_hint_needs_known_cards(zim: Zim) -> None:
    zim("new", "a", "--game", "africana")
    result = zim("hint", "a")
    assert result.exit_code != 0
    assert "what only italy can see" in result.output
    hint_answer = json.loads(zim("hint", "a", "--as", "italy", "--json").stdout)
    assert hint_answer["seat"] == "italy"
    assert zim("do", "a", "--as", "italy", hint_answer["hints"][0]["commands"][0]).exit_code == 0


def test_a_game_without_help_shows_no_chances_before_the_end(zim: Zim, tmp_path: Path) -> None:
    assert zim("new", "k", "players=2", "seed=7", "help=maybe").exit_code != 0
    assert zim("new", "k", "players=2", "seed=7", "help=no").exit_code == 0
    zim("fork", "k", "mine")
    for words in (("hint", "k"), ("hint", "k/mine"), ("analyse", "k"), ("expect", "k", "kilwa.chance > 0")):
        refusal = zim(*words)
        assert refusal.exit_code == 2
        assert "help is off in this game" in refusal.output
    assert zim("expect", "k", "kilwa.vp >= 0").exit_code == 0
    assert zim("export", "--tables", str(tmp_path / "tables"), "k").exit_code == 0
    assert (tmp_path / "tables" / "chances.csv").read_text().count("\n") == 1
