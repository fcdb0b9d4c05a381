"""Servers to compare: ours, and peers that do less."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import litestar
from litestar import Litestar, Response
from litestar.datastructures import State

from scripts.benchmarks.server_games import WITHOUT_LIMITS
from zimcore.server.serving import SWITCH_SECONDS, listening_socket, uvicorn_config
from zimcore.service import GameService, open_service

MOVE_MESSAGE = b'{"event":"commit"' + b" " * 1500 + b"}\n"
"""What the bare server tells of a move: as many bytes as ours."""
SPAWN = get_context("spawn")
"""A forked process would inherit locks that threads of this one hold, and sometimes wait forever."""


class ServerUnderTest(NamedTuple):
    """A server in a process of its own."""

    port: int
    pid: int

    def cpu_seconds(self) -> float:
        """CPU seconds that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """KiB of memory that it uses."""
        return int(Path(f"/proc/{self.pid}/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


def our_server(url: str, listener: socket.socket) -> None:
    """Our server."""
    import logging

    import uvicorn

    from zimcore.server.app import make_app

    def open_store() -> GameService:
        return open_service(url)

    sys.setswitchinterval(SWITCH_SECONDS)
    logging.disable(logging.CRITICAL)
    uvicorn.Server(uvicorn_config(make_app(open_store, WITHOUT_LIMITS))).run([listener])


def signalling_server(url: str, listener: socket.socket) -> None:
    """Our server, which signals the others on the same database."""
    import logging

    import uvicorn

    from zimcore.server.app import make_app

    logging.disable(logging.CRITICAL)
    uvicorn.Server(uvicorn_config(make_app(lambda: open_service(url), WITHOUT_LIMITS, url))).run([listener])


def trivial_server(document: bytes, url: str, listener: socket.socket, *, reads_store: bool = False) -> None:
    """A handler of the same library that answers a document; with `reads_store`, after it has read its game's names.

    It reads in a thread, as every answer has to: the store says whether the token is still valid.
    """
    import uvicorn

    thread, services = ThreadPoolExecutor(1), list[GameService]()

    def read_store(game: str) -> None:
        if not services:
            services.append(open_service(url))
        with services[0].store.snapshot_read():
            services[0].prefetch(game)
            services[0].members_and_lines(game)

    @litestar.get("/v1/games/{game:str}/lines/{line:str}")
    async def show(game: str, line: str) -> Response[bytes]:
        if reads_store:
            await asyncio.get_running_loop().run_in_executor(thread, read_store, game)
        return Response(document, media_type="application/json", headers={"ETag": f'"{line}"'})

    @litestar.get("/health")
    async def health() -> str:
        return ""

    state = State({"limits": WITHOUT_LIMITS.limits})  # our protocol looks for them there
    app = Litestar([show, health], openapi_config=None, logging_config=None, state=state)
    uvicorn.Server(uvicorn_config(app)).run([listener])


def bare_server(document: bytes, _: str, listener: socket.socket) -> None:
    """A program that answers a document and does nothing else, under the same server.

    A feed of it gets the document at once, and again for each move that anybody sends.
    """
    import uvicorn

    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(document))]
    queues = set[asyncio.Queue[bytes]]()

    async def feed(send: Any) -> None:
        queue = asyncio.Queue[bytes]()
        queues.add(queue)
        await send({"type": "http.response.start", "status": 200, "headers": headers[:1]})
        await send({"type": "http.response.body", "body": b'"standing"\n', "more_body": True})
        while True:
            await send({"type": "http.response.body", "body": await queue.get(), "more_body": True})

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].endswith("/feed"):
            await feed(send)
            return
        is_move = scope["method"] == "POST"
        for queue in queues if is_move else ():
            queue.put_nowait(document)
        await send({"type": "http.response.start", "status": 201 if is_move else 200, "headers": headers})
        await send({"type": "http.response.body", "body": document})

    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_config=None, access_log=False, lifespan="off")
    uvicorn.Server(config).run([listener])


@contextmanager
def serving(server: Callable[[str, socket.socket], None], url: str) -> Iterator[ServerUnderTest]:
    """A server in a process of its own."""
    with listening_socket("127.0.0.1", 0) as listener:
        process = SPAWN.Process(target=server, args=(url, listener))
        process.start()
        assert process.pid
        try:
            urlopen(f"http://127.0.0.1:{listener.getsockname()[1]}/health", timeout=60).read()
            yield ServerUnderTest(listener.getsockname()[1], process.pid)
        finally:
            process.kill()
            process.join()
