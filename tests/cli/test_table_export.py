"""Tables of many games as files: their content, hidden cards, and files that exist already."""

import csv
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from zimcli.main import cli
from zimcli.shell.registry import SESSION_ENTRIES
from zimcli.study.table_files import column_types
from zimcore.analysis.table_rows import TABLES
from zimcore.service import game, open_service
from zimcore.service.lines.visibility import EVERYTHING

Zim = Callable[..., Result]


@pytest.fixture(scope="module")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the game of the demonstration, and one of Africana that has begun."""
    file = tmp_path_factory.mktemp("tables") / "games.db"
    lines = [line for line in game("zimbabwe").texts.demo().splitlines() if line[:1] not in ("#", "")]
    service = open_service(f"sqlite:///{file}")
    service.new("zimbabwe", dict(word.split("=") for word in lines[0].split()[2:]), name="k", by="=anna")
    for line in lines[1:]:
        if line.split()[0] not in SESSION_ENTRIES:
            service.play("k", line, by="=anna")
    service.new("africana", {"seed": "7"}, name="a", by="anna")
    for _ in range(8):
        service.play_or_raise("a", next(iter(service.position("a", EVERYTHING).legal())), by="anna", viewer=EVERYTHING)
    service.store.close()
    return file


@pytest.fixture
def zim(demo_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.db").write_bytes(demo_file.read_bytes())
    return lambda *words: CliRunner().invoke(cli, ["--store", "sqlite:///games.db", *words])


def table_rows(name: str) -> list[dict[str, str]]:
    with open(f"tables/{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_rows_are_those_of_the_log(zim: Zim) -> None:
    answer = json.loads(zim("export", "--tables", "tables", "k", "--json").stdout)
    assert {file["table"]: file["rows"] for file in answer["files"]} == {name: len(table_rows(name)) for name in TABLES}
    log = json.loads(zim("log", "k", "--json").stdout)["commits"]
    assert [(row["number"], row["seat"], row["text"]) for row in table_rows("commits")] == [
        (str(commit["number"]), commit.get("seat", ""), commit["text"]) for commit in log
    ]
    (match_row,) = table_rows("games")
    assert (match_row["kind"], match_row["over"], match_row["winner"]) == ("zimbabwe", "true", "zulu")
    assert datetime.fromisoformat(match_row["last"]).tzinfo == UTC
    payments = [json.loads(event["facts"]) for event in table_rows("events") if event["event"] == "cattle_paid"]
    assert [(row["payer"], int(row["amount"])) for row in table_rows("payments")] == [
        (payment["payer"], payment["amount"]) for payment in payments
    ]


def test_rounds_end_with_standings_and_chances(zim: Zim) -> None:
    zim("export", "--tables", "tables", "k")
    round_rows = [row for row in table_rows("standings") if row["round"] == "3"]
    position_answer = json.loads(zim("show", "k@r4", "--json").stdout)
    assert {row["seat"]: int(row["score"]) for row in round_rows} == position_answer["position"]["scores"]
    assert {row["number"] for row in round_rows} == {str(position_answer["position"]["number"])}
    chances = [float(row["chance"]) for row in table_rows("chances") if row["round"] == "3"]
    assert sum(chances) == pytest.approx(1, abs=0.001)
    last_chances = {row["seat"]: row["chance"] for row in table_rows("chances")}
    assert last_chances["zulu"] == "1.0"


def test_parquet_says_the_same_with_types(zim: Zim) -> None:
    assert zim("export", "--tables", "tables", "k").exit_code == 0
    assert zim("export", "--tables", "tables", "--parquet", "k").exit_code == 0
    for name, row in TABLES.items():
        table = parquet.read_table(f"tables/{name}.parquet")
        assert table.column_names == list(column_types(row))
        parquet_rows = [
            {key: "" if value is None else to_csv_text(value) for key, value in row.items()}
            for row in table.to_pylist()
        ]
        assert parquet_rows == [
            {key: value.removeprefix("'") for key, value in row.items()} for row in table_rows(name)
        ]


def to_csv_text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)


def hidden_seats(zim: Zim, *words: str) -> set[str]:
    """The seats whose hands and drawn cards are hidden; both tables must agree."""
    assert zim("export", "--tables", "tables", "a", "--force", *words).exit_code == 0
    draw_facts = [json.loads(row["facts"]) for row in table_rows("events") if row["event"] == "cards_drawn"]
    hands = {row["seat"]: json.loads(row["figures"])["hand"] for row in table_rows("standings")}
    seats_with_hidden_draws = {facts["seat"] for facts in draw_facts if "?" in facts["cards"]}
    assert seats_with_hidden_draws == {seat for seat, hand in hands.items() if "?" in str(hand)}
    return seats_with_hidden_draws


def test_hidden_cards_stay_hidden(zim: Zim) -> None:
    seats = {"italy", "france", "germany", "england"}
    assert hidden_seats(zim) == seats
    assert hidden_seats(zim, "--as", "italy") == seats - {"italy"}
    assert hidden_seats(zim, "--open") == set()


def test_all_games_are_written_and_no_text_is_run_by_a_spreadsheet(zim: Zim) -> None:
    assert "2 games are written" in zim("export", "--tables", "tables").stdout
    assert {(row["game"], row["kind"]) for row in table_rows("games")} == {("k", "zimbabwe"), ("a", "africana")}
    assert {row["by"] for row in table_rows("commits")} == {"'=anna", "anna"}


def test_a_damaged_game_is_named_and_the_others_are_written(zim: Zim) -> None:
    with sqlite3.connect("games.db") as database:
        database.execute(
            "DELETE FROM stored_events WHERE originator_id = ? AND originator_version = 3", longest_stream(database)
        )
    result = zim("export", "--tables", "tables")
    assert result.exit_code == 1
    assert "1 could not be written" in result.output
    assert {row["game"] for row in table_rows("games")} == {"a"}
    assert {row["game"] for row in table_rows("commits")} == {"a"}


def longest_stream(database: sqlite3.Connection) -> tuple[Any, ...]:
    """The longest stream: the line of the whole game."""
    row: tuple[Any, ...] = database.execute(
        "SELECT originator_id FROM stored_events GROUP BY originator_id ORDER BY count(*) DESC LIMIT 1"
    ).fetchone()
    return row


def test_a_failed_export_leaves_the_old_files(zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    assert zim("export", "--tables", "tables", "a").exit_code == 0
    files_before = {file.name: file.read_bytes() for file in Path("tables").iterdir()}
    assert zim("export", "--tables", "tables", "k", "nix").exit_code == 2
    assert {file.name: file.read_bytes() for file in Path("tables").iterdir()} == files_before
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refusal = zim("export", "--tables", "tables", "--parquet")
    assert refusal.exit_code == 2
    assert "pyarrow" in refusal.output
    assert "try: " in refusal.output
    for words in (["--parquet", "--jsonl"], ["k", "a", "--jsonl"], ["--tables", "t", "--jsonl", "f"]):
        assert zim("export", *words).exit_code == 2


def documented_columns() -> Iterator[tuple[str, str, str]]:
    page_text = (Path(__file__).parent.parent.parent / "docs" / "tables.md").read_text("utf-8")
    for table, section in re.findall(r"(?ms)^### (\w+): [^\n]*\n(.*?)(?=^#|\Z)", page_text):
        for column, kind in re.findall(r"(?m)^- `(\w+)` \(([\w ]+)\): ", section):
            yield table, column, kind


def test_every_column_is_documented() -> None:
    kinds = {"text": str, "JSON": str, "number": int, "chance": float, "time": datetime, "true or false": bool}
    assert [(table, column, kinds[kind]) for table, column, kind in documented_columns()] == [
        (table, column, kind) for table, row in TABLES.items() for column, kind in list(column_types(row).items())[2:]
    ]
