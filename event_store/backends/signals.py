"""Wake-up signals between processes that share a PostgreSQL database: "the game X has changed, read it again".

A signal only makes readers look sooner: a lost one costs a delay, no data. Signals are sent after the change is stored,
on a connection of their own, because a NOTIFY inside the writing transactions would make all writers of the database
wait for one another.

In other words: LISTEN/NOTIFY, pub/sub, subscription.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeAlias

import psycopg
from psycopg.sql import SQL, Identifier

from event_store.backends.postgres import parse_url
from event_store.errors import StoreError

Connection: TypeAlias = psycopg.AsyncConnection[Any]

RECONNECT_DELAY = 5.0
"""Seconds to wait before reconnecting after a connection broke."""

SELECT_PID = "SELECT pg_backend_pid()"
DIRECT_URL_HINTS = ("zim serve --direct postgresql://USER@HOST:5432/DATABASE",)

log = logging.getLogger("zim.store")


class SignalChannel:
    """Sends wake-up signals to other processes and receives theirs: `on_signal` is called with the game in each.

    `url` is that of the store. `direct_url` leads to the same database past a connection pool, as a pool passes no
    signals on.
    """

    def __init__(
        self, url: str, on_signal: Callable[[str], None], reconnect_delay: float = RECONNECT_DELAY, direct_url: str = ""
    ) -> None:
        self._conninfo, schema = parse_url(url)
        if direct_url:
            self._conninfo, _ = parse_url(direct_url)
        self._channel = f"zim {schema}".strip()
        self._on_signal = on_signal
        self._reconnect_delay = reconnect_delay
        self._queued_names: dict[str, None] = {}
        self._has_queued_names = asyncio.Event()

    def send(self, game: str) -> None:
        """Queues a signal that a game has changed; `run` sends it."""
        self._queued_names[game] = None
        self._has_queued_names.set()

    async def run(self) -> None:
        """Sends and receives until cancelled. Returns if there is a connection pool in front of the database."""
        while True:
            try:
                async with await self._connect() as listener, await self._connect() as sender:
                    if await is_pooled(listener):
                        log.info(
                            "no wake-up signals from other processes: a connection pool is in front of the database"
                        )
                        return
                    async with asyncio.TaskGroup() as tasks:
                        tasks.create_task(self._receive(listener, sender.info.backend_pid))
                        tasks.create_task(self._send_queued_signals(sender))
            except* psycopg.Error:
                log.info("no wake-up signals from other processes for now")
            await asyncio.sleep(self._reconnect_delay)

    async def _connect(self) -> Connection:
        # A connection pool allows no prepared statements, and needs each statement in a transaction of its own.
        return await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True, prepare_threshold=None)

    async def _receive(self, listener: Connection, own_pid: int) -> None:
        await listener.execute(SQL("LISTEN {}").format(Identifier(self._channel)))
        async for notification in listener.notifies():
            if notification.pid != own_pid:
                self._on_signal(notification.payload)

    async def _send_queued_signals(self, sender: Connection) -> None:
        while True:
            await self._has_queued_names.wait()
            self._has_queued_names.clear()
            names, self._queued_names = [*self._queued_names], {}
            await sender.execute("SELECT pg_notify(%s, name) FROM unnest(%s::text[]) AS name", (self._channel, names))


def check_direct_url(url: str, direct_url: str) -> None:
    """Raises `StoreError` if `direct_url` leads to another database than `url`, or leads through a connection pool."""
    store_database, _ = _database_and_pooling(url)
    database, is_pooled_connection = _database_and_pooling(direct_url)
    if database != store_database:
        raise StoreError("the direct URL is that of another database", "signals would not be heard", DIRECT_URL_HINTS)
    if is_pooled_connection:
        raise StoreError("the direct URL leads to a connection pool", "it passes no signals on", DIRECT_URL_HINTS)


def _database_and_pooling(url: str) -> tuple[object, bool]:
    """The database that a URL leads to, and whether there is a connection pool in between. Raises `StoreError`."""
    try:
        with psycopg.connect(parse_url(url)[0], prepare_threshold=None) as connection:
            database = connection.execute("SELECT current_database(), pg_postmaster_start_time()").fetchone()
            pid_row = connection.execute(SELECT_PID).fetchone()
            return database, pid_row != (connection.info.backend_pid,)
    except psycopg.Error as error:
        raise StoreError("can't listen to the database", str(error).strip(), DIRECT_URL_HINTS) from error


async def is_pooled(connection: Connection) -> bool:
    """Whether the connection goes through a pgbouncer, which announces an invented process id."""
    pid_row = await (await connection.execute(SELECT_PID)).fetchone()
    return pid_row != (connection.info.backend_pid,)
