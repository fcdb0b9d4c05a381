"""Bad networks and bad clients over real sockets: each is answered or dropped, and others are served."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from event_store import EventStore
from tests.server.game_server import BEGIN, GENEROUS, KINDS, Client, GameServer, game_server
from tests.server.process import serving
from tests.server.test_process import sat_down
from tests.waiting import PATIENCE
from zimcore.server.app import make_app
from zimcore.service import GameService


class Served:
    """A server, a player at a seat, and raw sockets to it."""

    def __init__(self, port: int, anna: Client, line: str) -> None:
        self.port, self.anna, self.line = port, anna, line

    def socket(self, content: bytes = b"") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.sendall(content)
        return connection

    def move(self, text: str, key: str, head: str) -> bytes:
        """A request to play."""
        body = b'{"move": "%s"}' % text.encode()
        return (
            f"POST {self.line}/moves HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.anna.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nIdempotency-Key: {key}\r\n"
            f"If-Match: {head}\r\n\r\n"
        ).encode() + body


@pytest.fixture(scope="module")
def served_match(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder) as server:
        _, anna, line = sat_down(server, folder)
        yield Served(int(server.url.rpartition(":")[2]), anna, line)


def test_clients_that_send_half_a_request_block_no_others(served_match: Served) -> None:
    half = (b"", b"GET / HT", b"GET /health HTTP/1.1\r\nHost:", served_match.move("x", "k", "*")[:-5])
    with ExitStack() as stack:
        for at in range(200):
            stack.enter_context(served_match.socket(half[at % len(half)]))
        for _ in range(3):
            assert served_match.anna.get(served_match.line).status_code == 200


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),  # TLS, where there is none
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (1 << 20),
        b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 100_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (20 << 10) + b"\r\n\r\n",  # all of it comes at once
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_a_request_that_is_not_http_is_refused_and_closed(served_match: Served, request_: bytes) -> None:
    with suppress(ConnectionError), served_match.socket() as client:  # it may be left while all of it is being sent
        client.sendall(request_)
        answer = client.recv(1 << 16)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert served_match.anna.get(served_match.line).status_code == 200


def test_a_body_without_an_end_is_not_read_to_it(served_match: Served) -> None:
    head = served_match.move("x", "endless", "*").partition(b"Content-Length")[0]
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    sent = 0
    with served_match.socket(
        head + b"Idempotency-Key: e\r\nIf-Match: *\r\nTransfer-Encoding: chunked\r\n\r\n"
    ) as client:
        with suppress(ConnectionError):
            while sent < 10_000:  # 640 MB, which nobody takes
                client.sendall(chunk)
                sent += 1
        with suppress(ConnectionError):
            answer = client.recv(1 << 16)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 413")
    assert sent < 1000
    assert served_match.anna.get(served_match.line).status_code == 200


def test_a_move_that_comes_twice_on_one_connection_is_played_once(served_match: Served) -> None:
    before = served_match.anna.ok(served_match.line)["position"]["number"]
    legal = served_match.anna.ok(f"{served_match.line}/legal?most=1")["legal"][0]
    request = served_match.move(legal, "twice", "*")
    with served_match.socket(request + request) as client:
        answers = b""
        while answers.count(b'"command":"do"') < 2:
            part = client.recv(1 << 16)
            assert part, answers
            answers += part
    assert answers.count(b"HTTP/1.1 201") == 2
    assert served_match.anna.ok(served_match.line)["position"]["number"] == before + 1


def test_of_two_tabs_of_one_seat_one_gets_a_conflict(nim: GameServer) -> None:
    for stale in range(4):
        seat, head = nim.service.head("k").to_move[0], nim.head()
        tabs = [nim.seats[seat], Client(nim.http, nim.seats[seat].token)]
        with ThreadPoolExecutor(2) as pool:
            answers = [
                pool.submit(tab, "POST", f"{nim.main}/moves", {"move": "take 1"}, key=f"{stale}-{at}", head=head)
                for at, tab in enumerate(tabs)
            ]
        statuses = [answer.result().status_code for answer in answers]
        assert sorted(statuses) == [201, 412]
        late = tabs[0]("POST", f"{nim.main}/moves", {"move": "take 1"}, key=f"{stale}-late", head=head)
        assert (late.status_code, late.json()["head"]) == (412, nim.head())
        winner = statuses.index(201)
        again = tabs[1 - winner]("POST", f"{nim.main}/moves", {"move": "take 1"}, key=f"{stale}-{winner}", head=head)
        assert again.content == answers[winner].result().content, "asked for again by the other tab, after all of that"
    assert nim.service.head("k").commit.number == 4


def test_processes_whose_clocks_differ_play_one_game(tmp_path: Path) -> None:
    """By a day, in both directions: no order depends on a clock."""
    with game_server(tmp_path, "nim", {"stones": "20"}) as server, ExitStack() as stack:
        others = list[Any]()
        for days in (-1, 1):
            now = BEGIN + timedelta(days=days)

            def open_(now: datetime = now) -> GameService:
                return GameService(EventStore.open(f"sqlite:///{tmp_path}/games.zim"), lambda: now, games=KINDS)

            others.append(stack.enter_context(TestClient(make_app(open_, GENEROUS))))
        for number in range(9):
            seat = server.service.head("k").to_move[0]
            played = Client([server.http, *others][number % 3], server.seats[seat].token)
            answer = played("POST", f"{server.main}/moves", {"move": "take 1"}, key=f"n{number}", head=server.head())
            assert answer.status_code == 201, answer.text
        assert [commit.number for commit in server.service.log("k")] == list(range(10))
        assert server.service.verify("k").fault is None
