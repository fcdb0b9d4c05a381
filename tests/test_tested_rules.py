"""`zim rules --coverage` tells what the tests show today."""

from pathlib import Path

import pytest

from tests.tested_rules import files, marks_of, text
from zimcore.games.zimbabwe import GAME


@pytest.mark.parametrize("file", list(files()), ids=lambda file: file.parent.name)
def test_the_file_is_what_the_tests_show(file: Path) -> None:
    assert file.read_text("utf-8") == text(file.parent.name), "run: python -m tests.tested_rules"


def test_a_rule_knows_its_tests() -> None:
    shown = {(code, shows, test) for test, shows, code in marks_of("zimbabwe")}
    accepting = {(rule.code, "accepts", test) for rule in GAME.texts.rules() for test in rule.accepting}
    refusing = {(rule.code, "refuses", test) for rule in GAME.texts.rules() for test in rule.refusing}
    assert accepting | refusing == shown


def test_every_rule_is_accepted_by_and_every_guard_refuses_in_some_test() -> None:
    assert [
        rule.code for rule in GAME.texts.rules() if not rule.accepting or bool(rule.guards) != bool(rule.refusing)
    ] == []
