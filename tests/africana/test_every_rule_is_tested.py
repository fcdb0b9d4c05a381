"""Every rule of the rulebook, and every reading of what it leaves open, has a test that shows it kept; and one that
guards has a test that shows it refusing."""

from pathlib import Path

from tests.decider_kit import marks_in, untested
from zimcore.games.africana import GAME
from zimcore.games.africana.rules import guarded

CODES = {rule.code for rule in GAME.texts.rules()}
MARKS = [mark for path in sorted(Path(__file__).parent.glob("test_*.py")) for mark in marks_in(path.read_text("utf-8"))]


def test_every_rule_has_its_tests() -> None:
    assert untested(MARKS, CODES, guarded()) == []


def test_marks_name_rules_that_there_are() -> None:
    assert {(mark.test, mark.code) for mark in MARKS if mark.code not in CODES} == set()
    assert {mark.shows for mark in MARKS} == {"accepts", "refuses"}


def test_every_guard_is_a_rule_of_the_rulebook() -> None:
    assert guarded().keys() <= CODES
    assert {mark.code for mark in MARKS if mark.shows == "refuses"} == guarded().keys()
