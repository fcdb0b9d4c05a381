"""A whole store at the terminal: who may copy it, and a list of games in which one is missing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import psycopg
import pytest

from event_store import EventStore
from tests.cli.conftest import Zim, runs
from tests.service.table import NIM
from zimcore.service import GameService


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.zim"


@pytest.fixture
def zim(url: str) -> Iterator[Zim]:
    """`zim` on a store with a game that has hidden cards, and one that has none."""
    with EventStore.open(url) as store:
        run = runs(GameService(store))
        for words in (("k", "seed=7"), ("a", "--game", "africana", "players=2", "seed=7")):
            assert run("new", *words).exit_code == 0
        yield run


COPIES = (
    *(("backup", "{0}/copy"), ("db", "salvage", "sqlite:///{0}/copy"), ("export", "--jsonl", "{0}/copy")),
    ("db", "upgrade", "{0}/copy"),
)
"""Commands that write a file with all that is stored."""


@pytest.mark.parametrize("copy", COPIES, ids=lambda words: words[0])
@pytest.mark.parametrize("seat", [(), ("--as", "italy")], ids=["the table", "a seat"])
def test_a_copy_has_nothing_that_is_hidden(
    zim: Zim, copy: tuple[str, ...], seat: tuple[str, ...], tmp_path: Path
) -> None:
    words = [word.format(tmp_path) for word in copy]
    for put_away in ((), ("delete", "a")):  # a game that is deleted is in the copy too
        assert not put_away or zim(*put_away).exit_code == 0
        for typed in ((*seat, *words), (*words, *seat)):
            result = zim(*typed)
            assert (result.exit_code, "would show what is hidden in" in result.stderr) == (2, True), result.output
            assert not (tmp_path / "copy").exists()
    assert zim(*words, "--open").exit_code == 0
    assert (tmp_path / "copy").exists() or "upgrade" in words, "where all is sealed with places nothing is copied"


def test_anybody_may_copy_a_store_without_hidden_cards(tmp_path: Path) -> None:
    with EventStore.open("memory:") as store:
        run = runs(GameService(store))
        run("new", "k", "seed=7")
        assert run("backup", str(tmp_path / "copy")).exit_code == 0


def damage_names(url: str) -> None:
    """Makes the last name in the catalogue unreadable."""
    where = "WHERE originator_id = 'games' AND originator_version = 2"
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
            assert file.execute(f"UPDATE stored_events SET state = x'c1' {where}").rowcount == 1
        return
    address, _, schema = url.partition("?schema=")
    with psycopg.connect(address) as server:
        change = f"UPDATE {schema}.stored_events SET state = '\\xc1'::bytea {where}"
        assert server.execute(change.encode()).rowcount == 1


@pytest.mark.parametrize("words", [(), ("--all",), ("--where", "round >= 0"), ("--archived",), ("--json",)])
def test_a_list_without_a_game_is_no_success(zim: Zim, url: str, words: tuple[str, ...]) -> None:
    assert zim("games", *words).exit_code == 0
    damage_names(url)
    result = runs(GameService(EventStore.open(url)))("games", *words)
    assert (result.exit_code, "a game is missing in this list" in result.stderr) == (4, True), result.output
    assert "k" in result.stdout or "--archived" in words, "the others are listed"


def damage_line(url: str) -> None:
    """Makes a move of a fork unreadable, and deletes what lists have cached about it."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
        where = "WHERE topic LIKE 'nim.stones_taken%' ORDER BY rowid DESC LIMIT 1"
        change = f"UPDATE stored_events SET state = x'c1' WHERE rowid = (SELECT rowid FROM stored_events {where})"
        assert file.execute(change).rowcount == 1
        file.execute("DELETE FROM projections")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_damaged_line_or_game_in_a_list_is_no_success(tmp_path: Path, form: tuple[str, ...]) -> None:
    """The exit code and the document say that its zeros are not real values."""
    url = f"sqlite:///{tmp_path}/games.db"
    with EventStore.open(url) as store:
        run = runs(GameService(store, games=NIM))
        for game in ("k", "other"):
            run("new", game, "game=nim", "seed=7")
        run("fork", "k", "what-if")
        run("do", "k/what-if", "take 1")
        run("switch", "k/what-if")
        assert (run("lines", "k").exit_code, run("games", "--where", "stones > 0").exit_code) == (0, 0)
    damage_line(url)
    with EventStore.open(url) as store:
        run = runs(GameService(store, games=NIM))
        for words, command, others in (
            (("lines", "k"), "what-if", "main"),
            (("games",), "k", "other"),
            (("games", "--where", "stones > 0"), "k", "other"),
        ):
            result = run(*form, *words)
            assert (result.exit_code, f"can't read {command}" in result.stderr) == (4, True), result.output
            assert others in result.stdout, "the others are listed"
            if form:
                first = msgspec.json.decode(result.stdout)
                damaged = {each["name"]: each["damaged"] for each in first.get("games") or first["lines"]}
                assert damaged == {others: False, command: True}


def test_a_game_of_a_kind_that_is_not_installed_is_no_damage(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/games.db"
    with EventStore.open(url) as store:
        runs(GameService(store, games=NIM))("new", "k", "game=nim", "seed=7")
    with EventStore.open(url) as store:
        result = runs(GameService(store))("games")
        assert (result.exit_code, "there is no kind of game called 'nim'" in result.stdout) == (0, True)
