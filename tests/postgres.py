"""A PostgreSQL server as its administrator sees it, and the connections that a store has to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg


def why_unusable(url: str) -> str:
    """Why a server can't be used; "" if it can."""
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        return f"no PostgreSQL at {url} (set ZIM_TEST_POSTGRES): {error}"
    return ""


@contextmanager
def temporary_schema(url: str) -> Iterator[str]:
    """The URL of a new and empty schema, which is dropped at the end."""
    schema_name = f"zim_test_{uuid4().hex[:12]}"
    try:
        yield f"{url}?schema={schema_name}"
    finally:
        with psycopg.connect(url) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {schema_name} CASCADE")


class PostgresAdmin:
    """The administrator of a store's server, who counts and breaks the connections named after the store's schema."""

    def __init__(self, store_url: str) -> None:
        url, _, self.schema = store_url.partition("?schema=")
        self.store_url = f"{store_url}&application_name={self.schema}"
        self.admin_connection = psycopg.connect(url, autocommit=True)

    def count_connections(self, expression: str = "pid") -> int:
        """The number of connections for which an SQL expression is not NULL; by default of all."""
        query = f"SELECT count({expression}) FROM pg_stat_activity WHERE application_name = %s"
        (connection_count,) = self.admin_connection.execute(query, (self.schema,)).fetchone() or (0,)
        return int(connection_count)

    def break_connections(self) -> int:
        """Breaks all connections, and returns how many it broke."""
        return self.count_connections("pg_terminate_backend(pid, 5000)")  # in ms: returns when they are gone

    def wait_for_locks(self, count: int) -> None:
        """Returns when at least `count` connections wait for a lock."""
        while self.count_connections("nullif(wait_event_type = 'Lock', false)") < count:
            time.sleep(0.01)

    @contextmanager
    def hold_writers(self) -> Iterator[None]:
        """Makes all writers of the store wait until the block ends."""
        with self.other_writer() as writer:
            writer.execute(f"LOCK TABLE {self.schema}.stored_events IN EXCLUSIVE MODE")
            yield

    @contextmanager
    def other_writer(self) -> Iterator[psycopg.Connection]:
        """A transaction of another writer, which is rolled back at the end.

        It has a connection of its own: within a transaction `wait_for_locks` would see the same activity all the time.
        """
        with psycopg.connect(self.admin_connection.info.dsn, password=self.admin_connection.info.password) as writer:
            yield writer
            writer.rollback()
