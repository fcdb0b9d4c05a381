"""The forms of an answer: rows for spreadsheets and line tools, progress for programs, nothing for scripts."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from click.testing import Result

from tests.cli.conftest import Zim
from tests.cli.test_answers import GAME
from zimcli import rows
from zimcore.documents.positions import Answer


@pytest.fixture
def played(zim: Zim, script: Callable[..., Result]) -> Zim:
    assert script(*GAME).exit_code == 0
    return zim


def test_rows_for_a_spreadsheet(played: Zim) -> None:
    found = list(csv.DictReader(io.StringIO(played("log", "k", "--format", "csv").stdout)))
    assert [(row["number"], row["seat"], row["text"]) for row in found][1:3] == [
        ("1", "kilwa", "take 2"),
        ("2", "zulu", "take 1"),
    ]
    assert played("--format", "csv", "log", "k").stdout == played("log", "k", "--format=csv").stdout


def test_only_some_fields_in_their_order(played: Zim) -> None:
    answer = played("log", "k", "--format", "tsv", "--fields", "text,number")
    assert answer.stdout.splitlines()[:2] == ["text\tnumber", "set up 9\t0"]
    wrong = played("log", "k", "--format", "csv", "--fields", "nope")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "there is number, digest" in wrong.stderr


def test_a_row_a_line_as_json(played: Zim) -> None:
    lines = played("try", "k", "--each", "take", "--by", "kilwa.cattle", "--format", "jsonl").stdout.splitlines()
    assert json.loads(lines[0]) == {"command": "take 1", "values.kilwa.cattle": 1}
    assert [json.loads(line)["legal"] for line in played("legal", "k", "take", "--format", "jsonl").stdout.splitlines()]


def test_tables_by_their_columns(played: Zim) -> None:
    first, *_ = csv.DictReader(io.StringIO(played("stats", "k", "--format", "csv").stdout))
    assert first == {"table": "Cattle taken", "empire": "kilwa", "cattle": "2"}


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "tsv", "text"])
def test_every_form_leaves_errors_to_stderr(played: Zim, form: str) -> None:
    answer = played("do", "k", "take 9", "--format", form)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert answer.stderr.startswith("{") == (form in ("json", "jsonl"))
    assert played("log", "--nope", "--format", form).stderr.startswith("{") == (form in ("json", "jsonl"))


def test_what_is_quiet_only_says_what_goes_wrong(played: Zim) -> None:
    assert played("--quiet", "do", "k", "take 1").output == ""
    assert played("games", "--quiet").output == ""
    assert played("expect", "k", "zulu.vp > 9", "--quiet").stderr.startswith("not so: ")


def test_progress_for_programs(played: Zim) -> None:
    answer = played("verify", "--all", "--progress", "json", "--json")
    results = [json.loads(line)["progress"] for line in answer.stderr.splitlines()]
    assert results[-1] == {"what": "verifying games", "done": 1, "of": 1}
    assert played("verify", "--all", "--json").stderr == ""


def test_games_of_which_something_holds(played: Zim) -> None:
    played("run", "-", typed="new l herd=3\ntake 1\ntake 1\nbuild a1\ntake 1")

    def found(where: str) -> list[str]:
        answer = played("games", "--where", where, "--format", "jsonl", "--fields", "name")
        assert answer.exit_code == 0, answer.stderr
        return [json.loads(line)["name"] for line in answer.stdout.splitlines()]

    assert found("kilwa.won and rounds < 9") == found("over and winner == kilwa") == ["l"]
    assert found("players == 2 and moves >= 3 and kind != zimbabwe") == ["k", "l"]
    assert found("zulu.won") == []
    wrong = played("games", "--where", "nobody.won")
    assert (wrong.exit_code, wrong.stdout) == (2, "")


def test_games_of_which_nothing_holds_are_counted(played: Zim) -> None:
    one = played("games", "--where", "round == 99")
    assert (one.exit_code, one.stdout, one.stderr) == (0, "", "the only game does not match: round == 99\n")
    played("new", "l", "herd=3")
    none = played("games", "--where", "round == 99")
    assert (none.exit_code, none.stdout, none.stderr) == (0, "", "none of the 2 games matches: round == 99\n")
    document = json.loads(played("games", "--where", "round == 99", "--json").stdout)
    assert (document["games"], document["where"], document["unmatched"]) == ([], "round == 99", 2)
    played("archive", "k"), played("archive", "l")
    assert played("games", "--where", "round == 99").stderr == "2 games are archived; try: zim games --archived\n"


def test_ranks_differences_and_other_positions_find_rows(played: Zim) -> None:
    """In `k` kilwa takes 2, zulu takes 1, and kilwa builds. `l` has no moves, so no position @1."""
    played("new", "l", "herd=3")

    def found(*words: str) -> list[str]:
        answer = played(*words, "--format", "csv")
        assert answer.exit_code == 0, answer.stderr
        return [row[0] for row in list(csv.reader(io.StringIO(answer.stdout)))[1:]]

    names = "--fields", "name"
    assert found("games", "--where", "rank(zulu) == 2", *names) == ["k"]
    assert found("games", "--where", "abs(zulu.vp - kilwa.vp) == 1", *names) == ["k"]
    assert found("games", "--where", "abs(zulu.cattle@1 - zulu.cattle) == 1", *names) == ["k"]
    assert "there is no position @7" in played("games", "--where", "zulu.cattle@7 == 1").stderr
    numbers = "--fields", "number"
    assert found("log", "k", "--all", "--where", "abs(zulu.cattle@1 - zulu.cattle) == 1", *numbers) == ["2", "3"]
    assert found("log", "k", "--all", "--where", "rank(zulu, cattle) == 2", *numbers) == ["1", "2"]
    by = "rank(kilwa, cattle)", "abs(zulu.cattle@1 - zulu.cattle)"
    tried = played("try", "k", "take", "--each", "--by", by[0], "--by", by[1], "--format", "jsonl").stdout.splitlines()
    assert [tuple(json.loads(line)[f"values.{name}"] for name in by) for line in tried] == [(2, 4), (2, 3), (2, 2)]


def test_the_facts_of_all_games(played: Zim) -> None:
    played("new", "l", "herd=3")
    rows = [json.loads(line) for line in played("events", "--all", "--format", "jsonl").stdout.splitlines()]
    assert {row["game"] for row in rows} == {"k", "l"}
    assert "a herd of 3 is met" in {row["told"] for row in rows}
    assert "l/main@0  a herd of 3 is met" in played("events", "--all").stdout


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("text", ["=1+1", "+1 to all", "-2+3", "@SUM(A1)", '=HYPERLINK("http://x","y")', "-", "=1"])
def test_no_cell_is_a_formula(form: str, text: str) -> None:
    (line,) = list(rows.lines_of(Said(text, -3, "-3", -2.5, "1+1"), form))[1:]
    cells = next(csv.reader([line], delimiter=rows.SEPARATORS[form]))
    assert cells[:5] == [f"'{text}", "-3", "-3", "-2.5", "1+1"]
    assert json.loads(next(rows.lines_of(Said(text, 0, "", 0, ""), "jsonl")))["text"] == text


class Said(Answer, frozen=True):
    """An answer with texts that another person wrote."""

    text: str
    number: int
    digits: str
    fraction: float
    harmless: str
