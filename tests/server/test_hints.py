"""Wake-up signals between processes on PostgreSQL, after broken connections and behind a connection pool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from event_store import StoreError
from event_store.backends.signals import Signals, check_direct
from tests.bouncer import bouncer_url, free_port
from tests.server.test_feeds import feed_client, listening
from zimcore.game import GameError
from zimcore.server import serving
from zimcore.server.app import hinting
from zimcore.server.feeds import Feeds


def test_a_hint_is_heard_by_others_and_again_after_a_broken_connection(postgres_store: str) -> None:
    url = f"{postgres_store}&application_name=hints-of-{postgres_store[-12:]}"
    hints, own = asyncio.Queue[str](), asyncio.Queue[str]()

    async def wait_for_signal(here: Signals, game: str) -> None:
        while hints.empty():  # until both listen
            here.send(game)
            await asyncio.sleep(0.05)
        assert await hints.get() == game
        while not hints.empty():
            hints.get_nowait()

    async def run() -> None:
        here, there = Signals(url, own.put_nowait, 0.05), Signals(url, hints.put_nowait, 0.05)
        async with asyncio.timeout(60):
            tasks = [asyncio.create_task(each.run()) for each in (here, there)]
            await wait_for_signal(here, "kilwa-7")
            await asyncio.to_thread(break_connections, postgres_store)
            await wait_for_signal(here, "zulu-1")
            assert own.empty(), "nobody is told what they have said themselves"
            for task in tasks:
                task.cancel()

    asyncio.run(run())


def break_connections(store: str) -> None:
    """Breaks all connections of the test."""
    with psycopg.connect(store.partition("?")[0], autocommit=True) as admin:
        name = (f"hints-of-{store[-12:]}",)
        admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s", name)


def test_behind_a_pool_there_are_none(postgres_store: str, program: Callable[..., str]) -> None:
    with bouncer_url(postgres_store, program("pgbouncer", "/usr/sbin/pgbouncer")) as url:
        asyncio.run(asyncio.wait_for(Signals(url, print).run(), 60))


def test_a_direct_url_passes_hints_by_the_pool(postgres_store: str, program: Callable[..., str]) -> None:
    """The schema is that of the store: it names the channel."""
    direct = postgres_store.partition("?")[0]
    with bouncer_url(postgres_store, program("pgbouncer", "/usr/sbin/pgbouncer")) as pooled:
        check_direct(pooled, direct)
        with pytest.raises(StoreError, match="leads to a connection pool"):
            check_direct(pooled, pooled)
        with pytest.raises(StoreError, match="another database"):
            check_direct(pooled, make_conninfo(direct, dbname="postgres"))
        with pytest.raises(StoreError, match="can't listen"):
            check_direct(pooled, f"postgresql://127.0.0.1:{free_port()}/nowhere")

        async def run() -> None:
            hints = asyncio.Queue[str]()
            here = Signals(pooled, print, 0.05, direct)
            there = Signals(postgres_store, hints.put_nowait, 0.05)
            async with asyncio.timeout(60):
                tasks = [asyncio.create_task(each.run()) for each in (here, there)]
                while hints.empty():
                    here.send("kilwa-7")
                    await asyncio.sleep(0.05)
                for task in tasks:
                    task.cancel()

        asyncio.run(run())


def test_a_direct_url_is_for_postgres() -> None:
    with pytest.raises(GameError, match="not for this store"):
        serving.check_direct("sqlite:////tmp/games.db", "postgresql://127.0.0.1/zim")


def test_a_hint_lets_a_feed_look_long_before_it_would(tmp_path: Path, postgres_store: str) -> None:
    with listening(tmp_path, poll=3600) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            other = Signals(postgres_store, print)
            tasks = [hinting(postgres_store, feeds), asyncio.create_task(other.run())]
            ann = await feed_client(feeds, listener)
            await ann.receive()
            await asyncio.to_thread(listener.play, "take 1")
            move = asyncio.create_task(ann.until(1))
            while not move.done():
                other.send(listener.game)
                await asyncio.sleep(0.05)
            assert ann.moves == [1]
            for task in tasks:
                assert task
                task.cancel()

        asyncio.run(loop_(listen_and_check))
