"""Benchmarks answers of the server in process, without sockets: beside a bare handler and beside the library.

What sockets add is measured by `server`. All figures are CPU seconds of this process, with its worker threads.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import litestar
from litestar import Litestar, Response

from scripts.benchmarks.server_games import WITHOUT_LIMITS, Play, begin_game
from scripts.shared.measure import expect_at_most
from zimcore.server.app import make_app
from zimcore.service import open_service

ROUNDS, READS_A_ROUND, VIEWS_A_ROUND = 7, 400, 8
FEW_MOVES, MANY_MOVES = 40, 149
PAGE_HEADERS = {"accept": "text/html"}


def bench(folder: Path) -> None:
    """Measures cached reads, moves, and pages of games with few and many moves."""
    logging.disable(logging.CRITICAL)
    asyncio.run(measure(f"sqlite:///{folder}/http.db"))


async def measure(url: str) -> None:
    """Runs all measurements with one server."""
    games = {name: begin_game(url, name) for name in ("read", "moves", "few", "many")}
    async with running(make_app(lambda: open_service(url), WITHOUT_LIMITS)) as app:
        await measure_cached_read(app, games["read"])
        await measure_moves(app, url, games["moves"])
        await measure_pages(app, url, games)


async def measure_cached_read(app: Litestar, plays: list[Play]) -> None:
    """A read that was answered before, beside a bare handler of the same library."""
    path, headers = f"/v1/games/{plays[0].game}/lines/main", bearer(plays[0])
    document = (await ask(app, "GET", path, headers))[1]

    @litestar.get("/v1/games/{game:str}/lines/{line:str}")
    async def show(game: str, line: str) -> Response[bytes]:
        return Response(document, media_type="application/json", headers={"ETag": f'"{game}-{line}"'})

    bare_app = Litestar([show], openapi_config=None, logging_config=None)
    ours, bare = await medians_in_turn(
        [partial(ask_often, app, path, headers), partial(ask_often, bare_app, path, headers)]
    )
    details = f"{ours / READS_A_ROUND * 1e6:.0f} us, {bare / READS_A_ROUND * 1e6:.0f} us"
    expect_at_most("a cached read, times a bare handler", details, ours / bare, 5)


async def measure_moves(app: Litestar, url: str, plays: list[Play]) -> None:
    """Moves by HTTP, and the same by the library: first all of one, then all of the other, as each is alone in use."""
    http_seconds, library_seconds = list[float](), list[float]()
    path = f"/v1/games/{plays[0].game}/lines/main/moves"
    for number, play in enumerate(plays):
        key = f"a-key-for-the-move-{number}"
        headers = {**bearer(play), "content-type": "application/json", "if-match": "*", "idempotency-key": key}
        body = json.dumps({"move": play.text}).encode()
        http_seconds.append(await seconds_of(partial(ask, app, "POST", path, headers, body)))
    with (service := open_service(url)).store:
        for play in begin_game(url, "twin"):
            seat = service.head(f"{play.game}/main").to_move[0]
            started_at = time.process_time()
            service.play_or_raise(f"{play.game}/main", play.text, by=seat)
            library_seconds.append(time.process_time() - started_at)
    ours, library = median(http_seconds), median(library_seconds)
    details = f"{ours * 1e3:.2f} ms, {library * 1e3:.2f} ms"
    expect_at_most("a move by HTTP, times the library", details, ours / library, 1.7)


async def measure_pages(app: Litestar, url: str, games: Mapping[str, list[Play]]) -> None:
    """The page of a game with many moves beside one with few: as it is opened, and at an earlier position."""
    with (service := open_service(url)).store:
        for name, move_count in (("few", FEW_MOVES), ("many", MANY_MOVES)):
            for play in games[name][:move_count]:
                service.play_or_raise(f"{name}/main", play.text, by=service.head(f"{name}/main").to_move[0])
    for title, query in (("a page", ""), ("a click on it", "?at=r1")):
        tasks = [partial(view_often, app, f"/games/{name}{query}") for name in ("few", "many")]
        few, many = await medians_in_turn(tasks)
        details = f"{many / VIEWS_A_ROUND * 1e3:.1f} ms, {few / VIEWS_A_ROUND * 1e3:.1f} ms"
        expect_at_most(f"{title} of {MANY_MOVES} moves, times {FEW_MOVES}", details, many / few, 1.3)


async def ask_often(app: Litestar, path: str, headers: Mapping[str, str]) -> None:
    """Asks the same again and again."""
    for _ in range(READS_A_ROUND):
        await ask(app, "GET", path, headers)


async def view_often(app: Litestar, path: str) -> None:
    """Opens a page again and again."""
    for _ in range(VIEWS_A_ROUND):
        await ask(app, "GET", path, PAGE_HEADERS)


async def medians_in_turn(tasks: Sequence[Callable[[], Coroutine[Any, Any, object]]]) -> list[float]:
    """The median CPU seconds of things that are measured in turn. The first round is not counted."""
    rounds = [[await seconds_of(task) for task in tasks] for _ in range(ROUNDS + 1)]
    return [median(times[1:]) for times in zip(*rounds, strict=True)]


async def seconds_of(task: Callable[[], Coroutine[Any, Any, object]]) -> float:
    """The CPU seconds of one thing."""
    started_at = time.process_time()
    await task()
    return time.process_time() - started_at


async def ask(
    app: Litestar, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
) -> tuple[int, bytes]:
    """Sends a request to an application in this process. Returns status and content."""
    sent, (path, _, query) = list[Any](), path.partition("?")

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    all_headers = {"host": "127.0.0.1", **headers, **({"content-length": str(len(body))} if body else {})}
    scope: Any = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in all_headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    await app(scope, receive, send)
    status, content = sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])
    assert status in (200, 201), content
    return status, content


def bearer(play: Play) -> dict[str, str]:
    """The header with the token of a player."""
    return {"authorization": f"Bearer {play.token}"}


@asynccontextmanager
async def running(app: Litestar) -> AsyncIterator[Litestar]:
    """An application that has started, and ends afterwards."""
    messages, answers = asyncio.Queue[Any](), asyncio.Queue[Any]()
    scope: Any = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    task = asyncio.ensure_future(app(scope, messages.get, answers.put))
    for event in ("startup", "shutdown"):
        await messages.put({"type": f"lifespan.{event}"})
        assert (await answers.get())["type"] == f"lifespan.{event}.complete"
        if event == "startup":
            yield app
    await task
