"""Clients that load a server, in a process of their own, and what they measured."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle
from statistics import quantiles
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

from scripts.benchmarks.server_games import MOVES, Play
from scripts.benchmarks.server_peers import SPAWN, ServerUnderTest

SECONDS = 4.0
LISTENERS = 1000


class LoadResult(NamedTuple):
    """The result of clients: requests per second, the seconds of each, and the server's CPU seconds per request."""

    rate: float
    times: Sequence[float]
    cpu_seconds: float

    def percentile_ms(self, percent: int) -> float:
        """The given percentile of the times, in milliseconds."""
        return quantiles(self.times, n=100)[percent - 1] * 1e3


def read_document(port: int, play: Play) -> bytes:
    """The document that each read gets."""
    address = f"http://127.0.0.1:{port}/v1/games/{play.game}/lines/main"
    with urlopen(Request(address, headers={"Authorization": f"Bearer {play.token}"})) as answer:
        document: bytes = answer.read()
        return document


def run_client(server: ServerUnderTest, client: Callable[..., Any], *arguments: Any) -> LoadResult:
    """Runs a client in a process of its own. Returns its result with the server's CPU time."""
    with ProcessPoolExecutor(1, SPAWN) as pool:
        pool.submit(run_async_client, asyncio.sleep, 0).result()  # the process has started
        cpu_before = server.cpu_seconds()
        rate, times = pool.submit(run_async_client, client, *arguments).result()
        return LoadResult(rate, times, (server.cpu_seconds() - cpu_before) / max(1, len(times)))


def run_async_client(client: Callable[..., Any], *arguments: Any) -> Any:
    """Runs a client, for two minutes at most."""

    async def run() -> Any:
        async with asyncio.timeout(120):
            return await client(*arguments)

    return asyncio.run(run())


async def send_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes, status: bytes
) -> None:
    """Sends a request, and reads the response."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head[9:12] == status, head
    lengths = (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(0 if status == b"304" else next(lengths))


async def send_requests(port: int, requests: Iterator[bytes], status: bytes, seconds: float = SECONDS) -> list[float]:
    """Sends requests on one connection until the time is up or none are left. Returns how long each took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times, deadline = list[float](), time.perf_counter() + seconds
    for request in requests:
        started_at = time.perf_counter()
        if started_at > deadline:
            break
        await send_request(reader, writer, request, status)
        times.append(time.perf_counter() - started_at)
    writer.close()
    return times


async def run_at_once(connections: list[Any]) -> tuple[float, list[float]]:
    """Runs all connections at once. Returns requests per second, and how long each took."""
    started_at = time.perf_counter()
    times_by_connection = await asyncio.gather(*connections)
    duration = time.perf_counter() - started_at
    times = [request_time for connection_times in times_by_connection for request_time in connection_times]
    return len(times) / duration, times


async def read_positions(
    ports: list[int], games: list[list[Play]], seconds: float = SECONDS
) -> tuple[float, list[float]]:
    """Each connection reads the position of its game."""
    requests = [get_request(f"/v1/games/{plays[0].game}/lines/main", plays[0].token) for plays in games]
    return await run_at_once([send_requests(ports[0], cycle([request]), b"200", seconds) for request in requests])


async def play_moves(ports: list[int], games: list[list[Play]]) -> tuple[float, list[float]]:
    """Each connection plays its game, at one of the servers."""
    requests = [[move_request(plays[0].game, play, number) for number, play in enumerate(plays)] for plays in games]
    connections = [
        send_requests(ports[index % len(ports)], iter(game_requests), b"201")
        for index, game_requests in enumerate(requests)
    ]
    return await run_at_once(connections)


async def read_legal(ports: list[int], games: list[list[Play]]) -> tuple[float, list[float]]:
    """Each connection asks what is legal in its game, with another limit each time, so that no answer is cached."""
    paths = [f"/v1/games/{plays[0].game}/lines/main/legal?most=" for plays in games]
    connections = [
        send_requests(
            ports[0], (get_request(f"{path}{number}", plays[0].token) for number in range(1000, 10_001)), b"200"
        )
        for path, plays in zip(paths, games, strict=True)
    ]
    return await run_at_once(connections)


async def read_unchanged(
    ports: list[int], games: list[list[Play]], seconds: float = SECONDS
) -> tuple[float, list[float]]:
    """Each connection reads the position of its game, of which it has the tag."""
    requests = list[bytes]()
    for plays in games:
        path = f"/v1/games/{plays[0].game}/lines/main"
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
        writer.write(get_request(path, plays[0].token))
        head = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        (tag,) = re.findall(r'(?i)etag: ("\w+")', head.decode())
        requests.append(get_request(path, plays[0].token, f"If-None-Match: {tag}\r\n"))
    return await run_at_once([send_requests(ports[0], cycle([request]), b"304", seconds) for request in requests])


async def play_after_legal(ports: list[int], games: list[list[Play]]) -> tuple[float, list[float]]:
    """Each connection plays its game, and asks before each move what is legal. The times are those of the moves."""

    async def play_game(plays: list[Play]) -> list[float]:
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
        times, deadline = list[float](), time.perf_counter() + SECONDS
        for number, play in enumerate(plays):
            if time.perf_counter() > deadline:
                break
            await send_request(
                reader, writer, get_request(f"/v1/games/{play.game}/lines/main/legal", play.token), b"200"
            )
            started_at = time.perf_counter()
            await send_request(reader, writer, move_request(play.game, play, number), b"201")
            times.append(time.perf_counter() - started_at)
        writer.close()
        return times

    return await run_at_once([play_game(plays) for plays in games])


async def watch_elsewhere(ports: list[int], games: list[list[Play]]) -> tuple[float, list[float]]:
    """Plays at one process, and follows at another. Returns the delay of each move."""
    (plays,), (move_port, feed_port) = games, ports
    feed_reader, feed_writer = await asyncio.open_connection("127.0.0.1", feed_port, limit=1 << 20)
    feed_writer.write(
        get_request("/v1/games/apart/lines/main/feed", plays[0].token, "Accept: application/x-ndjson\r\n")
    )
    await feed_reader.readuntil(b'"standing"')
    reader, writer = await asyncio.open_connection("127.0.0.1", move_port)
    delays, started_at = list[float](), time.perf_counter()
    for number, play in enumerate(plays[:MOVES]):
        await asyncio.sleep(0.05)
        sent_at = time.perf_counter()
        answer = asyncio.create_task(send_request(reader, writer, move_request("apart", play, number), b"201"))
        await feed_reader.readuntil(b'"event":"commit"')
        delays.append(time.perf_counter() - sent_at)
        await answer
    return len(delays) / (time.perf_counter() - started_at), delays


async def wait_idle(ports: list[int], names: list[list[str]], seconds: float = 0) -> tuple[float, list[float]]:
    """Watches games in which nothing happens."""
    connections = [await asyncio.open_connection("127.0.0.1", ports[0]) for _ in names[0]]
    for (_, writer), name in zip(connections, names[0], strict=True):
        writer.write(f"GET /v1/games/{name}/lines/main/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    for reader, _ in connections:
        await reader.readuntil(b"event: standing")
    await asyncio.sleep(seconds)
    for _, writer in connections:
        writer.close()
    return 0.0, []


async def watch_moves(ports: list[int], games: list[list[Play]]) -> tuple[float, list[float]]:
    """Many viewers watch one game at 20 moves per second. Returns the delay of each move at each viewer."""
    (plays,), (port,) = games, ports
    sent_times, seen_times = list[float](), list[float]()

    async def open_feed() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        path = b"/v1/games/watched/lines/main/feed"
        writer.write(b"GET %s HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n" % path)
        await reader.readuntil(b'"standing"')
        return reader, writer

    async def read_feed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(MOVES):
            await reader.readuntil(b'"event":"commit"')
            seen_times.append(time.perf_counter() - sent_times[number])
        writer.close()

    connections = await asyncio.gather(*(open_feed() for _ in range(LISTENERS)))
    listeners = [asyncio.create_task(read_feed(*connection)) for connection in connections]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    started_at = time.perf_counter()
    for number, play in enumerate(plays[:MOVES]):
        await asyncio.sleep(max(0.0, started_at + number / 20 - time.perf_counter()))
        sent_times.append(time.perf_counter())
        await send_request(reader, writer, move_request("watched", play, number), b"201")
    await asyncio.gather(*listeners)
    return len(seen_times) / (time.perf_counter() - started_at), seen_times


def get_request(path: str, token: str, headers: str = "") -> bytes:
    """A request that reads."""
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n{headers}\r\n".encode()


def move_request(game: str, play: Play, number: int) -> bytes:
    """A request that plays a move."""
    body = json.dumps({"move": play.text})
    return (
        f"POST /v1/games/{game}/lines/main/moves HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {play.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nIdempotency-Key: {number}\r\n"
        f"If-Match: *\r\n\r\n{body}"
    ).encode()
