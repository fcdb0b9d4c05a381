"""Clients that send or read too slowly, or go away, over raw sockets: each is dropped, and none is logged as a bug."""

from __future__ import annotations

import logging
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from litestar import Litestar
from msgspec.structs import replace

from tests.server.game_server import GENEROUS_SETTINGS, service_opener
from tests.server.test_bot_players import wait_until
from tests.timeouts import PATIENCE
from zimcore.server.app import Settings, make_app
from zimcore.server.serving import Server, uvicorn_config
from zimcore.service.records.memberships import GameHosted

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
UPLOAD = (
    b"POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\n"
    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)
FEED = b"GET /v1/games/k/lines/main/feed HTTP/1.1\r\nHost: localhost\r\n\r\n"
LONG_ANSWER = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"


class ListeningServer(NamedTuple):
    """A server in a thread of this process."""

    server: Server
    port: int

    def connect(self, content: bytes = b"") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        client.sendall(content)
        return client

    def connection_count(self) -> int:
        return len(self.server.server_state.connections)


@pytest.fixture
def listening_server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ListeningServer]:
    """A server with a public game, `k`, and the limits of the test's parameter."""
    limits = replace(GENEROUS_SETTINGS.limits, **getattr(request, "param", {}))
    open_service = service_opener(tmp_path)
    service = open_service()
    with service.store:
        service.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna", True)])
    settings: Settings = replace(GENEROUS_SETTINGS, limits=limits, beat_seconds=0.05)
    app: Litestar = make_app(open_service, settings)
    is_ready = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(uvicorn_config(app), app.state.dispatcher, lambda _: is_ready.set())
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        assert is_ready.wait(PATIENCE)
        yield ListeningServer(server, listener.getsockname()[1])
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a connection is still open"


def received_while_dripping(client: socket.socket, byte: bytes) -> bytes:
    """What a server sends until it closes a connection to which a byte is sent now and then."""
    received = b""
    client.settimeout(0.02)
    with suppress(ConnectionError):
        for _ in range(round(PATIENCE / 0.02)):
            with suppress(TimeoutError):
                content = client.recv(1 << 16)
                received += content
                if not content:
                    return received
            client.sendall(byte)
        raise AssertionError(f"it is still open: {received!r}")
    return received


@pytest.mark.parametrize("listening_server", [{"head_seconds": 0.15}], indirect=True)
@pytest.mark.parametrize(
    ("content", "byte", "answer"),
    [
        (b"", b"", b""),
        (b"\r\n", b"\n", b"HTTP/1.1 408"),
        (HEAD + b"X: ", b"x", b"HTTP/1.1 408"),
        (b"GET / HT", b"", b"HTTP/1.1 408"),
        (HEAD + b"\r\n", b"\r\n", b"HTTP/1.1 408"),  # after the answer to the first request
        (HEAD + b"\r\n" + HEAD + b"X: ", b"x", b"HTTP/1.1 408"),
    ],
)
def test_a_head_that_does_not_arrive_in_time_ends_the_connection(
    listening_server: ListeningServer, content: bytes, byte: bytes, answer: bytes
) -> None:
    """However often a byte of it comes: the deadline is for the whole head."""
    with listening_server.connect(content) as client:
        received = received_while_dripping(client, byte)
    last_answer = received[received.rfind(b"HTTP/1.1") :] if received else b""
    assert last_answer.startswith(answer)
    assert not answer or b"x-content-type-options: nosniff" in last_answer


@pytest.mark.parametrize("listening_server", [{"body_seconds": 0.15}], indirect=True)
@pytest.mark.parametrize(
    ("content", "status"), [(UPLOAD, b"408"), (HEAD + b"Content-Length: 1000\r\n\r\n", b"200")], ids=["read", "unread"]
)
def test_a_body_that_does_not_arrive_in_time_ends_the_connection(
    listening_server: ListeningServer, content: bytes, status: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that nobody reads, as that of a GET."""
    monkeypatch.setattr("zimcore.server.wire.protocol.SPARE_SECONDS", 0.05)
    with listening_server.connect(content) as client:
        assert received_while_dripping(client, b" ").startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize("listening_server", [{"head_seconds": 0.1, "body_seconds": 0.1}], indirect=True)
def test_a_feed_has_no_deadline(listening_server: ListeningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.server.wire.protocol.SPARE_SECONDS", 0.0)
    with listening_server.connect(FEED) as client:
        beats = 0
        while beats < 8:  # four times as long as both deadlines
            content = client.recv(1 << 16)
            assert content
            beats += content.count(b"\r\n:") + content.count(b"\n\n")


@pytest.mark.parametrize("listening_server", [{"stall_seconds": 0.1}], indirect=True)
def test_a_client_that_takes_nothing_is_cut_off(
    listening_server: ListeningServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Not closed in good order: the server would wait until it has taken all."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", listening_server.port))
        client.sendall(LONG_ANSWER * 100)
        wait_until(lambda: listening_server.connection_count() == 1)
        wait_until(lambda: listening_server.connection_count() == 0)
    assert not bugs(caplog)


@pytest.mark.parametrize("is_reset", [True, False])
@pytest.mark.parametrize(
    "content", [FEED, LONG_ANSWER, LONG_ANSWER * 50, FEED + LONG_ANSWER, UPLOAD, HEAD], ids=lambda each: len(each)
)
def test_a_client_that_goes_away_is_no_bug(
    listening_server: ListeningServer, content: bytes, is_reset: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """In the middle of an answer, a feed, an upload or a head: nothing is logged, and nothing stays open."""
    for received_bytes in (0, 100):
        with listening_server.connect(content) as client:
            if received_bytes and content not in (UPLOAD, HEAD):
                client.recv(received_bytes)
            if is_reset:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: listening_server.connection_count() == 0)
    assert not bugs(caplog)


def bugs(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged as an error."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
