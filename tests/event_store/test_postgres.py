"""The store on PostgreSQL fulfils the contract; its tables are made once, and what is wrong is told."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import psycopg
import pytest

from event_store import EventStore, StoreError
from event_store.backends.postgres import CONNECTIONS
from tests.event_store.contract import DurableContract
from tests.event_store.diary import note, open_diary
from tests.postgres import Server


def recorder_of(store: EventStore) -> Any:
    return store._backend.recorder


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
    assert error.value.hints == ("pip install 'zim[postgres]'",)


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


def write_many(store: EventStore, streams: Iterable[int], fails: type[Exception] | None = None) -> None:
    """Appends to streams, all at once and each in a thread of its own; each has to fail so, if one is named."""

    def write(stream: int) -> None:
        with pytest.raises(fails, match="Connection refused") if fails else nullcontext():
            note(store, f"stream-{stream}", -1, "one")

    with ThreadPoolExecutor(40) as threads:
        list(threads.map(write, streams))


@pytest.fixture
def server(postgres_store: str) -> Iterator[Server]:
    server = Server(postgres_store)
    yield server
    server.admin.close()


@pytest.fixture
def store(server: Server) -> Iterator[EventStore]:
    with open_diary(server.store) as store:
        yield store


def test_however_many_threads_there_are_only_so_many_connections(store: EventStore, server: Server) -> None:
    with ThreadPoolExecutor(1) as pool, server.held(recorder_of(store)._lock):
        writing = pool.submit(write_many, store, range(40))
        server.wait_for(waiting=CONNECTIONS)
        assert server.connections() == CONNECTIONS
    writing.result()
    assert len(list(store.everything())) == 40
    assert server.connections() == CONNECTIONS


def test_who_waits_for_a_connection_too_long_is_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("event_store.backends.postgres.WAIT", 0.3)
    with open_diary(server.store) as store:
        with ThreadPoolExecutor(1) as pool, server.held(recorder_of(store)._lock):
            pool.submit(write_many, store, range(CONNECTIONS))
            server.wait_for(waiting=CONNECTIONS)
            with pytest.raises(StoreError, match="couldn't get a connection") as error:
                list(store.read("stream-0"))
        assert error.value.hints == ("too much goes on at once: try again",)
        assert len(list(store.everything())) == CONNECTIONS


def test_one_more_try_is_enough_however_many_connections_have_broken(
    store: EventStore, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadPoolExecutor(1) as pool, server.held(recorder_of(store)._lock):
        pool.submit(write_many, store, range(CONNECTIONS))
        server.wait_for(waiting=CONNECTIONS)
    assert server.kill() == CONNECTIONS
    monkeypatch.setattr("event_store.backends.postgres.PAUSES", (0.0,))
    note(store, "after", -1, "one")
    write_many(store, range(100, 140))
    assert server.connections() <= CONNECTIONS


def test_all_who_wait_are_told_at_once_that_the_server_is_gone(
    store: EventStore, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(store, range(4))
    monkeypatch.setattr("event_store.backends.postgres.PAUSES", (0.0,))
    connections = recorder_of(store).connections
    conninfo, connections.conninfo = connections.conninfo, "host=127.0.0.1 port=9"
    server.kill()
    connections.timeout = 1000.0
    write_many(store, range(100, 140), fails=StoreError)
    connections.conninfo = conninfo
    write_many(store, range(100, 140))


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
