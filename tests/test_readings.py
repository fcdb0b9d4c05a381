"""Each rule says whether it is a reading of the rulebook; a reading names the words and their other reading."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from zimcli.main import cli
from zimcore.game import Rule
from zimcore.games.registry import game

RULES_STATED_DIFFERENTLY = {"R-GOD-02", "R-END-01", "R-CRA-06", "R-SPEC-06", "R-HUB-04", "AMB-02", "AMB-17"}
"""Rules of the rulebook that another text states differently, or that some tables play otherwise."""
SOURCES = {"rulebook", "refresher", "deduction", "reading", "addition"}
WORDS_FOR_DEVELOPERS = re.compile(
    r"\b(engine|implement\w*|defensively|self-play|documented|vectors?|exhaustive|option 'hidden)|\*\w|=>",
    re.I,
)
"""Words that belong in notes for developers."""


def rules(kind: str) -> dict[str, Rule]:
    return {rule.code: rule for rule in game(kind).texts.rules()}


each_game = pytest.mark.parametrize("kind", ["zimbabwe", "africana"])


@each_game
def test_every_rule_names_its_source_and_a_disputed_one_its_words(kind: str) -> None:
    for rule in rules(kind).values():
        assert rule.source in SOURCES
        assert bool(rule.reading) == (
            rule.source in {"reading", "addition"} or rule.code in RULES_STATED_DIFFERENTLY
        ), f"{rule.code}: a reading or an addition says how else it could be, other rules do not"
        assert rule.reading is None or (rule.reading.words == rule.words and rule.reading.other)


@each_game
def test_the_file_of_the_rules_names_each_source(kind: str) -> None:
    entries = tomllib.loads(
        (Path(import_module(f"zimcore.games.{kind}.texts").__file__ or "").with_name("rulebook.toml")).read_text(
            "utf-8"
        )
    )
    assert [code for code, entry in entries.items() if "source" not in entry] == []


@each_game
def test_no_note_for_developers_reaches_a_player(kind: str) -> None:
    texts = {rule.code: f"{rule.text} {rule.reading.other if rule.reading else ''}" for rule in rules(kind).values()}
    assert {code: text for code, text in texts.items() if WORDS_FOR_DEVELOPERS.search(text)} == {}


@pytest.mark.parametrize(
    "note", ["*Bound:* other hands <= 15", "Implement defensively", "in an engine each is", "1,1=>2; 2=>6"]
)
def test_a_note_for_developers_is_noticed(note: str) -> None:
    assert WORDS_FOR_DEVELOPERS.search(note)


def test_rules_settled_by_practice_are_readings() -> None:
    codes = {code for code, rule in rules("zimbabwe").items() if rule.source == "reading"}
    codes_of_practice = {"GEO-04", "HUB-06", "BID-06", "BID-08", "TURN-02", "TURN-04", "GOD-04", "MON-02"}
    reviewed_codes = {"RNG-07", "TURN-01", "SPEC-08", "BID-09", "VR-05"}
    assert codes == {
        f"R-{code}" for code in codes_of_practice | reviewed_codes | {"GOD-03", "CRA-07", "PRI-01", "RAI-07", "END-02"}
    }
    assert {code for code, rule in rules("africana").items() if rule.source == "reading"} == {
        *(f"AMB-{number:02}" for number in range(1, 21) if number not in (2, 17)),
        *("A-BOOK-04", "A-RECOL-01", "A-RECOL-02", "A-EOT-06"),
    }
    assert {code for code, rule in rules("africana").items() if rule.source == "addition"} == {"A-COMP-09"}


@each_game
def test_a_reading_has_an_option_of_a_new_game_or_says_why_there_is_none(kind: str) -> None:
    options, disputed_page = game(kind).rules.OPTIONS, zim_output("rules", "--disputed")
    for rule in rules(kind).values():
        if rule.reading:
            names = [option.partition("=")[0] for option in rule.reading.options]
            assert set(names) <= set(options), rule.code
            assert bool(names) != bool(rule.reading.no_option), rule.code
            assert "no option" not in rule.reading.other.lower(), rule.code
            reason_line = f"no option: {rule.reading.no_option}"
            assert names or (reason_line in disputed_page and reason_line in zim_output("rules", rule.code)), rule.code


@each_game
def test_the_words_of_an_option_are_those_of_its_reading(kind: str) -> None:
    option_texts = dict[str, str]()
    for rule in rules(kind).values():
        for option in rule.reading.options if rule.reading else ():
            name, _, value = option.partition("=")
            option_texts[name] = option
            sentence = game(kind).rules.OPTIONS[name].partition(f" {value}: ")[2].rpartition(" (")[0]
            assert sentence
            assert sentence in (rule.reading.other if rule.reading else "")
            assert rule.code in game(kind).rules.OPTIONS[name]
    assert len(option_texts) == {"zimbabwe": 16, "africana": 12}[kind]


def zim_output(*words: str) -> str:
    result = CliRunner().invoke(cli, ["--store", "memory:", *words])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_one_rule_prints_what_it_rests_on() -> None:
    output = zim_output("rules", "R-GOD-04")
    assert "(reading)" in output
    assert "rulebook: " not in output.replace("a reading of the rulebook: ", "")
    assert "the rulebook's words: \"If Qamata is in play" in output
    assert "otherwise: Hubs are paid to the card whenever Qamata is among the gods" in output
    assert "to play it that way: the options qamata=always, shadipinyi=always" in output
    assert "rulebook: Phase II" in zim_output("rules", "R-MON-01")
    assert "the rulebook's words" not in zim_output("rules", "R-MON-01")
    assert "the refresher that comes with the rulebook: " in zim_output("rules", "R-MON-03")
    assert "a deduction from the rulebook: " in zim_output("rules", "A-SCORE-04")
    assert "reconstruction" in zim_output("rules", "A-COMP-09")
    assert "otherwise: Another summary of the rules" in zim_output("rules", "R-END-01")
    assert "an addition, not in the rulebook: Phases III and IV" in zim_output("rules", "R-END-04")
    assert "(reading)" in zim_output("rules", "R-TURN")
