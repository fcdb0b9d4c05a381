"""Hints between processes on one PostgreSQL: that something has happened, by a name. The truth is what is stored.

A hint lets others look at once, instead of after a while; one that is lost costs them no more than that. It is sent
after what it is about was stored, on a connection of its own: a NOTIFY within those transactions would let all writers
of the database wait for one another.

In other words: LISTEN/NOTIFY, pub/sub, subscription.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeAlias

import psycopg
from psycopg.sql import SQL, Identifier

from event_store.backends.postgres import read_url

Connection: TypeAlias = psycopg.AsyncConnection[Any]

RECONNECT_DELAY = 5.0
"""Seconds until a connection that broke is made anew."""

log = logging.getLogger("zim.store")


class Signals:
    """Tells other processes of what something has happened to, and hears it of them."""

    def __init__(self, url: str, heard: Callable[[str], None], pause: float = RECONNECT_DELAY) -> None:
        self._conninfo, schema = read_url(url)
        self._channel = f"zim {schema}".strip()
        self._heard = heard
        self._pause = pause
        self._names: dict[str, None] = {}
        self._news = asyncio.Event()

    def tell(self, name: str) -> None:
        """Says that something has happened to what has that name, as soon as there is time."""
        self._names[name] = None
        self._news.set()

    async def run(self) -> None:
        """Tells and hears until it is cancelled; or ends, where a pool stands before the database."""
        while True:
            try:
                async with await self._connect() as ear, await self._connect() as mouth:
                    if await is_pooled(ear):
                        log.info(
                            "no wake-up signals from other processes: a connection pool is in front of the database"
                        )
                        return
                    async with asyncio.TaskGroup() as tasks:
                        tasks.create_task(self._receive(ear, mouth.info.backend_pid))
                        tasks.create_task(self._say(mouth))
            except* psycopg.Error:
                log.info("no wake-up signals from other processes for now")
            await asyncio.sleep(self._pause)

    async def _connect(self) -> Connection:
        # Nothing is prepared, and each statement is a transaction of its own.
        return await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True, prepare_threshold=None)

    async def _receive(self, ear: Connection, own: int) -> None:
        await ear.execute(SQL("LISTEN {}").format(Identifier(self._channel)))
        async for notify in ear.notifies():
            if notify.pid != own:
                self._heard(notify.payload)

    async def _say(self, mouth: Connection) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            names, self._names = [*self._names], {}
            await mouth.execute("SELECT pg_notify(%s, name) FROM unnest(%s::text[]) AS name", (self._channel, names))


async def is_pooled(connection: Connection) -> bool:
    """Whether a pgbouncer stands between: what it says of the process that serves us is its own invention."""
    found = await (await connection.execute("SELECT pg_backend_pid()")).fetchone()
    return found != (connection.info.backend_pid,)
