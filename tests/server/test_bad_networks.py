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
from tests.server.game_server import FIRST_TIME, GAMES_BY_KIND, GENEROUS_SETTINGS, Client, GameServer, game_server
from tests.server.server_process import running_server
from tests.server.test_process import take_first_seat
from tests.timeouts import PATIENCE
from zimcore.server.app import make_app
from zimcore.service import GameService


class ServerWithSockets:
    """A server, a player at a seat, and raw sockets to it."""

    def __init__(self, port: int, anna: Client, line: str) -> None:
        self.port, self.anna, self.line = port, anna, line

    def socket(self, content: bytes = b"") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.sendall(content)
        return connection

    def move_request(self, text: str, key: str, expected_head: str) -> bytes:
        """A request to play."""
        body = b'{"move": "%s"}' % text.encode()
        return (
            f"POST {self.line}/moves HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.anna.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nIdempotency-Key: {key}\r\n"
            f"If-Match: {expected_head}\r\n\r\n"
        ).encode() + body


@pytest.fixture(scope="module")
def served_match(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerWithSockets]:
    folder = tmp_path_factory.mktemp("served")
    with running_server(folder) as server:
        _, anna, line = take_first_seat(server, folder)
        yield ServerWithSockets(int(server.url.rpartition(":")[2]), anna, line)


def test_clients_that_send_half_a_request_block_no_others(served_match: ServerWithSockets) -> None:
    half_requests = (b"", b"GET / HT", b"GET /health HTTP/1.1\r\nHost:", served_match.move_request("x", "k", "*")[:-5])
    with ExitStack() as stack:
        for index in range(200):
            stack.enter_context(served_match.socket(half_requests[index % len(half_requests)]))
        for _ in range(3):
            assert served_match.anna.get(served_match.line).status_code == 200


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),  # TLS, where there is none
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (1 << 20),
        b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 100_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (20 << 10) + b"\r\n\r\n",  # all of it comes at once
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_a_request_that_is_not_http_is_refused_and_closed(
    served_match: ServerWithSockets, request_bytes: bytes
) -> None:
    with suppress(ConnectionError), served_match.socket() as client:  # it may be left while all of it is being sent
        client.sendall(request_bytes)
        response = client.recv(1 << 16)
        assert response == b"" or response.startswith(b"HTTP/1.1 4")
    assert served_match.anna.get(served_match.line).status_code == 200


def test_an_endless_body_is_not_read_to_its_end(served_match: ServerWithSockets) -> None:
    headers = served_match.move_request("x", "endless", "*").partition(b"Content-Length")[0]
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    chunks_sent = 0
    with served_match.socket(
        headers + b"Idempotency-Key: e\r\nIf-Match: *\r\nTransfer-Encoding: chunked\r\n\r\n"
    ) as client:
        with suppress(ConnectionError):
            while chunks_sent < 10_000:  # 640 MB, far over the limit
                client.sendall(chunk)
                chunks_sent += 1
        with suppress(ConnectionError):
            response = client.recv(1 << 16)
            assert response == b"" or response.startswith(b"HTTP/1.1 413")
    assert chunks_sent < 1000
    assert served_match.anna.get(served_match.line).status_code == 200


def test_a_move_sent_twice_on_one_connection_is_played_once(served_match: ServerWithSockets) -> None:
    number_before = served_match.anna.get_json(served_match.line)["position"]["number"]
    legal_move = served_match.anna.get_json(f"{served_match.line}/legal?most=1")["legal"][0]
    request = served_match.move_request(legal_move, "twice", "*")
    with served_match.socket(request + request) as client:
        received_bytes = b""
        while received_bytes.count(b'"command":"do"') < 2:
            new_bytes = client.recv(1 << 16)
            assert new_bytes, received_bytes
            received_bytes += new_bytes
    assert received_bytes.count(b"HTTP/1.1 201") == 2
    assert served_match.anna.get_json(served_match.line)["position"]["number"] == number_before + 1


def test_the_slower_of_two_tabs_of_a_seat_gets_a_conflict(nim_server: GameServer) -> None:
    for round_number in range(4):
        seat, head = nim_server.service.head("k").to_move[0], nim_server.head()
        tabs = [nim_server.seats[seat], Client(nim_server.http, nim_server.seats[seat].token)]
        with ThreadPoolExecutor(2) as pool:
            pending_responses = [
                pool.submit(
                    tab,
                    "POST",
                    f"{nim_server.main}/moves",
                    {"move": "take 1"},
                    key=f"{round_number}-{tab_index}",
                    head=head,
                )
                for tab_index, tab in enumerate(tabs)
            ]
        statuses = [pending_response.result().status_code for pending_response in pending_responses]
        assert sorted(statuses) == [201, 412]
        late_response = tabs[0](
            "POST", f"{nim_server.main}/moves", {"move": "take 1"}, key=f"{round_number}-late", head=head
        )
        assert (late_response.status_code, late_response.json()["head"]) == (412, nim_server.head())
        winner_index = statuses.index(201)
        retry = tabs[1 - winner_index](
            "POST", f"{nim_server.main}/moves", {"move": "take 1"}, key=f"{round_number}-{winner_index}", head=head
        )
        assert retry.content == pending_responses[winner_index].result().content, (
            "asked for again by the other tab, after all of that"
        )
    assert nim_server.service.head("k").commit.number == 4


def test_processes_whose_clocks_differ_play_one_game(tmp_path: Path) -> None:
    """Clocks differ by a day in both directions: no order depends on them."""
    with game_server(tmp_path, "nim", {"stones": "20"}) as server, ExitStack() as stack:
        other_clients = list[Any]()
        for days in (-1, 1):
            now = FIRST_TIME + timedelta(days=days)

            def open_service(now: datetime = now) -> GameService:
                return GameService(EventStore.open(f"sqlite:///{tmp_path}/games.zim"), lambda: now, games=GAMES_BY_KIND)

            other_clients.append(stack.enter_context(TestClient(make_app(open_service, GENEROUS_SETTINGS))))
        for number in range(9):
            seat = server.service.head("k").to_move[0]
            client = Client([server.http, *other_clients][number % 3], server.seats[seat].token)
            response = client("POST", f"{server.main}/moves", {"move": "take 1"}, key=f"n{number}", head=server.head())
            assert response.status_code == 201, response.text
        assert [commit.number for commit in server.service.log("k")] == list(range(10))
        assert server.service.verify("k").fault is None
