"""A proxy on this machine that cuts, delays and doubles requests to a server.

What it does to a request is drawn at random. A feed is passed on for a while, and then cut. Each request gets a
connection of its own to the server, so that a cut never reaches another one.
"""

from __future__ import annotations

import asyncio
import random
import re
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from urllib.parse import urlsplit

OUTCOME_WEIGHTS = {"passed on": 60, "delayed": 12, "doubled": 10, "cut before": 6, "cut half-way": 5, "answer lost": 7}
"""What becomes of a request, with the chance in percent. After `answer lost` the client can't know that its
write was stored."""
MAX_DELAY_SECONDS = 0.4
MAX_FEED_SECONDS = 1.5
"""The most seconds after which a feed is cut."""
TIMEOUT_SECONDS = 30
CHUNK_SIZE = 1 << 16


class ChaosProxy:
    """The proxy of a server, and a count of what it did. Unless it `is_harmful` it passes everything on."""

    def __init__(self, url: str, *, is_harmful: bool, seed: int = 17) -> None:
        url_parts = urlsplit(url)
        self.host, self.port = url_parts.hostname or "", url_parts.port or (443 if url_parts.scheme == "https" else 80)
        self.netloc = url_parts.netloc
        self.tls = ssl.create_default_context() if url_parts.scheme == "https" else None
        self.is_harmful, self.rng, self.outcomes = is_harmful, random.Random(seed), Counter[str]()
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request, or does not."""
        ignored_errors = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError)
        try:
            # At the end of the run tasks are cancelled, which asyncio would print.
            with suppress(*ignored_errors, asyncio.CancelledError):
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    request = await self.read_request(reader)
                    await self.handle(request, writer)
        finally:
            writer.close()

    async def read_request(self, reader: asyncio.StreamReader) -> bytes:
        """A request, addressed to the server, after which the connection ends."""
        head = await reader.readuntil(b"\r\n\r\n")
        length_match = re.search(rb"(?im)^content-length: *(\d+)", head)
        body = await reader.readexactly(int(length_match[1])) if length_match else b""
        head = re.sub(rb"(?im)^(host|connection):.*\r\n", b"", head)
        request_line, _, header_bytes = head.partition(b"\r\n")
        return b"%s\r\nHost: %s\r\nConnection: close\r\n%s%s" % (request_line, self.netloc.encode(), header_bytes, body)

    async def handle(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        """Draws an outcome and applies it to the request."""
        is_feed = b"/feed" in request.partition(b"\r\n")[0]
        (outcome,) = (
            self.rng.choices([*OUTCOME_WEIGHTS], [*OUTCOME_WEIGHTS.values()]) if self.is_harmful else ["passed on"]
        )
        self.outcomes[outcome if not is_feed else "feed"] += 1
        if outcome == "cut before":
            return
        if outcome == "delayed":
            await asyncio.sleep(self.rng.uniform(0, MAX_DELAY_SECONDS))
        if outcome == "cut half-way":
            await self.send(request[: len(request) // 2], None)
            return
        if is_feed and self.is_harmful:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.rng.uniform(0.1, MAX_FEED_SECONDS)):
                    await self.send(request, writer)
            return
        deliveries = [self.send(request, None if outcome == "answer lost" else writer)]
        if outcome == "doubled":
            deliveries.append(self.send(request, None))
        await asyncio.gather(*deliveries, return_exceptions=True)

    async def send(self, request: bytes, client_writer: asyncio.StreamWriter | None) -> None:
        """Sends a request to the server. The answer goes to the client, or is dropped if there is none."""
        tls_name = self.host if self.tls else None
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls, server_hostname=tls_name)
        try:
            writer.write(request)
            await writer.drain()
            if client_writer is None and writer.can_write_eof():
                writer.write_eof()
            while chunk := await reader.read(CHUNK_SIZE):
                if client_writer:
                    client_writer.write(chunk)
                    await client_writer.drain()
        finally:
            writer.close()


async def cancel_tasks() -> None:
    """Cancels what still runs, and waits for it."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)  # closed connections are let go of


@contextmanager
def running_proxy(url: str, *, is_harmful: bool) -> Iterator[ChaosProxy]:
    """The proxy of a server, running in a thread; its own address is `url`."""
    proxy, loop = ChaosProxy(url, is_harmful=is_harmful), asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(proxy.serve, "127.0.0.1", 0))
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(server.close)
        asyncio.run_coroutine_threadsafe(cancel_tasks(), loop).result(TIMEOUT_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
