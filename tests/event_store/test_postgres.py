"""The store on PostgreSQL fulfils the contract; its tables are made once, and what is wrong is told."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from event_store import EventStore, StoreError
from tests.event_store.contract import DurableContract
from tests.event_store.diary import note, open_diary


class TestPostgres(DurableContract):
    @pytest.fixture
    def url(self, postgres_store: str) -> str:
        return postgres_store


def test_tables_are_made_once_however_many_begin(postgres_schema: str) -> None:
    def begin(_: int) -> None:
        with open_diary(postgres_schema) as store:
            store.create()

    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(begin, range(8)))) == 8
    with open_diary(postgres_schema) as store:
        note(store, "a", -1, "one")
        store.create()
        assert len(list(store.read("a"))) == 1


def test_a_database_without_tables_says_how_to_make_them(postgres_schema: str) -> None:
    with open_diary(postgres_schema) as store, pytest.raises(StoreError, match="does not exist") as error:
        list(store.read("a"))
    assert error.value.hints == (f"make the tables: zim --store {postgres_schema} db init",)
    with open_diary(postgres_schema) as store, pytest.raises(StoreError, match="does not exist"):
        note(store, "a", -1, "one")


def test_a_server_that_is_not_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("event_store.backends.postgres.time", None)  # nothing to wait with
    with open_diary("postgresql://ann:secret@127.0.0.1:9/games") as store, pytest.raises(StoreError) as error:
        list(store.read("a"))
    assert error.value.what == "can't read the store postgresql://ann@127.0.0.1:9/games"
    assert "Connection refused" in error.value.why


def test_a_url_that_the_driver_can_t_read_is_told() -> None:
    with pytest.raises(StoreError, match="this is no url of PostgreSQL"):
        EventStore.open("postgresql://localhost/games?colour=red")


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "event_store.backends.postgres", None)
    with pytest.raises(StoreError, match="PostgreSQL needs more than is installed") as error:
        EventStore.open("postgresql://localhost/games")
    assert error.value.hints == (f"{sys.executable} -m pip install 'zim[postgres]'",)


def test_the_numbers_of_rows_are_in_the_order_of_the_commits(postgres_store: str) -> None:
    def write(stream: str) -> None:
        with open_diary(postgres_store) as store:
            for revision in range(-1, 19, 2):
                note(store, stream, revision, stream)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd"))
    schema = postgres_store.partition("schema=")[2]
    with psycopg.connect(postgres_store.partition("?")[0]) as connection:
        rows = connection.execute(
            f"SELECT xmin::text, notification_id FROM {schema}.stored_events ORDER BY notification_id"
        ).fetchall()
    transactions = [xmin for xmin, _ in rows]
    assert transactions[::2] == transactions[1::2], "an entry's rows stand together"
    assert len(set(transactions)) == 40


def test_another_program_s_lock_is_waited_for_and_then_told(postgres_store: str) -> None:
    url, _, schema = postgres_store.partition("?schema=")
    short = f"{postgres_store}&options=-c%20lock_timeout%3D100"
    with psycopg.connect(url) as other, open_diary(short) as store:
        other.execute(f"LOCK TABLE {schema}.stored_events IN EXCLUSIVE MODE")
        with pytest.raises(StoreError, match="lock timeout") as error:
            note(store, "a", -1, "one")
        assert error.value.hints == ("another program is writing to it: try again",)
        other.rollback()
        note(store, "a", -1, "one")
