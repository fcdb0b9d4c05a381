"""The service on the network over real sockets, its clients in a process apart, against a bare program under uvicorn.

Needs `zim[server]`. What is read is the list of a game's lines, what is written the moves of the demonstration's game,
each connection at a game of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from measure import demo_moves, report

from zimcore.games.zimbabwe import GAME
from zimcore.server.app import Settings
from zimcore.server.limits import Limits
from zimcore.server.serving import listening
from zimcore.server.tokens import digest, id_of, new_token
from zimcore.service import GameService, open_service
from zimcore.service.memberships import GameHosted, MemberEvent, SeatOffered, SeatTaken

CONNECTIONS, SECONDS = 8, 4.0
LISTENERS, MOVES = 1000, 40
MANY = 10**9
FREE = Settings(
    limits=Limits(
        token_rate=MANY,
        token_burst=MANY,
        address_rate=MANY,
        address_burst=MANY,
        at_once=MANY,
        feeds_each=MANY,
    )
)
"""Without limits: here all clients share an address."""


class Play(NamedTuple):
    """A move of a game: by whose token, and what."""

    token: str
    text: str


def bench(folder: Path) -> None:
    """Reads and moves a second, how long they take, and how soon a move is seen by many who watch."""
    url = f"sqlite:///{folder}/games.db"
    games = [begun(url, f"g{at}") for at in range(CONNECTIONS)]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, SQLite, {CONNECTIONS} connections")
    with serving(bare, url) as port:
        peer = in_a_process(reads, port, games)
    with serving(ours, url) as port:
        read = in_a_process(reads, port, games)
        told("reads a second", read, peer, 700)
        moved = in_a_process(moves, port, games)
        told("moves a second", moved, peer, 200)
    watched = begun(url, "watched")
    with serving(ours, url) as port:
        seen = in_a_process(watch, port, [watched])
    p99 = quantiles(seen[1], n=100)[98] * 1e3
    report(f"a move until {LISTENERS} have seen it, ms p99", f"{len(seen[1]):,} messages", p99, 100, at_most=True)


def told(what: str, found: tuple[float, list[float]], peer: tuple[float, list[float]], goal: float) -> None:
    """Two lines: how many, beside the bare program's; and how long they took."""
    p99 = quantiles(found[1], n=100)[98] * 1e3
    report(what, f"bare uvicorn {peer[0]:,.0f}, ratio {found[0] / peer[0]:.2f}", found[0], goal)
    report(f"{what}: ms p99", f"median {quantiles(found[1], n=2)[0] * 1e3:.1f}", p99, 150, at_most=True)


def begun(url: str, name: str) -> list[Play]:
    """Begins the demonstration's game with everybody at their seats; the moves to come, each with a token."""
    options, texts = demo_moves()
    service = open_service(url)
    position = service.new(GAME.name, options, name=name, by="bench", served=[GameHosted("bench", public=True)])
    stream, held, events = service.stream_of(name), dict[str, str](), list[MemberEvent]()
    for seat in position.seats:
        link, held[seat] = new_token("link", stream), new_token("seat", stream)
        events.append(SeatOffered(seat, id_of(link), digest(link)))
        events.append(SeatTaken(seat, id_of(link), seat, id_of(held[seat]), digest(held[seat])))
    service.enrol(name, lambda _: events, by="bench")
    found, here = list[Play](), position
    for text in texts:
        seat = here.to_move[0]
        answer = here.game.rules.decide(here.state, seat, here.game.notation.parse(text, here.state)[1])
        found.append(Play(held[seat], text))
        state = getattr(answer, "state", None)
        if state is None:
            break
        here = type(here)(here.match, here.line, here.commit, state, here.game)
    service.store.close()
    return found


def ours(url: str, listener: socket.socket) -> None:
    """Our server."""
    import logging

    import uvicorn

    from zimcore.server.app import make_app

    def open_() -> GameService:
        return open_service(url)

    logging.disable(logging.CRITICAL)
    uvicorn.Server(uvicorn.Config(make_app(open_, FREE), log_config=None, access_log=False)).run([listener])


def bare(_: str, listener: socket.socket) -> None:
    """A program that does nothing, under the same server."""
    import uvicorn

    body = b"x" * 400
    headers = [(b"content-type", b"application/json"), (b"content-length", b"400")]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off")).run([listener])


@contextmanager
def serving(server: Callable[[str, socket.socket], None], url: str) -> Iterator[int]:
    """A server in a process of its own: its port."""
    with listening("127.0.0.1", 0) as listener:
        process = get_context("fork").Process(target=server, args=(url, listener))
        process.start()
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.join()


def in_a_process(client: Callable[..., Any], *arguments: Any) -> tuple[float, list[float]]:
    """What clients found in a process of their own: how many a second, and how long each took."""
    context = get_context("fork")
    queue = context.Queue()
    process = context.Process(target=lambda: queue.put(asyncio.run(client(*arguments))))
    process.start()
    found: tuple[float, list[float]] = queue.get(timeout=60)
    process.join()
    return found


async def asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes, status: bytes) -> None:
    """Sends a request, and reads the response."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head[9:12] == status, head
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(length)


async def repeat(port: int, requests: Iterator[bytes], status: bytes) -> list[float]:
    """Asks again and again on one connection, for some seconds or until there is nothing more; how long each took."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    taken, end = list[float](), time.perf_counter() + SECONDS
    for request in requests:
        begin = time.perf_counter()
        if begin > end:
            break
        await asked(reader, writer, request, status)
        taken.append(time.perf_counter() - begin)
    writer.close()
    return taken


async def together(every: list[Any]) -> tuple[float, list[float]]:
    """All connections at once: requests a second, and how long each took."""
    begin = time.perf_counter()
    found = await asyncio.gather(*every)
    took = time.perf_counter() - begin
    taken = [each for one in found for each in one]
    return len(taken) / took, taken


async def reads(port: int, games: list[list[Play]]) -> tuple[float, list[float]]:
    """Each connection reads its game."""
    requests = [get(f"/v1/games/g{at}/lines", plays[0].token) for at, plays in enumerate(games)]
    return await together([repeat(port, cycle([request]), b"200") for request in requests])


async def moves(port: int, games: list[list[Play]]) -> tuple[float, list[float]]:
    """Each connection plays its game."""
    requests = [[move(f"g{at}", play, number) for number, play in enumerate(plays)] for at, plays in enumerate(games)]
    return await together([repeat(port, iter(each), b"201") for each in requests])


async def watch(port: int, games: list[list[Play]]) -> tuple[float, list[float]]:
    """Many watch one game while it is played, 20 moves a second; how long after each was sent they had it."""
    (plays,) = games
    sent, seen, ready = list[float](), list[float](), asyncio.Semaphore(0)

    async def listen() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        writer.write(
            b"GET /v1/games/watched/lines/main/feed HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n"
        )
        await reader.readuntil(b'"standing"')
        ready.release()
        for number in range(MOVES):
            await reader.readuntil(b'"event":"commit"')
            seen.append(time.perf_counter() - sent[number])
        writer.close()

    listeners = [asyncio.create_task(listen()) for _ in range(LISTENERS)]
    for _ in listeners:
        await ready.acquire()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begin = time.perf_counter()
    for number, play in enumerate(plays[:MOVES]):
        await asyncio.sleep(max(0.0, begin + number / 20 - time.perf_counter()))
        sent.append(time.perf_counter())
        await asked(reader, writer, move("watched", play, number), b"201")
    await asyncio.gather(*listeners)
    return len(seen) / (time.perf_counter() - begin), seen


def get(path: str, token: str, more: str = "") -> bytes:
    """A request to read."""
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n{more}\r\n".encode()


def move(game: str, play: Play, number: int) -> bytes:
    """A request to play."""
    body = json.dumps({"move": play.text})
    return (
        f"POST /v1/games/{game}/lines/main/moves HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {play.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nIdempotency-Key: {number}\r\n"
        f"If-Match: *\r\n\r\n{body}"
    ).encode()
