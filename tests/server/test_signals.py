"""Wake-up signals between processes on PostgreSQL, after broken connections and behind a connection pool."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from event_store import StoreError
from event_store.backends.signals import SignalChannel, check_direct_url
from tests.pgbouncer import bouncer_url, free_port
from tests.server.test_feeds import feed_client, server_with_feeds
from zimcore.game import GameError
from zimcore.server import serving
from zimcore.server.app import start_signals
from zimcore.server.news.feeds import Feeds


def test_a_signal_reaches_other_processes_also_after_a_broken_connection(postgres_store: str) -> None:
    url = f"{postgres_store}&application_name=hints-of-{postgres_store[-12:]}"
    received_signals, own_signals = asyncio.Queue[str](), asyncio.Queue[str]()

    async def wait_for_signal(sender: SignalChannel, game: str) -> None:
        while received_signals.empty():  # until both listen
            sender.send(game)
            await asyncio.sleep(0.05)
        assert await received_signals.get() == game
        while not received_signals.empty():
            received_signals.get_nowait()

    async def send_and_receive() -> None:
        sender, receiver = (
            SignalChannel(url, own_signals.put_nowait, 0.05),
            SignalChannel(url, received_signals.put_nowait, 0.05),
        )
        async with asyncio.timeout(60):
            tasks = [asyncio.create_task(each.run()) for each in (sender, receiver)]
            await wait_for_signal(sender, "kilwa-7")
            await asyncio.to_thread(break_connections, postgres_store)
            await wait_for_signal(sender, "zulu-1")
            assert own_signals.empty(), "a sender does not receive its own signals"
            for task in tasks:
                task.cancel()

    asyncio.run(send_and_receive())


def break_connections(store: str) -> None:
    """Breaks all connections of the test."""
    with psycopg.connect(store.partition("?")[0], autocommit=True) as admin:
        parameters = (f"hints-of-{store[-12:]}",)
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s", parameters
        )


def test_signals_behind_a_pool_end_at_once(postgres_store: str, find_program: Callable[..., str]) -> None:
    with bouncer_url(postgres_store, find_program("pgbouncer", "/usr/sbin/pgbouncer")) as url:
        asyncio.run(asyncio.wait_for(SignalChannel(url, print).run(), 60))


def test_signals_use_a_direct_url_around_the_pool(postgres_store: str, find_program: Callable[..., str]) -> None:
    """The schema is that of the store: it names the channel."""
    direct_url = postgres_store.partition("?")[0]
    with bouncer_url(postgres_store, find_program("pgbouncer", "/usr/sbin/pgbouncer")) as pool_url:
        check_direct_url(pool_url, direct_url)
        with pytest.raises(StoreError, match="leads to a connection pool"):
            check_direct_url(pool_url, pool_url)
        with pytest.raises(StoreError, match="another database"):
            check_direct_url(pool_url, make_conninfo(direct_url, dbname="postgres"))
        with pytest.raises(StoreError, match="can't listen"):
            check_direct_url(pool_url, f"postgresql://127.0.0.1:{free_port()}/nowhere")

        async def send_and_receive() -> None:
            received_signals = asyncio.Queue[str]()
            sender = SignalChannel(pool_url, print, 0.05, direct_url)
            receiver = SignalChannel(postgres_store, received_signals.put_nowait, 0.05)
            async with asyncio.timeout(60):
                tasks = [asyncio.create_task(each.run()) for each in (sender, receiver)]
                while received_signals.empty():
                    sender.send("kilwa-7")
                    await asyncio.sleep(0.05)
                for task in tasks:
                    task.cancel()

        asyncio.run(send_and_receive())


def test_a_direct_url_is_for_postgres() -> None:
    with pytest.raises(GameError, match="not for this store"):
        serving.check_direct_url("sqlite:////tmp/games.db", "postgresql://127.0.0.1/zim")


def test_a_signal_wakes_a_feed_before_its_poll(tmp_path: Path, postgres_store: str) -> None:
    with server_with_feeds(tmp_path, poll_seconds=3600) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            other_signals = SignalChannel(postgres_store, print)
            tasks = [start_signals(postgres_store, feeds), asyncio.create_task(other_signals.run())]
            ann = await feed_client(feeds, server)
            await ann.receive()
            await asyncio.to_thread(server.play, "take 1")
            move_task = asyncio.create_task(ann.until(1))
            while not move_task.done():
                other_signals.send(server.game)
                await asyncio.sleep(0.05)
            assert ann.move_numbers == [1]
            for task in tasks:
                assert task
                task.cancel()

        asyncio.run(run_with_feeds(listen_and_check))
