"""A whole store at the terminal: who may copy it, and lists in which a game is missing or damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import psycopg
import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim
from tests.service.nim_service import NIM_ONLY
from zimcore.service import GameService


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.zim"


@pytest.fixture
def zim(store_url: str) -> Iterator[Zim]:
    """`zim` on a store with a game that has hidden cards, and one that has none."""
    with EventStore.open(store_url) as store:
        run_zim = make_zim(GameService(store))
        for words in (("k", "seed=7"), ("a", "--game", "africana", "players=2", "seed=7")):
            assert run_zim("new", *words).exit_code == 0
        yield run_zim


COPY_COMMANDS = (
    *(("backup", "{0}/copy"), ("db", "salvage", "sqlite:///{0}/copy"), ("export", "--jsonl", "{0}/copy")),
    ("db", "upgrade", "{0}/copy"),
)
"""Commands that write a file with all that is stored."""


@pytest.mark.parametrize("copy_command", COPY_COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("seat_options", [(), ("--as", "italy")], ids=["the table", "a seat"])
def test_a_copy_has_nothing_that_is_hidden(
    zim: Zim, copy_command: tuple[str, ...], seat_options: tuple[str, ...], tmp_path: Path
) -> None:
    copy_words = [word.format(tmp_path) for word in copy_command]
    for delete_words in ((), ("delete", "a")):  # a game that is deleted is in the copy too
        assert not delete_words or zim(*delete_words).exit_code == 0
        for typed_words in ((*seat_options, *copy_words), (*copy_words, *seat_options)):
            result = zim(*typed_words)
            assert (result.exit_code, "would show what is hidden in" in result.stderr) == (2, True), result.output
            assert not (tmp_path / "copy").exists()
    assert zim(*copy_words, "--open").exit_code == 0
    assert (tmp_path / "copy").exists() or "upgrade" in copy_words, (
        "a store sealed with places needs no upgrade and no copy"
    )


def test_anybody_may_copy_a_store_without_hidden_cards(tmp_path: Path) -> None:
    with EventStore.open("memory:") as store:
        run_zim = make_zim(GameService(store))
        run_zim("new", "k", "seed=7")
        assert run_zim("backup", str(tmp_path / "copy")).exit_code == 0


def damage_names(store_url: str) -> None:
    """Makes the last name in the catalogue unreadable."""
    condition = "WHERE originator_id = 'games' AND originator_version = 2"
    if store_url.startswith("sqlite"):
        with closing(sqlite3.connect(store_url.removeprefix("sqlite:///"), isolation_level=None)) as database:
            assert database.execute(f"UPDATE stored_events SET state = x'c1' {condition}").rowcount == 1
        return
    server_url, _, schema = store_url.partition("?schema=")
    with psycopg.connect(server_url) as database:
        sql = f"UPDATE {schema}.stored_events SET state = '\\xc1'::bytea {condition}"
        assert database.execute(sql.encode()).rowcount == 1


@pytest.mark.parametrize("words", [(), ("--all",), ("--where", "round >= 0"), ("--archived",), ("--json",)])
def test_a_list_that_lacks_a_game_fails(zim: Zim, store_url: str, words: tuple[str, ...]) -> None:
    assert zim("games", *words).exit_code == 0
    damage_names(store_url)
    result = make_zim(GameService(EventStore.open(store_url)))("games", *words)
    assert (result.exit_code, "a game is missing in this list" in result.stderr) == (4, True), result.output
    assert "k" in result.stdout or "--archived" in words, "the others are listed"


def damage_line(store_url: str) -> None:
    """Makes a move of a fork unreadable, and deletes what lists have cached about it."""
    with closing(sqlite3.connect(store_url.removeprefix("sqlite:///"), isolation_level=None)) as database:
        condition = "WHERE topic LIKE 'nim.stones_taken%' ORDER BY rowid DESC LIMIT 1"
        sql = f"UPDATE stored_events SET state = x'c1' WHERE rowid = (SELECT rowid FROM stored_events {condition})"
        assert database.execute(sql).rowcount == 1
        database.execute("DELETE FROM projections")


@pytest.mark.parametrize("format_options", [(), ("--json",)])
def test_a_list_with_a_damaged_line_or_game_fails(tmp_path: Path, format_options: tuple[str, ...]) -> None:
    """The exit code and the document say that its zeros are not real values."""
    store_url = f"sqlite:///{tmp_path}/games.db"
    with EventStore.open(store_url) as store:
        run_zim = make_zim(GameService(store, games=NIM_ONLY))
        for match_name in ("k", "other"):
            run_zim("new", match_name, "game=nim", "seed=7")
        run_zim("fork", "k", "what-if")
        run_zim("do", "k/what-if", "take 1")
        run_zim("switch", "k/what-if")
        assert (run_zim("lines", "k").exit_code, run_zim("games", "--where", "stones > 0").exit_code) == (0, 0)
    damage_line(store_url)
    with EventStore.open(store_url) as store:
        run_zim = make_zim(GameService(store, games=NIM_ONLY))
        for words, damaged_name, intact_name in (
            (("lines", "k"), "what-if", "main"),
            (("games",), "k", "other"),
            (("games", "--where", "stones > 0"), "k", "other"),
        ):
            result = run_zim(*format_options, *words)
            assert (result.exit_code, f"can't read {damaged_name}" in result.stderr) == (4, True), result.output
            assert intact_name in result.stdout, "the others are listed"
            if format_options:
                document = msgspec.json.decode(result.stdout)
                damaged_by_name = {line["name"]: line["damaged"] for line in document.get("games") or document["lines"]}
                assert damaged_by_name == {intact_name: False, damaged_name: True}


def test_a_game_of_a_kind_that_is_not_installed_is_no_damage(tmp_path: Path) -> None:
    store_url = f"sqlite:///{tmp_path}/games.db"
    with EventStore.open(store_url) as store:
        make_zim(GameService(store, games=NIM_ONLY))("new", "k", "game=nim", "seed=7")
    with EventStore.open(store_url) as store:
        result = make_zim(GameService(store))("games")
        assert (result.exit_code, "there is no kind of game called 'nim'" in result.stdout) == (0, True)
