"""Benchmarks the server over real sockets, with clients in a separate process, against a bare ASGI program under
uvicorn.

Needs the extra `server` and PostgreSQL (ZIM_TEST_POSTGRES; without it the store is SQLite). Reads ask for the position
of a game, writes play the moves of the demo's game; every connection has its own game. The server's CPU time is printed
too: on a busy machine, that is the figure to compare.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import fmean, median
from urllib.request import urlopen

from scripts.benchmarks.server_clients import (
    LISTENERS,
    LoadResult,
    play_after_legal,
    play_moves,
    read_document,
    read_legal,
    read_positions,
    read_unchanged,
    run_async_client,
    run_client,
    wait_idle,
    watch_elsewhere,
    watch_moves,
)
from scripts.benchmarks.server_games import CONNECTIONS, Play, begin_game, begin_games
from scripts.benchmarks.server_peers import (
    MOVE_MESSAGE,
    SPAWN,
    ServerUnderTest,
    bare_server,
    our_server,
    serving,
    signalling_server,
    trivial_server,
)
from scripts.shared.measure import CORES, demo_moves, environment, expect_at_least, expect_at_most, postgres
from zimcore.documents.play import legal_answer
from zimcore.games.zimbabwe import GAME
from zimcore.server.wire.problem_responses import encode_document
from zimcore.service import GameService, open_service
from zimcore.service.records.memberships import GameHosted

FEW_GAMES = 10
MANY_GAMES = 10_000
LOOK_REASON = "each answer looks into the store, which says whether the token is valid: twice that look"
"""Why an answer can't take twice a trivial handler, and a 304 not a fourth of a 200."""


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


store_reading_server = partial(trivial_server, reads_store=True)
