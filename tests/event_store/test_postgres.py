"""The PostgreSQL backend fulfils the contract, creates its tables once, and reports damage."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import count, pairwise
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from event_store import EventStore, StoreError
from event_store.backends.postgres import MAX_CONNECTIONS
from event_store.chain import is_seal
from event_store.export import export_lines, import_lines
from tests.event_store.contract import DurableContract
from tests.event_store.diary import AT, Noted, note, open_diary
from tests.postgres import PostgresAdmin


def recorder_of(store: EventStore) -> Any:
    return store._backend.recorder


class TestPostgres(DurableContract):
    @pytest.fixture
    def url(self, postgres_store: str) -> str:
        return postgres_store


@pytest.mark.parametrize(("server_setting", "used_setting"), [("off", "on"), ("local", "local"), ("on", "on")])
def test_a_write_waits_for_the_disk_whatever_the_server_s_setting(
    postgres_store: str, server_setting: str, used_setting: str
) -> None:
    """A trigger reads the settings inside the transaction that stores a row."""
    url, _, schema = postgres_store.partition("?schema=")
    with psycopg.connect(url) as connection:
        connection.execute(
            f"CREATE TABLE {schema}.seen (value text);"
            f"CREATE FUNCTION {schema}.look() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO {schema}.seen"
            " SELECT current_setting(''synchronous_commit''); RETURN NULL; END';"
            f"CREATE TRIGGER look AFTER INSERT ON {schema}.stored_events FOR EACH STATEMENT"
            f" EXECUTE FUNCTION {schema}.look()"
        )
    with open_diary(f"{postgres_store}&options=-csynchronous_commit%3D{server_setting}") as store:
        store.append("a", -1, [Noted("one")], by="ann", at=AT)
        store.append("a", 1, [Noted("two")], by="ann", at=AT, projection=b"of two")
    with psycopg.connect(url) as connection:
        assert connection.execute(f"SELECT DISTINCT value FROM {schema}.seen").fetchall() == [(used_setting,)]


@pytest.mark.parametrize(
    ("option", "environment"),
    [
        ("client_encoding=SQL_ASCII", ""),
        ("options=-cclient_encoding%3DSQL_ASCII", ""),
        ("", "SQL_ASCII"),
        ("", "LATIN1"),
    ],
)
def test_text_is_read_as_it_was_stored_whatever_encoding_is_set(
    postgres_store: str, monkeypatch: pytest.MonkeyPatch, option: str, environment: str
) -> None:
    """With the encoding SQL_ASCII the driver would return bytes, and a sound store would look damaged."""
    if environment:
        monkeypatch.setenv("PGCLIENTENCODING", environment)
    with open_diary(f"{postgres_store}&{option}") as store:
        entry = note(store, "ü", -1, "ümlaut 𝄞", by="ñ")
    with open_diary(f"{postgres_store}&{option}") as store:
        assert [each.digest for each in store.read("ü")] == [entry.digest]
        assert store.streams() == ["ü"]


def test_a_database_without_encoding_stores_any_text(postgres_schema: str) -> None:
    url, _, name = postgres_schema.partition("?schema=")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING SQL_ASCII LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        try:
            with open_diary(urlsplit(url)._replace(path=f"/{name}").geturl()) as store:
                store.create()
                entry = note(store, "ü", -1, "ümlaut 𝄞", by="ñ")
                assert [each.digest for each in store.read("ü")] == [entry.digest]
        finally:
            admin.execute(f"DROP DATABASE {name}")


def test_tables_are_made_once_when_many_create_them(postgres_schema: str) -> None:
    def create_tables(_: int) -> None:
        with open_diary(postgres_schema) as store:
            store.create()

    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(create_tables, range(8)))) == 8
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


def test_a_missing_server_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("event_store.backends.postgres.time", None)  # nothing to wait with
    with open_diary("postgresql://ann:secret@127.0.0.1:9/games") as store, pytest.raises(StoreError) as error:
        list(store.read("a"))
    assert error.value.what == "can't read the store postgresql://ann@127.0.0.1:9/games"
    assert "Connection refused" in error.value.why


@pytest.mark.parametrize("url", ["postgresql://localhost/games?colour=red", "postgresql://[::1", "postgresql://"])
def test_a_url_that_the_driver_can_t_read_is_reported(url: str) -> None:
    with pytest.raises(StoreError, match="not a URL of PostgreSQL") as error:
        EventStore.open(url)
    assert "\n" not in error.value.why


def test_a_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "event_store.backends.postgres", None)
    monkeypatch.setattr("event_store.extras.absent_distributions", lambda extra: ["psycopg-pool"])
    with pytest.raises(StoreError, match="the extra `postgres` is not installed: it lacks psycopg-pool") as error:
        EventStore.open("postgresql://localhost/games")
    assert error.value.hints == ("pip install 'great-zim[postgres]'",)


def test_interleaved_entries_of_many_writers_are_exported_whole(postgres_store: str) -> None:
    def write(stream: str) -> None:
        with open_diary(postgres_store) as store:
            for revision in range(-1, 40 * 11 - 1, 11):
                note(store, stream, revision, *["one of ten"] * 10)

    def is_interleaved(store: EventStore) -> bool:
        """Whether rows of one entry lie among those of others."""
        rows = [(row, stream) for stream, row in store._backend.all_rows()]
        return any(stream != next_stream and not is_seal(row) for (row, stream), (_, next_stream) in pairwise(rows))

    streams = list[str]()
    with open_diary(postgres_store) as store, open_diary("memory:") as copy, ThreadPoolExecutor(8) as pool:
        while not is_interleaved(store):  # where the machine is busy writers may come one after another
            assert len(streams) < 8 * 30, "they never met"
            new_streams = [f"{letter}{len(streams)}" for letter in "abcdefgh"]
            list(pool.map(write, new_streams))
            streams += new_streams
        assert import_lines(copy, export_lines(store)) == len(streams) * 40
        for stream in streams:
            assert [each.digest for each in copy.read(stream)] == [each.digest for each in store.read(stream)]


def test_an_export_is_of_one_moment_even_while_others_write(
    postgres_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every stream that it names is in it: a stream is named after it was written."""
    monkeypatch.setattr("event_store.backends.postgres.ROWS_PER_PAGE", 7)
    finished = Event()

    def write(name: str) -> None:
        with open_diary(postgres_store) as store:
            for number in count():
                if finished.is_set():
                    return
                note(store, f"{name}-{number}", -1, "written")
                note(store, f"names-{name}", 2 * number - 1, f"{name}-{number}")

    with ThreadPoolExecutor(4) as pool, open_diary(postgres_store) as store:
        pending_writes = [pool.submit(write, name) for name in ("a", "b", "x", "z")]
        try:
            names: set[str] = set()
            for pages in count():
                if pages >= 20 and len(names) > 4:
                    break
                entries = list(store.all_entries())
                streams = {entry.stream for entry in entries}
                names = {event.text for each in entries if each.stream.startswith("names") for event in each.events}  # type: ignore[attr-defined]
                assert names <= streams
        finally:
            finished.set()
        assert len(names) > 4
        assert [each.result() for each in pending_writes] == [None] * 4


def write_many(store: EventStore, stream_numbers: Iterable[int], expected_error: type[Exception] | None = None) -> None:
    """Appends to numbered streams at once, each in its own thread; each has to raise an `expected_error`."""

    def write(stream_number: int) -> None:
        with pytest.raises(expected_error, match="Connection refused") if expected_error else nullcontext():
            note(store, f"stream-{stream_number}", -1, "one")

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(write, stream_numbers))


@pytest.fixture
def postgres_admin(postgres_store: str) -> Iterator[PostgresAdmin]:
    postgres_admin = PostgresAdmin(postgres_store)
    yield postgres_admin
    postgres_admin.admin_connection.close()


@pytest.fixture
def store(postgres_admin: PostgresAdmin) -> Iterator[EventStore]:
    with open_diary(postgres_admin.store_url) as store:
        yield store


def test_many_threads_share_a_limited_number_of_connections(store: EventStore, postgres_admin: PostgresAdmin) -> None:
    with ThreadPoolExecutor(1) as pool, postgres_admin.hold_writers():
        pending_writes = pool.submit(write_many, store, range(40))
        postgres_admin.wait_for_locks(count=MAX_CONNECTIONS)
        assert postgres_admin.count_connections() == MAX_CONNECTIONS
    pending_writes.result()
    assert len(list(store.all_entries())) == 40
    assert postgres_admin.count_connections() == MAX_CONNECTIONS


def test_waiting_too_long_for_a_connection_is_an_error(
    postgres_admin: PostgresAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("event_store.backends.postgres.POOL_TIMEOUT", 0.3)
    with open_diary(postgres_admin.store_url) as store:
        with ThreadPoolExecutor(1) as pool, postgres_admin.hold_writers():
            pool.submit(write_many, store, range(MAX_CONNECTIONS))
            postgres_admin.wait_for_locks(count=MAX_CONNECTIONS)
            with pytest.raises(StoreError, match="couldn't get a connection") as error:
                list(store.read("stream-0"))
        assert error.value.hints == ("the database server is busy: try again",)
        assert len(list(store.all_entries())) == MAX_CONNECTIONS


def test_one_retry_is_enough_when_all_connections_broke(
    store: EventStore, postgres_admin: PostgresAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadPoolExecutor(1) as pool, postgres_admin.hold_writers():
        pool.submit(write_many, store, range(MAX_CONNECTIONS))
        postgres_admin.wait_for_locks(count=MAX_CONNECTIONS)
    assert postgres_admin.break_connections() == MAX_CONNECTIONS
    monkeypatch.setattr("event_store.backends.postgres.RETRY_DELAYS", (0.0,))
    note(store, "after", -1, "one")
    write_many(store, range(100, 140))
    assert postgres_admin.count_connections() <= MAX_CONNECTIONS


def test_all_waiting_threads_fail_at_once_when_the_server_is_gone(
    store: EventStore, postgres_admin: PostgresAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(store, range(4))
    monkeypatch.setattr("event_store.backends.postgres.RETRY_DELAYS", (0.0,))
    connections = recorder_of(store).pool
    conninfo, connections.conninfo = connections.conninfo, "host=127.0.0.1 port=9"
    postgres_admin.break_connections()
    connections.timeout = 1000.0
    write_many(store, range(100, 140), expected_error=StoreError)
    connections.conninfo = conninfo
    write_many(store, range(100, 140))


def test_another_program_s_lock_is_waited_for_and_then_reported(
    postgres_admin: PostgresAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("event_store.backends.postgres.LOCK_TIMEOUT", "100ms")
    with open_diary(postgres_admin.store_url) as store:
        with postgres_admin.hold_writers(), pytest.raises(StoreError, match="lock timeout") as error:
            note(store, "a", -1, "one")
        assert error.value.hints == ("another program is writing to it: try again",)
        note(store, "a", -1, "one")


def test_writers_of_different_streams_do_not_wait_for_each_other(postgres_admin: PostgresAdmin) -> None:
    """A writer has stored a row without committing it: only a writer of the same row waits."""
    insert_sql = f"INSERT INTO {postgres_admin.schema}.stored_events (originator_id, originator_version, topic, state)"
    with open_diary(postgres_admin.store_url) as store, ThreadPoolExecutor(1) as pool:
        with postgres_admin.other_writer() as writer:
            writer.execute(insert_sql + " VALUES ('a', 0, 'diary.noted.1', '')")
            note(store, "b", -1, "one")
            waiting_write = pool.submit(note, store, "a", -1, "one")
            postgres_admin.wait_for_locks(count=1)
            note(store, "b", 1, "two")
        assert waiting_write.result().revision == 1
