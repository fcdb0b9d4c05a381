"""Every rule of the rulebook has a test that shows it kept, and one that guards has a test that shows it refusing.

The marks are read off the source files, so that this holds whatever part of the tests is run.
"""

import re
from pathlib import Path

import pytest

from tests.decider_kit import all_tests, marks_in, untested
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.rules import guarded

HERE = Path(__file__).parent
CODES = {rule.code for rule in GAME.texts.rules()}
NAMED = re.compile(r"test_r_([a-z]+)_(\d\d)_")


def misnamed(source: str) -> list[str]:
    """Tests that are named after a rule and not marked with it."""
    marks = {(mark.test, mark.code) for mark in marks_in(source)}
    named = ((test.name, NAMED.match(test.name)) for test in all_tests(source))
    return [name for name, match in named if match and (name, f"R-{match[1].upper()}-{match[2]}") not in marks]


SOURCES = [path.read_text("utf-8") for path in sorted(HERE.glob("test_*.py"))]
MARKS = [mark for source in SOURCES for mark in marks_in(source)]


def test_every_rule_has_its_tests() -> None:
    assert untested(MARKS, CODES, guarded()) == []


def test_marks_name_rules_that_there_are() -> None:
    assert {(mark.test, mark.code) for mark in MARKS if mark.code not in CODES} == set()
    assert {mark.shows for mark in MARKS} == {"accepts", "refuses"}


def test_a_rule_refuses_only_where_it_guards() -> None:
    assert {mark for mark in MARKS if mark.shows == "refuses" and mark.code not in guarded()} == set()


@pytest.mark.parametrize("source", SOURCES, ids=[path.stem for path in sorted(HERE.glob("test_*.py"))])
def test_a_test_named_after_a_rule_is_marked_with_it(source: str) -> None:
    assert misnamed(source) == []


def test_a_missing_test_is_found() -> None:
    without = [mark for mark in MARKS if mark[1:] not in (("accepts", "R-HUB-09"), ("refuses", "R-CRA-05"))]
    assert untested(without, CODES, guarded()) == [
        "no test that accepts by R-HUB-09",
        "no test that refuses by R-CRA-05",
    ]


def test_a_missing_mark_is_found() -> None:
    source = "@pytest.mark.rule(refuses='R-CRA-05')\ndef test_r_cra_05_cost(): ...\ndef test_r_cra_06_range(): ..."
    assert list(marks_in(source)) == [("test_r_cra_05_cost", "refuses", "R-CRA-05")]
    assert misnamed(source) == ["test_r_cra_06_range"]
