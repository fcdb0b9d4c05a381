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
    for table in rules.ask(rules.initial(), "cards", []):
        assert all(all(row) for row in table.rows)


def test_no_topic_says_which_there_are() -> None:
    answer = CliRunner().invoke(cli, ["--store", "memory:", "help", "chess"])
    assert answer.exit_code == 2
    assert "raising monuments" in answer.stderr
