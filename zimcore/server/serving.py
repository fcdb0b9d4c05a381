"""The server process: it listens, logs lines of JSON, and shuts down cleanly at a signal."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import uvicorn
from litestar import Litestar

from event_store import EventStore
from zimcore.game import GameError
from zimcore.server import demo
from zimcore.server.app import DEFAULTS, POSTGRES_PREFIXES, Settings, make_app
from zimcore.server.endpoints.dispatcher import Dispatcher
from zimcore.server.news.notice_kinds import read_kinds
from zimcore.server.wire.monitoring import log_to
from zimcore.server.wire.protocol import Protocol
from zimcore.server.work.workers import OpenService
from zimcore.service import GameService

SHUTDOWN_SECONDS = 20
"""Seconds to finish open requests, when the server is stopped."""
SWITCH_SECONDS = 0.0002
"""Seconds after which a thread that computes lets another one run. A move waits for it at each call of SQLite, and a
read does so at least once; Python's default is 5 ms."""


class Server(uvicorn.Server):
    """Uvicorn's server, which ends feeds at shutdown: it would wait for them forever."""

    def __init__(self, config: uvicorn.Config, dispatcher: Dispatcher, on_ready: Callable[[str], None]) -> None:
        super().__init__(config)
        self.dispatcher = dispatcher
        self.on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts to listen, and calls `on_ready` with the URL."""
        await super().startup(sockets)
        if not self.should_exit:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self.on_ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the feeds, refuses new clients, finishes open requests."""
        self.dispatcher.feeds.close()
        await super().shutdown(sockets)


def make_settings(
    notices_path: Path | None,
    analyses_folder: Path,
    host_names: Sequence[str],
    *,
    is_lan: bool = False,
    direct_url: str = "",
    open_play: bool = False,
    push_key_path: Path = Path("push.pem"),
) -> Settings:
    """The settings of a server that answers to these host names, with the kinds of notices in a file, if given.

    The key for Web Push is in the file `push_key_path`.

    Raises `GameError` for a bad file.
    """
    study_processes = 2 if (os.cpu_count() or 1) >= 4 else 1
    return Settings(
        notice_kinds=read_kinds(notices_path, push_key_path) if notices_path else {},
        analyses_folder=analyses_folder,
        is_lan=is_lan,
        study_processes=study_processes,
        host_names=tuple(filter(None, host_names)),
        direct_url=direct_url,
        open_play=open_play,
    )


def check_direct_url(address: str, direct_url: str) -> None:
    """Raises `GameError` or `StoreError` if `direct_url` is no other way to the database of the store."""
    if not (address.startswith(POSTGRES_PREFIXES) and direct_url.startswith(POSTGRES_PREFIXES)):
        why = "it is for a store on PostgreSQL that is reached by a connection pool"
        raise GameError("--direct is not for this store", why, ["zim serve"])
    from event_store.backends import signals

    signals.check_direct_url(address, direct_url)


def begin_demo(store: EventStore) -> Callable[[str], str]:
    """Begins a game to try a server with; returns a function that, given the URL, says what to type."""
    game, links = demo.begin_demo_game(GameService(store))
    return lambda url: demo.paste_text(game, links, url)


def serve(
    open_service: OpenService,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    settings: Settings = DEFAULTS,
    *,
    is_quiet: bool = False,
) -> None:
    """Serves a store until the process gets a signal, then ends the process.

    A quiet server (`is_quiet`) logs no requests, so that what it has printed stays on the screen.

    Raises `StoreError` if the store can't be read, and `GameError` if it can't listen there.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    service = open_service()
    service.game_names()
    address = service.store.full_url
    service.store.close()
    if settings.direct_url:
        check_direct_url(address, settings.direct_url)
    log_to(sys.stderr, logging.WARNING if is_quiet else logging.INFO)
    app: Litestar = make_app(open_service, settings, address)
    with listening_socket(host, port) as listener:
        # After its shutdown uvicorn raises the signal again: `exit_on_signal` then closes all else.
        for signal_number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signal_number, exit_on_signal)
        Server(uvicorn_config(app), app.state.dispatcher, on_ready).run([listener])


def uvicorn_config(app: Litestar) -> uvicorn.Config:
    """The uvicorn configuration for the application."""
    return uvicorn.Config(
        app,
        loop="auto",  # uvloop, which Windows lacks
        http=Protocol,
        log_config=None,
        access_log=False,  # it would log whole addresses
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        timeout_keep_alive=15,
        ws="none",
        lifespan="on",
    )


def listening_socket(host: str, port: int, command: str = "serve") -> socket.socket:
    """A listening socket. Raises `GameError`, with a hint for the `zim` command that listens."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        # asyncio sets this for sockets of its own. Without it the end of each answer waits 40 ms for the client.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise GameError(f"can't listen at {host}:{port}", why, [f"zim {command} --listen {host}:0"]) from error


def exit_on_signal(*_: object) -> NoReturn:
    """Signal handler: exits with 0. Uvicorn has finished open requests by then, or has not started."""
    raise SystemExit(0)
