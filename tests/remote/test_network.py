"""Bad networks: retried writes are stored once, some reads work offline, and redirects."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import httpx
import pytest

from event_store import StoreError
from tests.remote.loopback_server import LoopbackServer, log_lines
from zimcore.remote import client_files, connection, server_health
from zimcore.remote.client_files import Keyring
from zimcore.remote.connection import MAX_ANSWER_BYTES, Connection, UnreachableError


@contextmanager
def dripping_server(content: bytes) -> Iterator[str]:
    """A server that sends some content, and then a byte now and then."""
    listener, is_over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def drip() -> None:
        with suppress(OSError):
            client, _ = listener.accept()
            with client:
                client.recv(1 << 16)
                client.sendall(content)
                while not is_over.wait(0.01):
                    client.sendall(b"x")

    threading.Thread(target=drip, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        is_over.set()
        listener.close()


OK_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"


@pytest.mark.parametrize("content", [b"", b"HTTP/1.1 200 OK\r\nX: ", OK_HEAD])
def test_a_server_that_drips_is_left(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a byte comes, the deadline is for the whole answer."""
    monkeypatch.setattr(connection, "MAX_ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(server_health, "MAX_ANSWER_SECONDS", 0.1)
    with dripping_server(content) as url, pytest.raises(UnreachableError) as error:
        Connection(url).get("/v1/games")
    assert (error.value.what, error.value.hints) == (f"{url} is too slow", ("the same command again",))
    assert error.value.why == "its answer has no end after 0.1 seconds"
    with dripping_server(content) as url, pytest.raises(StoreError, match="does not answer"):
        server_health.Server(url, httpx.Client(), ()).get("/health")


@pytest.mark.parametrize("content", [b"", b"HTTP/1.1 500 Oh\r\nContent-Length: 10000\r\n\r\n"])
def test_the_head_of_a_feed_has_a_deadline_and_so_has_an_error(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_SECONDS", 0.1)
    with dripping_server(content) as url, pytest.raises(UnreachableError, match="is too slow"):
        next(Connection(url).listen("/feed", ""))


def test_a_feed_has_no_deadline_but_its_messages_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(connection, "MAX_MESSAGE_BYTES", 60)
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with dripping_server(head) as url, pytest.raises(StoreError, match="sent too long an answer"):
        next(Connection(url).listen("/feed", ""))


@contextmanager
def lossy_proxy(port: int, is_cut: Callable[[int], bool]) -> Iterator[str]:
    """A proxy of a server that drops the answers to some connections, chosen by their number."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept_connections() -> None:
        connection_number = 0
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            connection_number += 1
            threading.Thread(target=forward, args=(client, connection_number), daemon=True).start()

    def forward(client: socket.socket, connection_number: int) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            threading.Thread(target=copy_requests, args=(client, server), daemon=True).start()
            with suppress(OSError):
                while (answer := server.recv(1 << 16)) and not is_cut(connection_number):
                    client.sendall(answer)
            # After a cut the server has answered, but the client does not know.
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def copy_requests(client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while request := client.recv(1 << 16):
                server.sendall(request)
            server.shutdown(socket.SHUT_WR)

    threading.Thread(target=accept_connections, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def test_a_move_whose_answer_is_lost_is_stored_once(nim_server: LoopbackServer) -> None:
    ann = nim_server.sit("ann")
    token = ann.remote_lines.token("k")
    with lossy_proxy(nim_server.port, lambda connection_number: connection_number <= 2) as url:
        connection = Connection(url, pause=lambda _: None)
        answer = connection.write(
            "POST", "/v1/games/k/lines/main/moves", token, "the-same-key", make_move("take 3"), "*"
        )
        assert b'"take 3"' in answer.content
    assert log_lines(ann) == ["0 set up 10", "1 take 3"]


def test_a_link_whose_answer_is_lost_can_be_redeemed_again(nim_server: LoopbackServer) -> None:
    from zimcore.remote.invitations import join, parse_invitation

    invitation, folders = parse_invitation(nim_server.link("ann")), nim_server.folders("ann")
    with lossy_proxy(nim_server.port, lambda _: True) as url, pytest.raises(UnreachableError):
        join(Connection(url, pause=lambda _: None), folders, invitation, "ann")
    keyring = client_files.read_file(folders.tokens_file, Keyring)
    assert not keyring.tokens
    assert join(Connection(nim_server.url), folders, invitation, "ann").seat == "ann"
    keyring = client_files.read_file(folders.tokens_file, Keyring)
    assert [each.seat for each in keyring.tokens] == ["ann"]
    assert not keyring.redeeming


def make_move(text: str):  # type: ignore[no-untyped-def]
    from zimcore.documents.seats import Move

    return Move(text)


def test_reading_goes_on_offline_and_catches_up_on_coming_back(nim_server: LoopbackServer) -> None:
    ann, notices = nim_server.sit("ann"), list[str]()
    ann.remote_lines.notify = notices.append
    ann.play_or_raise("k", "take 1", by="ann")
    nim_server.stop()
    assert log_lines(ann) == ["0 set up 10", "1 take 1"]
    assert [line.partition(":")[0] for line in notices] == ["offline"]
    assert ann.offline_reason == f"offline: {nim_server.url} can't be reached"
    assert [len(ann.try_("k", ["take 2"]).positions), ann.verify("k").fault] == [1, None]
    new_client = nim_server.person("ann-player")  # like a new process: it has only the files on disk
    assert log_lines(new_client) == ["0 set up 10", "1 take 1"]
    assert [info.head for info in new_client.games()] == [1]
    with pytest.raises(UnreachableError, match="offline") as error:
        new_client.play("k", "take 2", by="ann", command_id="c7")
    assert "change nothing" in error.value.why
    assert error.value.hints == ("the same with --id c7: it is done only once",)
    nim_server.service.play_or_raise("k", "take 3", by="ben")
    nim_server.start()
    assert log_lines(new_client) == log_lines(ann) == ["0 set up 10", "1 take 1", "2 take 3"]
    assert (ann.offline_reason, new_client.offline_reason) == ("", "")


def test_a_position_that_was_never_read_is_missing_offline(nim_server: LoopbackServer) -> None:
    nim_server.redeem_link("ann-player", nim_server.link("ann"))
    nim_server.stop()
    with pytest.raises(UnreachableError, match="can't be reached"):
        nim_server.person("ann-player").position("k")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"game": "k"}', b"null"])
def test_a_cache_that_was_damaged_is_read_anew(nim_server: LoopbackServer, content: bytes) -> None:
    nim_server.sit("ann").position("k")
    (file,) = nim_server.folders("ann-player").cache.rglob("*.jsonl")
    file.write_bytes(content + b"\n")
    assert log_lines(nim_server.person("ann-player")) == ["0 set up 10"]


def test_a_half_written_line_of_the_cache_is_read_anew(nim_server: LoopbackServer) -> None:
    nim_server.sit("ann").position("k")
    (file,) = nim_server.folders("ann-player").cache.rglob("*.jsonl")
    nim_server.service.play_or_raise("k", "take 1", by="ann")
    content = file.read_bytes()
    file.write_bytes(content + content[:100])
    ann_client = nim_server.person("ann-player")
    assert log_lines(ann_client) == ["0 set up 10", "1 take 1"]
    assert len(file.read_bytes().splitlines()) == 2
    nim_server.stop()
    assert log_lines(nim_server.person("ann-player")) == ["0 set up 10", "1 take 1"]


class OtherServer(BaseHTTPRequestHandler):
    """A server that is not Zim."""

    tokens_seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        type(self).tokens_seen.append(self.headers.get("Authorization", ""))
        path, port = self.path.partition("?")[0], self.headers["Host"].rpartition(":")[2]
        if path.startswith("/elsewhere"):
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{port}/thief")
            self.end_headers()
        elif path.startswith("/endless"):
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 20))
            except OSError:
                return
        else:
            self.send_response(200 if path.startswith("/html") else 500)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<html>\x1b[2J")

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture
def other_server_url() -> Iterator[str]:
    OtherServer.tokens_seen = []
    server = HTTPServer(("127.0.0.1", 0), OtherServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.mark.parametrize(
    ("path", "message"),
    [("/elsewhere", "has moved"), ("/error", "is not a server of games"), ("/endless", "too long an answer")],
)
def test_a_server_that_is_not_zim_is_an_error(other_server_url: str, path: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as error:
        Connection(other_server_url).get(path, "zim_seat_secret")
    assert "zim_seat_secret" not in str(error.value)
    assert OtherServer.tokens_seen == ["Bearer zim_seat_secret"], "the token was sent once, to its own server only"
    assert MAX_ANSWER_BYTES < 1 << 30


def test_a_page_in_place_of_a_document_is_an_error(other_server_url: str, nim_server: LoopbackServer) -> None:
    ann = nim_server.sit("ann")
    ann.connection = ann.remote_lines.connection = Connection(other_server_url + "/html")
    with pytest.raises(StoreError, match="that this Zim does not understand"):
        ann.position("k")


def test_many_processes_keep_what_they_read_in_one_file(nim_server: LoopbackServer, tmp_path: Path) -> None:
    nim_server.sit("ann")
    people = [nim_server.person("ann-player") for _ in range(4)]
    for text in ("take 1", "take 2", "take 3"):
        nim_server.service.play_or_raise("k", text, by="x")
        threads = [threading.Thread(target=person.position, args=("k",)) for person in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    nim_server.stop()
    assert len(log_lines(nim_server.person("ann-player"))) == 4
