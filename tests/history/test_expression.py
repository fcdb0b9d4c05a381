"""Expressions over a position: their values, the errors that explain wrong ones, and no way to run code."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zimcore.history import ExpressionError, parse
from zimcore.history.evaluation import ARGUMENT_COUNTS, FUNCTIONS

VALUES: dict[str, Any] = {
    "round": 4,
    "phase": "build",
    "over": False,
    "winner": None,
    "kilwa": {"vp": 3, "vr": 20, "god": "gu", "cards": ["potter", "sculptor"]},
    "zulu": {"vp": 7, "vr": 23, "god": "eshu", "cards": [], "friend": "kilwa"},
}


@pytest.mark.parametrize(
    "text",
    [
        "zulu.vp == 7",
        "zulu.vp != 8",
        "kilwa.vp < zulu.vp <= 7",
        "not kilwa.vp > zulu.vp",
        "zulu.god == eshu",
        "zulu.god == 'eshu'",
        "phase == build",
        "winner == none and not over",
        "winner != kilwa",
        "leader() == zulu",
        "leader(vr) == zulu",
        "potter in kilwa.cards",
        "potter not in zulu.cards",
        "zulu.vr - zulu.vp == 16",
        "(kilwa.vp + zulu.vp) * 2 // 3 % 5 == 1",
        "max(kilwa.vp, zulu.vp, 1) == 7 and min(kilwa.vp, 2) == 2 and sum(1, 2) == 3",
        "round > 9 or -1 < round",
        "abs(kilwa.vp - zulu.vp) == 4",
        "rank(zulu) == 1 and rank(kilwa) == 2 and rank(kilwa, vr) == 2",
        "max(vp) == 7 and min(vp) == 3 and sum(vp) == 10",
        "zulu.god in [eshu, gu] and kilwa.god not in ('eshu', 'xango')",
        "count(kilwa.cards) == 2 and count([1, 2, 3]) == 3",
        "zulu.vp * 0.5 == 3.5",
        "not (zulu.vp > 7 or kilwa.vp > 7)",
        "+1 - -1 == 2",
        "Zulu.vp == 7 and ZULU.VP == 7 and Round == 4",
        "zulu.god == Eshu and Zulu.god in [Eshu, Gu]",
        "Leader() == Zulu and RANK(Zulu, VP) == 1 and max(VP) == 7",
    ],
)
def test_an_expression_holds(text: str) -> None:
    assert parse(text).holds(VALUES)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("zulu.vp = 7", "to compare, write =="),
        ("zulu.vp ** 2", "there are no powers: * multiplies"),
        ("zulu.vp / 2", "to divide whole numbers, write //"),
        ("zulu.vp == ", "it ends too early"),
        ("", "it is empty"),
        ("round >= 4 and ) 3", "it goes wrong at character 16: ) 3"),
    ],
)
def test_an_error_points_at_the_place(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse(text)
    assert error.value.why == reason


def test_names_may_begin_like_words_of_the_language() -> None:
    assert parse("order == 1 and android == 2 and nothing == 3").holds({"order": 1, "android": 2, "nothing": 3})


def test_an_expression_has_a_value() -> None:
    assert parse("zulu.vp - kilwa.vp").value(VALUES) == 4
    assert parse("zulu.god").value(VALUES) == "eshu"
    assert parse("leader()").value(VALUES) == "zulu"


def test_no_seat_leads_when_two_have_the_most() -> None:
    assert parse("leader() == nobody").holds({"a": {"vp": 2}, "b": {"vp": 2}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rond == 4", "no such name here: rond"),
        ("rond > 4", "no such name here: rond"),
        ("winnr == kilwa", "no such name here: winnr"),
        ("zulu.cows == 4", "no such name here: zulu.cows"),
        ("lozi.vp == 4", "no such name here: lozi.vp"),
        ("phase", None),
        ("rond", "no such name here: rond"),
        ("not rond", "no such name here: rond"),
        ("zulu.god > 3", "not a number: eshu"),
        ("zulu.vp // 0 == 1", "cannot divide by 0"),
        ("zulu.vp in round", "not a list: 4"),
        ("winner > 3", "not a number: nothing"),
        ("average(1) == 1", "no such function: average()"),
        ("zulu.vp = 7", "not an expression: zulu.vp = 7"),
        ("zulu.vp ==", "not an expression: zulu.vp =="),
        ("", "not an expression: "),
        ("2j < zulu.vp", "not an expression: 2j < zulu.vp"),
        ("leader(god) == zulu", "not a number: gu"),
        ("winner == klwa or zulu.friend == klwa", "no such name here: klwa"),
        ("rank(zulu, cows) == 1", "no such name here: cows"),
        ("rank(lozi) == 1", "no such name here: lozi"),
        ("rank(zulu.vp) == 1", "rank() begins with a seat"),
        ("rank(3) == 1", "rank() begins with a seat"),
        ("abs(zulu.god) == 1", "not a number: eshu"),
        ("Lozi.vp == 4", "no such name here: Lozi.vp"),
        ("min() == 1", "min() takes at least 1 argument"),
        ("abs(1, 2) == 1", "abs() takes 1 argument"),
        ("count() == 1", "count() takes 1 argument"),
        ("rank() == 1", "rank() takes 1 or 2 arguments"),
        ("leader(vp, vr) == zulu", "leader() takes 0 or 1 arguments"),
        ("zulu.vp@r3 == 1", "no other position can be asked for here: @r3"),
        ("9" * 400 + " * 0.5 > 1", "too large a number"),
    ],
)
def test_a_wrong_expression_is_explained(text: str, message: str | None) -> None:
    if message is None:
        assert parse(text).holds(VALUES)
        return
    with pytest.raises(ExpressionError) as error:
        parse(text).holds(VALUES)
    assert error.value.what == message


def test_too_many_arguments_are_counted_and_the_function_is_shown() -> None:
    with pytest.raises(ExpressionError) as error:
        parse("abs(1, 2) == 1").holds(VALUES)
    assert error.value.why == "it is written abs(a), and has 2 in: abs(1, 2) == 1"


def test_a_rank_of_a_figure_is_shown_as_it_is_written() -> None:
    with pytest.raises(ExpressionError) as error:
        parse("rank(zulu.vp) == 1").holds(VALUES)
    assert tuple(error.value.hints) == ("rank(zulu, vp)",)


def test_every_function_says_how_many_arguments_it_takes() -> None:
    assert {form.partition("(")[0] for form in FUNCTIONS} == {*ARGUMENT_COUNTS}


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ExpressionError, match=r"known: zulu\.vp, zulu\.vr, zulu\.god, zulu\.cards, zulu\.friend"):
        parse("zulu.cows > 1").holds(VALUES)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "zulu.__class__ == 1",
        "[x for x in (1, 2)]",
        "(lambda: 1)()",
        "zulu['vp']",
        "2 ** 9999999",
        "1 << 99999",
        "f'{zulu}'",
        "zulu is zulu",
        "max(*kilwa.cards)",
        "'a' * 1000 == b",
        "(" * 150 + "1" + ")" * 150 + "[0]",
        "1" * 501,
        "1+" * 240 + "1",
    ],
)
def test_code_is_no_expression(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text).holds(VALUES)


@given(st.text(alphabet="abz.()+-*/%<>=! 0123456789'\"\\\n\x00é", max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    with contextlib.suppress(ExpressionError):
        parse(text).holds(VALUES)
