"""Measures how much one host's games can delay the games of another: floods of requests beside a game in one process.

A flood keeps 144 requests open with 18 tokens of the seats of one host's games, in the workers of the other game. Every
100 ms a player of the other game asks what is legal, plays a move, and waits for it on their feed. A flood may delay
each of these to 100 ms, or three times what it takes without one. The limits of requests a second are off, as a real
attacker has many addresses; that of eight at once for each token is on.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import count, cycle
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple
from zlib import crc32

from msgspec.structs import replace

from scripts.benchmarks.server_clients import get_request, move_request, run_async_client
from scripts.benchmarks.server_games import UNLIMITED, WITHOUT_LIMITS, Play, begin_game
from scripts.benchmarks.server_peers import SPAWN, serving
from scripts.shared.measure import CORES, expect_at_most
from zimcore.server.app import make_app
from zimcore.server.serving import SWITCH_SECONDS, uvicorn_config
from zimcore.service import GameService, open_service

TOKEN_COUNT, REQUESTS_AT_ONCE, INTERVAL = 18, 8, 0.1
ALLOWED_MILLISECONDS, ALLOWED_FACTOR = 100.0, 3
"""Milliseconds that a request may take beside a flood, and how many times as long as without one."""
SETTINGS = replace(
    WITHOUT_LIMITS,
    study_processes=1,
    limits=replace(WITHOUT_LIMITS.limits, max_open_requests=REQUESTS_AT_ONCE, max_feeds_per_client=UNLIMITED),
)
QUESTIONS = ("legal", "move", "feed")
LINE = "/v1/games/{game}/lines/main"
FLOODS: Mapping[str, str] = {
    "compare": LINE + "/compare?other=@start&at={at}",
    "log with facts": LINE + "/moves?facts=true&every=true",
    "pages": "/games/{game}?line=main",
    "hint": LINE + "/hint?nodes=500&at={at}",
    "moves": "",
    "unknown tokens": "/v1/games/{game}/seats",
}
"""What a flood asks for: a path, "" for moves."""
TWO_ACCOUNTS = "compare, two accounts"


class FloodResult(NamedTuple):
    """Milliseconds that requests of the player took, by what they asked; the player's refused requests; and how many
    requests of the flood were answered by each status.
    """

    times: Mapping[str, Sequence[float]]
    refused_count: int
    flood_statuses: Mapping[int, int]


def bench(folder: Path, seconds: float, names: Sequence[str] = ()) -> None:
    """Measures each flood for some seconds, and two accounts at once; each against the same player without one.

    With `names`, measures only the floods whose names begin with one of them.
    """
    url = f"sqlite:///{folder}/games.db"
    with open_service(url).store as store:
        store.create()
    flood_size = f"{TOKEN_COUNT} tokens with {REQUESTS_AT_ONCE} requests each"
    print(f"{CORES} cores, load {os.getloadavg()[0]:.1f}, {flood_size}, {seconds:g} s")
    plays_by_host = {host: play_long_games(url, host) for host in ("foe", "fiend")}
    game_numbers = count()
    quiet_result = measure_flood(url, game_numbers, [], seconds)
    print_times("quiet", quiet_result, quiet_result)
    requests_by_flood = {
        name: [flood_requests_of(play, path, with_token=name != "unknown tokens") for play in plays_by_host["foe"]]
        for name, path in FLOODS.items()
    }
    requests_by_flood[TWO_ACCOUNTS] = [
        flood_requests_of(play, FLOODS["compare"], with_token=True)
        for host in plays_by_host
        for play in plays_by_host[host][: TOKEN_COUNT // 2]
    ]
    for name, requests in requests_by_flood.items():
        if not names or any(map(name.startswith, names)):
            print_times(name, measure_flood(url, game_numbers, requests, seconds), quiet_result)


def print_times(flood: str, result: FloodResult, quiet_result: FloodResult) -> None:
    """Prints the times of each request beside a flood, against those without one."""
    status_counts = ", ".join(f"{number} of {status}" for status, number in sorted(result.flood_statuses.items()))
    for question in QUESTIONS:
        if not result.times[question]:
            print(f"{flood}: {question}: no answer   FALLS SHORT")
            continue
        p50, p99 = (percentile(result.times[question], percent) for percent in (50, 99))
        goal = max(ALLOWED_MILLISECONDS, ALLOWED_FACTOR * percentile(quiet_result.times[question], 99))
        expect_at_most(f"{flood}: {question}, ms p99", f"p50 {p50:.1f}, n {len(result.times[question])}", p99, goal)
    expect_at_most(f"{flood}: refused", f"flood: {status_counts or 'none'}", result.refused_count, 0)


def percentile(times: Sequence[float], percent: int) -> float:
    """A percentile of times; of a single one that one."""
    return quantiles(times, n=100, method="inclusive")[percent - 1] if len(times) > 1 else times[0]


def is_in_same_workers(name: str) -> bool:
    """Whether a game has the workers in which all games of this benchmark are."""
    return crc32(name.encode()) % 2 == 0


def begin_next_game(url: str, game_numbers: Iterator[int]) -> list[Play]:
    """Begins a game of the player; returns its moves."""
    return begin_game(
        url, next(name for number in game_numbers if is_in_same_workers(name := f"mine-{number}")), "anna"
    )


def play_long_games(url: str, host: str) -> list[Play]:
    """Begins games of a host and plays them to their end. Returns a play for each of the tokens."""
    plays_by_token = dict[str, Play]()
    for name in filter(is_in_same_workers, (f"{host}-{number}" for number in count())):
        plays = begin_game(url, name, host)
        with (service := open_service(url)).store:
            for play in plays:
                service.play(name, play.text, by=host)
        plays_by_token |= {play.token: play for play in plays}
        if len(plays_by_token) >= TOKEN_COUNT:
            return list(plays_by_token.values())[:TOKEN_COUNT]
    raise AssertionError


def flood_requests_of(play: Play, path: str, *, with_token: bool) -> list[bytes]:
    """The requests that a token repeats; each is about another position, so that no answer is known already.

    `with_token` says whether the token is one that the server knows.
    """
    if not path:
        return [move_request(play.game, play, number) for number in range(1000)]
    token = play.token if with_token else play.token[:-8] + "x" * 8
    return [get_request(path.format(game=play.game, at=move_number), token) for move_number in range(1, 60)]


def serve_with_limits(url: str, listener: socket.socket) -> None:
    """Our server, with a process for long questions, as `zim serve` runs it."""
    import logging

    import uvicorn

    def open_store() -> GameService:
        return open_service(url)

    sys.setswitchinterval(SWITCH_SECONDS)
    logging.disable(logging.CRITICAL)
    uvicorn.Server(uvicorn_config(make_app(open_store, SETTINGS, url))).run([listener])


def measure_flood(
    url: str, game_numbers: Iterator[int], flood_requests: list[list[bytes]], seconds: float
) -> FloodResult:
    """Measures a player beside a flood; each of the two has its own process. Each time the server is a new one.

    The player sends a request first: here all have one address, so that a token which the server does not know yet
    would be taken for one of the flood.
    """
    plays = list[Play]()
    while len(plays) < seconds / INTERVAL:
        plays += begin_next_game(url, game_numbers)
    with serving(serve_with_limits, url) as server, ProcessPoolExecutor(2, SPAWN) as pool:
        port = server.port
        pool.submit(run_async_client, warm_up, port, plays[0]).result()
        flood_client = (
            pool.submit(run_async_client, send_flood, port, flood_requests, seconds + 1) if flood_requests else None
        )
        times, refusal_count = pool.submit(run_async_client, play_games, port, plays, seconds).result()
        return FloodResult(times, refusal_count, flood_client.result() if flood_client else {})


async def send_flood(port: int, requests_by_token: list[list[bytes]], seconds: float) -> Counter[int]:
    """Keeps `REQUESTS_AT_ONCE` requests of each token open. Returns how many answers had which status."""
    statuses, deadline = Counter[int](), time.perf_counter() + seconds

    async def repeat(requests: Iterator[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < deadline:
            try:
                async with asyncio.timeout(deadline - time.perf_counter()):
                    statuses[await send_request(reader, writer, next(requests))] += 1
            except TimeoutError:
                break
        writer.close()

    await asyncio.gather(
        *(
            repeat(cycle(token_requests[offset:] + token_requests[:offset]))
            for token_requests in requests_by_token
            for offset in range(REQUESTS_AT_ONCE)
        )
    )
    return statuses


async def warm_up(port: int, play: Play) -> None:
    """Asks what is legal, so that the game is loaded and the player known."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(3):
        assert (
            await send_request(reader, writer, get_request(LINE.format(game=play.game) + "/legal", play.token)) == 200
        )
    writer.close()


async def play_games(port: int, plays: list[Play], seconds: float) -> tuple[dict[str, list[float]], int]:
    """Plays one game after the other. Returns the milliseconds of each request, by what was asked, and the refused."""
    times, refusal_count, game = {question: list[float]() for question in QUESTIONS}, 0, ""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    deadline = time.perf_counter() + seconds
    for number, play in enumerate(plays):
        if time.perf_counter() > deadline:
            break
        if play.game != game:
            game, token = play.game, play.token
            legal_request = get_request(LINE.format(game=game) + "/legal", token)
            feed_reader, feed_writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            feed_writer.write(get_request(LINE.format(game=game) + "/feed", token, "Accept: application/x-ndjson\r\n"))
            await feed_reader.readuntil(b'"standing"')
        started_at = time.perf_counter()
        status = await send_request(reader, writer, legal_request)
        times["legal"].append(1000 * (time.perf_counter() - started_at))
        started_at = time.perf_counter()
        feed_message = asyncio.create_task(feed_reader.readuntil(b'"event":"commit"'))
        move_status = await send_request(reader, writer, move_request(game, play, number))
        times["move"].append(1000 * (time.perf_counter() - started_at))
        refusal_count += (status != 200) + (move_status != 201)
        if move_status != 201:
            feed_message.cancel()
            break
        await feed_message
        times["feed"].append(1000 * (time.perf_counter() - started_at))
        await asyncio.sleep(INTERVAL)
    writer.close()
    return times, refusal_count


async def send_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> int:
    """Sends a request, and reads the response to its end. Returns its status."""
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(length)
    return int(head[9:12])
