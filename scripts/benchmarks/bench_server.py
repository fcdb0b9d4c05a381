"""Benchmarks the server over real sockets, with clients in a separate process, against a bare ASGI program under
uvicorn.

Needs the extra `server` and PostgreSQL (ZIM_TEST_POSTGRES; without it the store is SQLite). Reads ask for the position
of a game, writes play the moves of the demo's game; every connection has its own game. The server's CPU time is printed
too: on a busy machine, that is the figure to compare.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import litestar
from litestar import Litestar, Response

from scripts.shared.measure import CORES, demo_moves, environment, expect_at_least, expect_at_most, postgres
from zimcore.documents.play import legal_answer
from zimcore.games.zimbabwe import GAME
from zimcore.server.app import Settings
from zimcore.server.serving import SWITCH_SECONDS, listening_socket, uvicorn_config
from zimcore.server.wire.limits import RateLimits
from zimcore.server.wire.problem_responses import encode_document
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import GameService, open_service
from zimcore.service.records.memberships import GameHosted, MemberEvent, SeatOffered, SeatTaken

CONNECTIONS, SECONDS = 8, 4.0
LISTENERS, MOVES = 1000, 40
MOVE_MESSAGE = b'{"event":"commit"' + b" " * 1500 + b"}\n"
"""What the bare server tells of a move: as many bytes as ours."""
FEW_GAMES, MANY_GAMES = 10, 10_000
LOOK_REASON = "each answer looks into the store, which says whether the token is valid: twice that look"
"""Why an answer can't take twice a trivial handler, and a 304 not a fourth of a 200."""
UNLIMITED = 10**9
SPAWN = get_context("spawn")
"""A forked process would inherit locks that threads of this one hold, and sometimes wait forever."""
LIMIT_NAMES = (
    "token_rate",
    "token_burst",
    "address_rate",
    "address_burst",
    "max_open_requests",
    "max_feeds_per_client",
)
WITHOUT_LIMITS = Settings(limits=RateLimits(**dict.fromkeys(LIMIT_NAMES, UNLIMITED)))
"""No limits: all clients share an address here."""


class Play(NamedTuple):
    """A move of a game: the token of its player, and the text."""

    token: str
    text: str
    game: str = ""


class LoadResult(NamedTuple):
    """The result of clients: requests per second, the seconds of each, and the server's CPU seconds per request."""

    rate: float
    times: Sequence[float]
    cpu_seconds: float

    def percentile_ms(self, percent: int) -> float:
        """The given percentile of the times, in milliseconds."""
        return quantiles(self.times, n=100)[percent - 1] * 1e3


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


def bench(folder: Path) -> None:
    """Measures reads and moves per second, the delay of a move for many viewers, the cost of a spectator and of an idle
    game, and the start.
    """
    with postgres() as database:
        url = database or f"sqlite:///{folder}/games.db"
        kind = url.partition(":")[0]
        print(f"{CORES} cores, load {os.getloadavg()[0]:.1f}, {kind}, {CONNECTIONS} connections")
        games = begin_games(url, "a")
        with serving(our_server, url) as server:
            read_result = run_client(server, read_positions, [server.port], games)
            document = read_document(server.port, games[0][0])
            unchanged_result = run_client(server, read_unchanged, [server.port], games)
            uncached_result = run_client(server, read_legal, [server.port], games)
            move_result = run_client(server, play_moves, [server.port], games)
        peer_result, trivial_result, store_reading_result = (
            read_peer(partial(server, document), url, games)
            for server in (bare_server, trivial_server, store_reading_server)
        )
        print_rates("reads", read_result, peer_result, 700)
        look_ratio = store_reading_result.cpu_seconds / trivial_result.cpu_seconds
        print_times(
            "a read, times a trivial handler",
            read_result,
            trivial_result,
            2 * look_ratio,
            f"{LOOK_REASON}: alone {look_ratio:.1f} times",
        )
        print_times(
            "a 304, times a 200 that is made",
            unchanged_result,
            uncached_result,
            2 * store_reading_result.cpu_seconds / uncached_result.cpu_seconds,
            LOOK_REASON,
        )
        print_rates("moves", move_result, peer_result, 200)
        bench_two_processes(url)
        if database:
            bench_other_process(url)
        bench_viewers(url)
        bench_spectator(url)
    bench_legal_before(f"sqlite:///{folder}/legal.db")
    measure_many_games(folder)
    measure_start(folder)


def print_rates(title: str, result: LoadResult, peer_result: LoadResult, goal: float) -> None:
    """Prints the rate against the bare program's, the times, and the rate per CPU second of the server."""
    expect_at_least(
        f"{title} a second",
        f"bare uvicorn {peer_result.rate:,.0f}, ratio {result.rate / peer_result.rate:.2f}",
        result.rate,
        goal,
    )
    expect_at_most(f"{title}: ms p99", f"median {result.percentile_ms(50):.1f}", result.percentile_ms(99), 150)
    cpu_details = f"{result.cpu_seconds * 1e3:.2f} ms each, bare {peer_result.cpu_seconds * 1e3:.2f} ms"
    expect_at_least(f"{title} a second of the processor", cpu_details, 1 / result.cpu_seconds, goal)


def bench_two_processes(url: str) -> None:
    """Measures moves of different games at two processes, against one."""
    results = list[LoadResult]()
    for number, process_count in enumerate((1, 2)):
        games = begin_games(url, f"s{number}")
        with ExitStack() as stack:
            servers = [stack.enter_context(serving(our_server, url)) for _ in range(process_count)]
            results.append(run_client(servers[0], play_moves, [server.port for server in servers], games))
    single_result, double_result = results
    details = f"{single_result.rate:,.0f} and {double_result.rate:,.0f} a second, {CORES} cores for all"
    expect_at_least("moves of two processes, times one", details, double_result.rate / single_result.rate, 1.6)


def print_times(title: str, result: LoadResult, peer_result: LoadResult, goal: float, floor: str) -> None:
    """Prints how many times as long the processor of the server takes as for another answer."""
    details = f"{result.cpu_seconds * 1e3:.2f} and {peer_result.cpu_seconds * 1e3:.2f} ms of the processor"
    expect_at_most(title, details, result.cpu_seconds / peer_result.cpu_seconds, goal, floor)


def read_document(port: int, play: Play) -> bytes:
    """The document that each read gets."""
    address = f"http://127.0.0.1:{port}/v1/games/{play.game}/lines/main"
    with urlopen(Request(address, headers={"Authorization": f"Bearer {play.token}"})) as answer:
        document: bytes = answer.read()
        return document


def read_peer(server: Callable[[str, socket.socket], None], url: str, games: list[list[Play]]) -> LoadResult:
    """Measures reads of another server."""
    with serving(server, url) as peer:
        return run_client(peer, read_positions, [peer.port], games)


def bench_legal_before(url: str) -> None:
    """Measures moves of one process on SQLite, each after a question about what is legal."""
    games = begin_games(url, "q")
    with serving(our_server, url) as server:
        move_result = run_client(server, play_moves, [server.port], begin_games(url, "p"))
        legal_result = run_client(server, play_after_legal, [server.port], games)
    listing_seconds, command_count = cost_of_legal()
    floor = (
        f"400 a second are out of reach: listing the {command_count:,.0f} commands of a position takes "
        f"{listing_seconds * 1e3:.1f} ms CPU without a server, a move {move_result.cpu_seconds * 1e3:.1f} ms; six "
        "tenths of what these two allow"
    )
    details = (
        f"p99 {legal_result.percentile_ms(99):.1f} ms, sqlite, {legal_result.cpu_seconds * 1e3:.2f} ms of the processor"
    )
    print(f"{'moves a second, `legal` before each':44} {details:42} {legal_result.rate:>10,.2f}")
    expect_at_least(
        "the same of the processor",
        "",
        1 / legal_result.cpu_seconds,
        0.6 / (listing_seconds + move_result.cpu_seconds),
        floor,
    )


def cost_of_legal() -> tuple[float, float]:
    """CPU seconds of listing what is legal in a position of the demo's game, and how many commands that are, on
    average.
    """
    options, texts = demo_moves()
    service = open_service("memory:")
    position, counts = service.new(GAME.name, options, name="legal", by="bench"), list[int]()
    started_at, play_time = time.process_time(), 0.0
    for text in texts:
        answer = legal_answer(position)
        encode_document(answer)
        counts.append(answer.count)
        play_started_at = time.process_time()
        position = service.play_or_raise("legal", text, by="bench")
        play_time += time.process_time() - play_started_at
    return (time.process_time() - started_at - play_time) / len(counts), fmean(counts)


def bench_other_process(url: str) -> None:
    """Measures the delay until a move at one process reaches a feed at another, which PostgreSQL signals."""
    plays = begin_game(url, "apart")
    with serving(signalling_server, url) as first_server, serving(signalling_server, url) as second_server:
        result = run_client(first_server, watch_elsewhere, [first_server.port, second_server.port], [plays])
    expect_at_most(
        "a move until the other process sends it, ms",
        f"p99 {result.percentile_ms(99):.1f}, median",
        result.percentile_ms(50),
        20,
    )


def bench_viewers(url: str) -> None:
    """Measures the delay until all viewers have seen a move, at 20 moves per second."""
    plays = begin_game(url, "watched")
    with serving(our_server, url) as server:
        our_result = run_client(server, watch_moves, [server.port], [plays])
    with serving(partial(bare_server, MOVE_MESSAGE), url) as server:
        bare_result = run_client(server, watch_moves, [server.port], [plays])
    details = f"{len(our_result.times):,} messages; bare {bare_result.percentile_ms(99):.0f}"
    expect_at_most(f"a move until {LISTENERS} have seen it, ms p99", details, our_result.percentile_ms(99), 100)
    expect_at_most(
        "the same, the processor for a message, times",
        f"{our_result.cpu_seconds * 1e3:.3f} ms, bare {bare_result.cpu_seconds * 1e3:.3f}",
        our_result.cpu_seconds / bare_result.cpu_seconds,
        4.2,
    )


def bench_spectator(url: str) -> None:
    """Measures the cost of a waiting spectator."""
    begin_game(url, "idle")
    with serving(our_server, url) as server:
        run_client(server, wait_idle, [server.port], [["idle"] * 10])
        memory_before = server.memory()
        peak_memory = memory_before
        with ProcessPoolExecutor(1, SPAWN) as pool:
            idle_clients = pool.submit(run_async_client, wait_idle, [server.port], [["idle"] * LISTENERS], 4)
            while not idle_clients.done():
                peak_memory = max(peak_memory, server.memory())
                time.sleep(0.1)
            idle_clients.result()
    expect_at_most(
        "a spectator who waits, KiB", f"{LISTENERS:,} of them", (peak_memory - memory_before) / LISTENERS, 25
    )


def measure_many_games(folder: Path) -> None:
    """Measures the cost of ten thousand idle games against ten: for a read of another game, and for doing nothing."""
    costs_by_count = dict[int, tuple[float, float]]()
    for number in (FEW_GAMES, MANY_GAMES):
        url = f"sqlite:///{folder}/many-{number}.db"
        games = [begin_game(url, "g0")]
        with open_service(url).store as store:
            service = GameService(store)
            for index in range(number):
                service.new(
                    "africana", {"players": "2"}, name=f"idle-{index}", by="bench", served=[GameHosted("bench")]
                )
        with serving(our_server, url) as server:
            run_client(server, read_positions, [server.port], games, 0.5)
            read_cost = run_client(server, read_positions, [server.port], games, 2.0).cpu_seconds
            cpu_before = server.cpu_seconds()
            time.sleep(3)
            costs_by_count[number] = read_cost, (server.cpu_seconds() - cpu_before) / 3
    (small_read_cost, small_idle_cost), (large_read_cost, large_idle_cost) = (
        costs_by_count[FEW_GAMES],
        costs_by_count[MANY_GAMES],
    )
    expect_at_most(
        f"a read beside {MANY_GAMES:,} games, times {FEW_GAMES}",
        f"{large_read_cost * 1e3:.2f} and {small_read_cost * 1e3:.2f} ms",
        large_read_cost / small_read_cost,
        1.25,
    )
    small_details = f"beside {FEW_GAMES}: {small_idle_cost * 1e3:.1f} ms"
    expect_at_most(
        f"a second of nothing beside {MANY_GAMES:,}, ms",
        small_details,
        large_idle_cost * 1e3,
        small_idle_cost * 1e3 + 5,
    )


def measure_start(folder: Path) -> None:
    """Measures the time from the command to the first answer."""
    settings = environment(ZIM_STORE=f"sqlite:///{folder}/start.db", HOME=str(folder))
    times, cpu_times = list[float](), list[float]()
    for _ in range(4):
        started_at = time.perf_counter()
        command = [sys.executable, "-m", "zimcli", "serve", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, env=settings, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            url = next(
                match_[1] for line in process.stderr if (match_ := re.search(r" at (http://\S+) \(Ctrl-C", line))
            )
            urlopen(f"{url}/health").read()
            times.append(time.perf_counter() - started_at)
            cpu_times.append(ServerUnderTest(0, process.pid).cpu_seconds())
            process.terminate()
    details = f"median of 3; {median(cpu_times[1:]):.2f} s of the processor"
    expect_at_most("start to the first answer, s", details, median(times[1:]), 1)


def begin_games(url: str, prefix: str) -> list[list[Play]]:
    """Begins one game for each connection."""
    return [begin_game(url, f"{prefix}{index}") for index in range(CONNECTIONS)]


def begin_game(url: str, name: str, host: str = "bench") -> list[Play]:
    """Begins the demo's game with all seats taken. Returns the moves to play, each with a token."""
    options, texts = demo_moves()
    service = open_service(url)
    position = service.new(GAME.name, options, name=name, by="bench", served=[GameHosted(host, public=True)])
    stream, tokens, events = service.stream_of(name), dict[str, str](), list[MemberEvent]()
    for seat in position.seats:
        link, tokens[seat] = new_token("link", stream), new_token("seat", stream)
        events.append(SeatOffered(seat, id_of(link), digest(link)))
        events.append(SeatTaken(seat, id_of(link), seat, id_of(tokens[seat]), digest(tokens[seat])))
    service.change_members(name, lambda _: events, by="bench")
    plays, current_position = list[Play](), position
    for text in texts:
        seat = current_position.to_move[0]
        answer = current_position.game.rules.decide(
            current_position.state, seat, current_position.game.notation.parse(text, current_position.state)[1]
        )
        plays.append(Play(tokens[seat], text, name))
        state = getattr(answer, "state", None)
        if state is None:
            break
        current_position = type(current_position)(
            current_position.match, current_position.line, current_position.commit, state, current_position.game
        )
    service.store.close()
    return plays


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

    app = Litestar([show, health], openapi_config=None, logging_config=None)
    uvicorn.Server(uvicorn_config(app)).run([listener])


store_reading_server = partial(trivial_server, reads_store=True)


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
