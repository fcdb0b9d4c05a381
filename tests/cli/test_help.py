"""`help` about the game: from its rules and cards, whatever they are."""

import pytest
from click.testing import CliRunner

from zimcli.main import cli
from zimcore.service import game


def said(name: str) -> str:
    answer = CliRunner().invoke(cli, ["--store", "memory:", "help", name])
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("eshu", ["within 6 steps", "R-RNG-06"]),
        ("gods", ["anansi", "pays 1 cattle for any good", "R-GOD-01"]),
        ("potter", ["clay", "1x2", "+3, +4"]),
        ("vessel_maker", ["potter", "2x2"]),
        ("specialists", ["shaman", "R-SPEC-08"]),
        ("hubs", ["R-HUB-01", "R-HUB-09"]),
        ("raise", ["R-RAI-01"]),
        ("revenues", ["R-REV-01"]),
        ("obatala", ["builds up to 2 monuments"]),
    ],
)
def test_a_topic(name: str, words: list[str]) -> None:
    text = said(name)
    assert [word for word in words if word not in text] == []


def test_every_card_says_what_it_does() -> None:
    rules = game("zimbabwe")
    for table in rules.questions.ask(rules.evolution.initial(), "cards", []):
        assert all(all(row) for row in table.rows)


@pytest.mark.parametrize(
    ("words", "hint"), [("quartz", "zim help"), ("transportatin range", "zim help transportation range")]
)
def test_no_topic_says_what_may_be_meant(words: str, hint: str) -> None:
    answer = CliRunner().invoke(cli, ["--store", "memory:", "help", *words.split()])
    assert (answer.exit_code, answer.stderr.splitlines()[-1]) == (2, f"  try: {hint}")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a07", ["A07         A     luanda  jidda       6   3"]),
        ("n01", ["adventures"]),
        ("cape town", ["cape_town  south"]),
        ("ambiguities", ["AMB-01", "AMB-02"]),
        ("religion and culture, gods", ["R-GOD-01"]),
    ],
)
def test_cards_places_and_parts_of_any_game_are_explained(words: str, told: list[str]) -> None:
    answer = CliRunner().invoke(cli, ["--store", "memory:", "help", *words.split()])
    assert answer.exit_code == 0
    assert all(each in answer.stdout for each in told), answer.stdout
