"""Readings are called readings: with the words that they read, and how else these can be read."""

import pytest
from click.testing import CliRunner

from zimcli.main import cli
from zimcore.game import Rule
from zimcore.games.registry import game

NOTED = {"R-GOD-02", "R-END-01"}
"""Rules of the rulebook that a text beside it has otherwise."""
SOURCES = {"rulebook", "refresher", "derived", "reading", "addition"}


def rules(kind: str) -> dict[str, Rule]:
    return {rule.code: rule for rule in game(kind).texts.rules()}


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_every_reading_names_the_words_and_the_other_reading(kind: str) -> None:
    for rule in rules(kind).values():
        assert rule.source in SOURCES
        assert bool(rule.reading) == (rule.source in {"reading", "addition"} or rule.code in NOTED), rule.code
        assert rule.reading is None or (rule.reading.words and rule.reading.other)


def test_what_long_practice_settled_is_not_the_rulebook() -> None:
    found = {code for code, rule in rules("zimbabwe").items() if rule.source == "reading"}
    practice = {"GEO-04", "HUB-04", "HUB-06", "BID-06", "BID-08", "TURN-02", "TURN-04", "GOD-04", "MON-02"}
    assert found == {f"R-{code}" for code in practice | {"GOD-03", "CRA-07", "PRI-01", "RAI-07", "END-02"}}
    assert {code for code, rule in rules("africana").items() if rule.source == "reading"} == {
        f"AMB-{number:02}" for number in range(1, 21)
    }


@pytest.mark.parametrize("option", ["xango", "dziva", "qamata", "shadipinyi"])
def test_an_option_that_chooses_a_reading_is_named_there(option: str) -> None:
    told = [rule.reading.other for rule in rules("zimbabwe").values() if rule.reading]
    assert [other for other in told if f"{option}=" in other]


def said(*words: str) -> str:
    answer = CliRunner().invoke(cli, ["--store", "memory:", *words])
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


def test_a_rule_alone_says_what_it_is() -> None:
    reading = said("rules", "R-GOD-04")
    assert "(reading)" in reading
    assert "rulebook: " not in reading.replace("a reading of the rulebook: ", "")
    assert "the rulebook's words: \"If Qamata is in play" in reading
    assert "otherwise: They act whenever they are among the gods" in reading
    assert "rulebook: Phase II" in said("rules", "R-MON-01")
    assert "otherwise: A summary of other hands" in said("rules", "R-END-01")
    assert "addition, beside the rulebook: Phases III and IV" in said("rules", "R-END-04")
    assert "(reading)" in said("rules", "R-TURN")
