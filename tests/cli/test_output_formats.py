"""Output formats: rows for spreadsheets and line tools, progress for programs, nothing for quiet scripts."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from click.testing import Result

from tests.cli.conftest import Zim
from tests.cli.test_answers import GAME_LINES
from zimcli.output import rows
from zimcore.documents.positions import Answer


@pytest.fixture
def zim_with_game(zim: Zim, run_script: Callable[..., Result]) -> Zim:
    assert run_script(*GAME_LINES).exit_code == 0
    return zim


def test_csv_of_the_log_has_a_row_for_each_commit(zim_with_game: Zim) -> None:
    csv_rows = list(csv.DictReader(io.StringIO(zim_with_game("log", "k", "--format", "csv").stdout)))
    assert [(row["number"], row["seat"], row["text"]) for row in csv_rows][1:3] == [
        ("1", "kilwa", "take 2"),
        ("2", "zulu", "take 1"),
    ]
    assert zim_with_game("--format", "csv", "log", "k").stdout == zim_with_game("log", "k", "--format=csv").stdout


def test_fields_choose_columns_and_their_order(zim_with_game: Zim) -> None:
    result = zim_with_game("log", "k", "--format", "tsv", "--fields", "text,number")
    assert result.stdout.splitlines()[:2] == ["text\tnumber", "set up 9\t0"]
    refusal = zim_with_game("log", "k", "--format", "csv", "--fields", "nope")
    assert (refusal.exit_code, refusal.stdout) == (2, "")
    assert "the fields are number, digest" in refusal.stderr


def test_jsonl_has_a_row_on_each_line(zim_with_game: Zim) -> None:
    lines = zim_with_game("try", "k", "--each", "take", "--by", "kilwa.cattle", "--format", "jsonl").stdout.splitlines()
    assert json.loads(lines[0]) == {"command": "take 1", "values.kilwa.cattle": 1}
    assert [
        json.loads(line)["legal"]
        for line in zim_with_game("legal", "k", "take", "--format", "jsonl").stdout.splitlines()
    ]


def test_csv_of_a_table_names_its_columns(zim_with_game: Zim) -> None:
    first_row, *_ = csv.DictReader(io.StringIO(zim_with_game("stats", "k", "--format", "csv").stdout))
    assert first_row == {"table": "Cattle taken", "empire": "kilwa", "cattle": "2"}


@pytest.mark.parametrize("output_format", ["json", "jsonl", "csv", "tsv", "text"])
def test_every_form_leaves_errors_to_stderr(zim_with_game: Zim, output_format: str) -> None:
    result = zim_with_game("do", "k", "take 9", "--format", output_format)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("{") == (output_format in ("json", "jsonl"))
    assert zim_with_game("log", "--nope", "--format", output_format).stderr.startswith("{") == (
        output_format in ("json", "jsonl")
    )


def test_quiet_prints_only_errors(zim_with_game: Zim) -> None:
    assert zim_with_game("--quiet", "do", "k", "take 1").output == ""
    assert zim_with_game("games", "--quiet").output == ""
    assert zim_with_game("expect", "k", "zulu.vp > 9", "--quiet").stderr.startswith("not so: ")


def test_progress_is_printed_as_json(zim_with_game: Zim) -> None:
    result = zim_with_game("verify", "--all", "--progress", "json", "--json")
    progress_documents = [json.loads(line)["progress"] for line in result.stderr.splitlines()]
    assert progress_documents[-1] == {"what": "verifying games", "done": 1, "of": 1}
    assert zim_with_game("verify", "--all", "--json").stderr == ""


def test_where_lists_the_games_that_match(zim_with_game: Zim) -> None:
    zim_with_game("run", "-", stdin="new l herd=3\ntake 1\ntake 1\nbuild a1\ntake 1")

    def names_where(expression: str) -> list[str]:
        result = zim_with_game("games", "--where", expression, "--format", "jsonl", "--fields", "name")
        assert result.exit_code == 0, result.stderr
        return [json.loads(line)["name"] for line in result.stdout.splitlines()]

    assert names_where("kilwa.won and rounds < 9") == names_where("over and winner == kilwa") == ["l"]
    assert names_where("players == 2 and moves >= 3 and kind != zimbabwe") == ["k", "l"]
    assert names_where("zulu.won") == []
    refusal = zim_with_game("games", "--where", "nobody.won")
    assert (refusal.exit_code, refusal.stdout) == (2, "")


def test_where_counts_the_games_that_do_not_match(zim_with_game: Zim) -> None:
    result_of_one_game = zim_with_game("games", "--where", "round == 99")
    assert (result_of_one_game.exit_code, result_of_one_game.stdout, result_of_one_game.stderr) == (
        0,
        "",
        "the only game does not match: round == 99\n",
    )
    zim_with_game("new", "l", "herd=3")
    result_of_two_games = zim_with_game("games", "--where", "round == 99")
    assert (result_of_two_games.exit_code, result_of_two_games.stdout, result_of_two_games.stderr) == (
        0,
        "",
        "none of the 2 games matches: round == 99\n",
    )
    document = json.loads(zim_with_game("games", "--where", "round == 99", "--json").stdout)
    assert (document["games"], document["where"], document["unmatched"]) == ([], "round == 99", 2)
    zim_with_game("archive", "k"), zim_with_game("archive", "l")
    assert (
        zim_with_game("games", "--where", "round == 99").stderr == "2 games are archived; try: zim games --archived\n"
    )


def test_ranks_differences_and_other_positions_find_rows(zim_with_game: Zim) -> None:
    """In `k` kilwa takes 2, zulu takes 1, and kilwa builds. `l` has no moves, so no position @1."""
    zim_with_game("new", "l", "herd=3")

    def first_column(*words: str) -> list[str]:
        result = zim_with_game(*words, "--format", "csv")
        assert result.exit_code == 0, result.stderr
        return [row[0] for row in list(csv.reader(io.StringIO(result.stdout)))[1:]]

    name_fields = "--fields", "name"
    assert first_column("games", "--where", "rank(zulu) == 2", *name_fields) == ["k"]
    assert first_column("games", "--where", "abs(zulu.vp - kilwa.vp) == 1", *name_fields) == ["k"]
    assert first_column("games", "--where", "abs(zulu.cattle@1 - zulu.cattle) == 1", *name_fields) == ["k"]
    assert "there is no position @7" in zim_with_game("games", "--where", "zulu.cattle@7 == 1").stderr
    number_fields = "--fields", "number"
    assert first_column("log", "k", "--all", "--where", "abs(zulu.cattle@1 - zulu.cattle) == 1", *number_fields) == [
        "2",
        "3",
    ]
    assert first_column("log", "k", "--all", "--where", "rank(zulu, cattle) == 2", *number_fields) == ["1", "2"]
    expressions = "rank(kilwa, cattle)", "abs(zulu.cattle@1 - zulu.cattle)"
    json_lines = zim_with_game(
        "try", "k", "take", "--each", "--by", expressions[0], "--by", expressions[1], "--format", "jsonl"
    ).stdout.splitlines()
    assert [tuple(json.loads(line)[f"values.{expression}"] for expression in expressions) for line in json_lines] == [
        (2, 4),
        (2, 3),
        (2, 2),
    ]


def test_events_of_all_games(zim_with_game: Zim) -> None:
    zim_with_game("new", "l", "herd=3")
    event_rows = [
        json.loads(line) for line in zim_with_game("events", "--all", "--format", "jsonl").stdout.splitlines()
    ]
    assert {row["game"] for row in event_rows} == {"k", "l"}
    assert "a herd of 3 is met" in {row["told"] for row in event_rows}
    assert "l/main@0  a herd of 3 is met" in zim_with_game("events", "--all").stdout


@pytest.mark.parametrize("output_format", ["csv", "tsv"])
@pytest.mark.parametrize("text", ["=1+1", "+1 to all", "-2+3", "@SUM(A1)", '=HYPERLINK("http://x","y")', "-", "=1"])
def test_no_cell_is_a_formula(output_format: str, text: str) -> None:
    (line,) = list(rows.format_rows(TextAnswer(text, -3, "-3", -2.5, "1+1"), output_format))[1:]
    cells = next(csv.reader([line], delimiter=rows.SEPARATORS[output_format]))
    assert cells[:5] == [f"'{text}", "-3", "-3", "-2.5", "1+1"]
    assert json.loads(next(rows.format_rows(TextAnswer(text, 0, "", 0, ""), "jsonl")))["text"] == text


class TextAnswer(Answer, frozen=True):
    """An answer with texts that another person wrote."""

    text: str
    number: int
    digits: str
    fraction: float
    harmless: str
