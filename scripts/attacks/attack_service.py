"""Kills the server's processes and its database. Acknowledged moves must be stored once, and appear once in feeds.

Writers retry each move until it is answered, always with the same key. Some moves are sent twice at once, as from two
tabs, and some are sent again later. Listeners resume after their last message, at any process.
"""

from __future__ import annotations

import json
import random
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import httpx

from scripts.attacks.attack_restarts import START_TIMEOUT, PrivateServer, private_server
from scripts.attacks.attack_target import Breach, ReportOutcome, Target
from scripts.benchmarks.server_games import Play, begin_game
from tests.server.deployment import ServerProcess, two_processes
from zimcore.service import open_service

GAME_COUNT = 3
PAUSE_SECONDS = 0.03
"""Seconds between the moves of a game, so that the moves last until the server is killed."""


class Match(NamedTuple):
    """A game that is played and followed at some processes, until it is stopped."""

    name: str
    plays: Sequence[Play]
    workers: Sequence[ServerProcess]
    stop: Event
    report: ReportOutcome

    @property
    def line(self) -> str:
        """The path of its line."""
        return f"/v1/games/{self.name}/lines/main"

    def cycle_clients(self) -> Iterator[httpx.Client]:
        """Yields clients of each process in turn, endlessly. Each game has an address of its own."""
        address_header = {"X-Forwarded-For": f"192.0.2.{self.name.removeprefix('g')}"}
        with ExitStack() as stack:
            clients = [
                stack.enter_context(httpx.Client(base_url=worker.url, headers=address_header))
                for worker in self.workers
            ]
            while True:
                yield from clients


def attack_two_workers(target: Target, tries: int, report: ReportOutcome) -> None:
    """Kills one of two processes, or their database, at random times."""
    del target
    rng, stop = random.Random(13), Event()
    with private_server() as server, tempfile.TemporaryDirectory(prefix="zim-service-") as folder_name:
        plays_by_game = {f"g{index}": begin_game(server.url, f"g{index}") for index in range(GAME_COUNT)}
        with two_processes(Path(folder_name), server.url) as processes:
            matches = [Match(game, plays, processes, stop, report) for game, plays in plays_by_game.items()]
            with ThreadPoolExecutor(2 * GAME_COUNT) as pool:
                writers = [pool.submit(play_moves, match) for match in matches]
                readers = [
                    pool.submit(follow_feed, match, writer) for match, writer in zip(matches, writers, strict=True)
                ]
                try:
                    for number in range(tries):
                        if any(writer.done() and writer.exception() for writer in writers):
                            break
                        time.sleep(rng.uniform(0.2, 1.0))
                        if number % 3 == 1:
                            server.kill()
                            server.start()
                            report("database killed")
                        else:
                            processes[number % 2].end(signal.SIGKILL)
                            processes[number % 2].start()
                            report("process killed")
                finally:
                    stop.set()
            for match, writer, reader in zip(matches, writers, readers, strict=True):
                check_match(server, match, writer.result(), reader.result())


class SentMove(NamedTuple):
    """A move that was sent: its key, the head it was sent for, and the digest that it led to."""

    play: Play
    key: str
    head: str
    digest: str = ""


def play_moves(match: Match) -> list[SentMove]:
    """Plays a game until it is stopped. Returns the acknowledged moves."""
    rng, moves = random.Random(match.name), list[SentMove]()
    clients, second_clients = match.cycle_clients(), match.cycle_clients()
    head = read_position(clients, match)["position"]["digest"]
    with ThreadPoolExecutor(1) as second_pool:
        for number, play in enumerate(match.plays):
            if match.stop.is_set():
                break
            tabs = [SentMove(play, f"{number}-{tab}", head) for tab in range(1 + (number % 4 == 3))]
            second_tab = second_pool.submit(send_move, second_clients, match, tabs[1]) if len(tabs) == 2 else None
            responses = [send_move(clients, match, tabs[0]), *([second_tab.result()] if second_tab else [])]
            accepted_moves = [move for move in responses if move.digest]
            if len(accepted_moves) != 1:
                raise Breach(f"{match.name}: of two tabs {len(accepted_moves)} have played")
            moves += accepted_moves
            head = accepted_moves[0].digest
            if number % 6 == 5:
                old_move = rng.choice(moves)
                if send_move(clients, match, old_move) != old_move:
                    raise Breach(f"{match.name}: {old_move.key} sent again has another answer")
                match.report("sent again later: the same answer")
            time.sleep(PAUSE_SECONDS)
    return moves


def send_move(clients: Iterator[httpx.Client], match: Match, move: SentMove) -> SentMove:
    """Sends a move until it is answered. The digest is empty if another move was faster."""
    headers = {"Authorization": f"Bearer {move.play.token}", "Idempotency-Key": move.key, "If-Match": f'"{move.head}"'}
    response = send_request(clients, match, "POST", "/moves", headers, json={"move": move.play.text})
    if response.status_code == 412:
        return move._replace(digest="")
    if response.status_code != 201:
        raise Breach(f"{match.name}: {move.play.text} is answered {response.status_code}: {response.text}")
    return move._replace(digest=response.json()["digest"])


def read_position(clients: Iterator[httpx.Client], match: Match) -> Any:
    """The current position of a game."""
    return send_request(clients, match, "GET", "", {}).json()


def send_request(
    clients: Iterator[httpx.Client], match: Match, method: str, path: str, headers: dict[str, str], **options: Any
) -> httpx.Response:
    """Sends a request to one process after another until one answers."""
    deadline = time.monotonic() + START_TIMEOUT
    for client in clients:
        if time.monotonic() > deadline:
            break
        with suppress(httpx.TransportError):
            response = client.request(method, match.line + path, headers=headers, timeout=10, **options)
            if response.status_code not in (429, 503):
                return response
        match.report("cut off or sent away, and asked again")
        time.sleep(0.05)
    raise Breach(f"{match.name}: nobody answers")


def follow_feed(match: Match, writer: Future[list[SentMove]]) -> list[int]:
    """Follows a feed. Returns the numbers of the moves in it."""
    received_numbers, last_event_id, deadline = list[int](), "0.0.0", 0.0
    for client in match.cycle_clients():
        if writer.done():
            deadline = deadline or time.monotonic() + START_TIMEOUT
            if len(received_numbers) > len(writer.result()) or time.monotonic() > deadline:
                break
        headers = {"Accept": "application/x-ndjson", "Last-Event-ID": last_event_id}
        with (
            suppress(httpx.TransportError),
            client.stream("GET", f"{match.line}/feed", headers=headers, timeout=2) as feed,
        ):
            for text in feed.iter_lines() if feed.status_code == 200 else ():
                message = json.loads(text)
                last_event_id = message["id"]
                if message["event"] == "commit":
                    received_numbers.append(message["data"]["position"]["number"])
                if writer.done() and len(received_numbers) > len(writer.result()):
                    break
        match.report("a feed was broken, and went on")
        time.sleep(0.05)
    return received_numbers


def check_match(server: PrivateServer, match: Match, sent_moves: list[SentMove], received_numbers: list[int]) -> None:
    """Raises `Breach` unless every acknowledged move is stored once, and was in the feed once."""
    with (service := open_service(server.url)).store:
        log = [commit.digest for commit in service.log(match.name)]
        if log[1:] != [move.digest for move in sent_moves]:
            raise Breach(f"{match.name}: {len(sent_moves)} were acknowledged, {len(log) - 1} are stored")
        if received_numbers != list(range(len(log))):
            raise Breach(f"{match.name}: its feed has {received_numbers}")
        if fault := service.verify(match.name).fault:
            raise Breach(f"{match.name}: {fault}")
    for _ in sent_moves:
        match.report("acknowledged, there once, told once")
