"""Every rule of a rulebook has a test that shows it kept; a rule that guards a command also has one that it refuses."""

import re

import pytest

from tests.decider_kit import all_tests, marks_in, untested_rules
from tests.tested_rules import codes, details, guarded_codes, marks_of, report, sources
from zimcore.games.registry import GAMES

RULE_TEST_NAME = re.compile(r"test_([ar])_([a-z]+)_(\d\d)_")
each_game = pytest.mark.parametrize("kind", GAMES)


def misnamed_tests(source: str) -> list[str]:
    """Tests that are named after a rule and not marked with it."""
    marks = {(mark.test, mark.code) for mark in marks_in(source)}
    tests = ((test.name, RULE_TEST_NAME.match(test.name)) for test in all_tests(source))
    return [name for name, match in tests if match and (name, "-".join(match.groups()).upper()) not in marks]


@each_game
def test_every_rule_has_its_tests(kind: str) -> None:
    assert untested_rules(marks_of(kind), codes(kind), guarded_codes(kind)) == []


@each_game
def test_marks_name_existing_rules(kind: str) -> None:
    assert {(mark.test, mark.code) for mark in marks_of(kind) if mark.code not in codes(kind)} == set()
    assert {mark.shows for mark in marks_of(kind)} == {"accepts", "refuses"}


@each_game
def test_every_guard_is_a_rule_and_only_guards_refuse(kind: str) -> None:
    assert guarded_codes(kind) <= set(codes(kind))
    assert {mark.code for mark in marks_of(kind) if mark.shows == "refuses"} <= guarded_codes(kind)


@each_game
def test_a_test_named_after_a_rule_is_marked_with_it(kind: str) -> None:
    assert [(file, name) for file, source in sources(kind).items() for name in misnamed_tests(source)] == []


def test_a_missing_test_is_found() -> None:
    marks = marks_of("zimbabwe")
    remaining_marks = [mark for mark in marks if mark[1:] not in (("accepts", "R-HUB-09"), ("refuses", "R-CRA-05"))]
    assert untested_rules(remaining_marks, codes("zimbabwe"), guarded_codes("zimbabwe")) == [
        "no test that accepts by R-HUB-09",
        "no test that refuses by R-CRA-05",
    ]


def test_a_missing_mark_is_found() -> None:
    source = "@pytest.mark.rule(refuses='R-CRA-05')\ndef test_r_cra_05_cost(): ...\ndef test_r_cra_06_range(): ..."
    assert list(marks_in(source)) == [("test_r_cra_05_cost", "refuses", "R-CRA-05")]
    assert misnamed_tests(source) == ["test_r_cra_06_range"]


def test_the_report_counts_the_tests_of_every_rule_and_names_them() -> None:
    counts = {code: (accepts, refuses) for code, accepts, refuses in map(str.split, report("zimbabwe"))}
    assert list(counts) == ["rule", *codes("zimbabwe")]
    assert {code for code, (_, refuses) in counts.items() if refuses == "-"} == set(codes("zimbabwe")) - guarded_codes(
        "zimbabwe"
    )
    title_line, *tests = details("zimbabwe", "R-CRA-05")
    assert title_line == "R-CRA-05"
    assert len(tests) == sum(map(int, counts["R-CRA-05"]))
