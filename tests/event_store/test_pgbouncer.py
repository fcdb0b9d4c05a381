"""A store behind the real pgbouncer, which gives a connection to another client after each transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from event_store import ConflictError
from event_store.export import export_lines, import_lines
from tests.event_store.diary import note, open_diary
from tests.event_store.test_chain import fill, verify_streams
from tests.pgbouncer import bouncer_url


@pytest.fixture
def url(postgres_schema: str, find_program: Callable[..., str]) -> Iterator[str]:
    """An empty store behind a pgbouncer of the test's own."""
    with bouncer_url(postgres_schema, find_program("pgbouncer", "/usr/sbin/pgbouncer")) as url:
        yield url


def test_the_bouncer_shares_connections(url: str) -> None:
    """Shows that the tests below can fail: pgbouncer allows no startup parameters or prepared statements."""
    address = url.partition("?")[0]
    with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter"):
        psycopg.connect(address, options="-c lock_timeout=5s")

    def prepare() -> None:
        for _ in range(3):
            with psycopg.connect(address) as connection:
                connection.execute("SELECT 1", prepare=True)

    with pytest.raises(psycopg.errors.DuplicatePreparedStatement):
        prepare()


def test_a_store_works_behind_the_bouncer(url: str) -> None:
    with open_diary(url) as store, open_diary("memory:") as copy:
        store.create()
        store.create()
        fill(store)
        verify_streams(store)
        store.check_database()
        with pytest.raises(ConflictError):
            note(store, "line", -1, "too late")
        assert import_lines(copy, export_lines(store)) == import_lines(store, export_lines(copy)) == 7


def test_many_writers_and_readers_share_the_bouncer(url: str) -> None:
    def write(stream: str) -> None:
        with open_diary(url) as store:
            for revision in range(-1, 40 * 3 - 1, 3):
                note(store, stream, revision, "one", "two")
                assert len(list(store.read(stream))) == (revision + 1) // 3 + 1
                store.read_streams({stream: -1})

    with open_diary(url) as store:
        store.create()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, "abcdefgh"))
        assert len(list(store.all_entries())) == 8 * 40


def test_a_lock_timeout_does_not_outlive_its_transaction(url: str) -> None:
    """Later users of a connection have their own settings."""
    with open_diary(url) as store, psycopg.connect(url.partition("?")[0], autocommit=True) as connection:
        store.create()
        (timeout_before,) = connection.execute("SHOW lock_timeout").fetchone() or ("",)
        for number in range(20):
            note(store, f"s{number}", -1, "one")
            assert connection.execute("SHOW lock_timeout").fetchone() == (timeout_before,)
