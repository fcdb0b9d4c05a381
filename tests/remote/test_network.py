"""Bad networks: retried writes are stored once, some reads work offline, and redirects."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from event_store import StoreError
from tests.remote.loopback_server import LoopbackServer, texts
from zimcore.remote import client_files
from zimcore.remote.client_files import Keyring
from zimcore.remote.connection import MAX_ANSWER_BYTES, Connection, UnreachableError


@contextmanager
def between(port: int, cut: Callable[[int], bool]) -> Iterator[str]:
    """Passes bytes on to a server; the answers to some connections, by their number, never reach the client."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        number = 0
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=pass_on, args=(client, number), daemon=True).start()

    def pass_on(client: socket.socket, number: int) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            threading.Thread(target=pump, args=(client, server), daemon=True).start()
            with suppress(OSError):
                while (answer := server.recv(1 << 16)) and not cut(number):
                    client.sendall(answer)
            # If it was cut the server has answered, and only its client does not know.
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def pump(client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while request := client.recv(1 << 16):
                server.sendall(request)
            server.shutdown(socket.SHUT_WR)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def test_a_move_whose_answer_is_lost_is_stored_once(nim: LoopbackServer) -> None:
    ann = nim.sit("ann")
    token = ann.remote.token("k")
    with between(nim.port, lambda number: number <= 2) as url:
        lossy = Connection(url, pause=lambda _: None)
        answer = lossy.write("POST", "/v1/games/k/lines/main/moves", token, "the-same-key", _move("take 3"), "*")
        assert b'"take 3"' in answer.content
    assert texts(ann) == ["0 set up 10", "1 take 3"]


def test_a_link_whose_answer_is_lost_can_be_redeemed_again(nim: LoopbackServer) -> None:
    from zimcore.remote.invitations import join, parse_invitation

    invitation, folders = parse_invitation(nim.link("ann")), nim.folders("ann")
    with between(nim.port, lambda _: True) as url, pytest.raises(UnreachableError):
        join(Connection(url, pause=lambda _: None), folders, invitation, "ann")
    ring = client_files.read_file(folders.tokens, Keyring)
    assert not ring.tokens
    assert join(Connection(nim.url), folders, invitation, "ann").seat == "ann"
    ring = client_files.read_file(folders.tokens, Keyring)
    assert [each.seat for each in ring.tokens] == ["ann"]
    assert not ring.redeeming


def _move(text: str):  # type: ignore[no-untyped-def]
    from zimcore.documents.seats import Move

    return Move(text)


def test_reading_goes_on_offline_and_catches_up_on_coming_back(nim: LoopbackServer) -> None:
    ann, results = nim.sit("ann"), list[str]()
    ann.remote.notify = results.append
    ann.play_or_raise("k", "take 1", by="ann")
    nim.stop()
    assert texts(ann) == ["0 set up 10", "1 take 1"]
    assert [line.partition(":")[0] for line in results] == ["offline"]
    assert ann.offline_reason == f"offline: {nim.url} can't be reached"
    assert [len(ann.try_("k", ["take 2"]).positions), ann.verify("k").fault] == [1, None]
    another = nim.person("ann-player")  # a new process, which has only what is on the disk
    assert texts(another) == ["0 set up 10", "1 take 1"]
    assert [info.head for info in another.games()] == [1]
    with pytest.raises(UnreachableError, match="offline") as error:
        another.play("k", "take 2", by="ann", command_id="c7")
    assert "change nothing" in error.value.why
    assert error.value.hints == ("the same with --id c7: it is done only once",)
    nim.service.play_or_raise("k", "take 3", by="ben")
    nim.start()
    assert texts(another) == texts(ann) == ["0 set up 10", "1 take 1", "2 take 3"]
    assert (ann.offline_reason, another.offline_reason) == ("", "")


def test_what_was_never_read_is_not_there_offline(nim: LoopbackServer) -> None:
    nim.redeem_link("ann-player", nim.link("ann"))
    nim.stop()
    with pytest.raises(UnreachableError, match="can't be reached"):
        nim.person("ann-player").position("k")


@pytest.mark.parametrize("harm", [b"", b"{", b"\xff\xfe", b'{"game": "k"}', b"null"])
def test_a_cache_that_was_damaged_is_read_anew(nim: LoopbackServer, harm: bytes) -> None:
    nim.sit("ann").position("k")
    (file,) = nim.folders("ann-player").cache.rglob("*.jsonl")
    file.write_bytes(harm + b"\n")
    assert texts(nim.person("ann-player")) == ["0 set up 10"]


def test_a_line_that_was_half_written_is_none(nim: LoopbackServer) -> None:
    nim.sit("ann").position("k")
    (file,) = nim.folders("ann-player").cache.rglob("*.jsonl")
    nim.service.play_or_raise("k", "take 1", by="ann")
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:100])
    person = nim.person("ann-player")
    assert texts(person) == ["0 set up 10", "1 take 1"]
    assert len(file.read_bytes().splitlines()) == 2
    nim.stop()
    assert texts(nim.person("ann-player")) == ["0 set up 10", "1 take 1"]


class Strange(BaseHTTPRequestHandler):
    """A server that is not Zim."""

    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        type(self).seen.append(self.headers.get("Authorization", ""))
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
        """Nothing."""


@pytest.fixture
def strange() -> Iterator[str]:
    Strange.seen = []
    server = HTTPServer(("127.0.0.1", 0), Strange)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.mark.parametrize(
    ("path", "what"),
    [("/elsewhere", "has moved"), ("/error", "is not a server of games"), ("/endless", "without an end")],
)
def test_a_server_that_is_something_else(strange: str, path: str, what: str) -> None:
    with pytest.raises(StoreError, match=what) as error:
        Connection(strange).get(path, "zim_seat_secret")
    assert "zim_seat_secret" not in str(error.value)
    assert Strange.seen == ["Bearer zim_seat_secret"], "it was sent once, to the server that it is for"
    assert MAX_ANSWER_BYTES < 1 << 30


def test_a_page_is_no_document(strange: str, nim: LoopbackServer) -> None:
    ann = nim.sit("ann")
    ann.connection = ann.remote.connection = Connection(strange + "/html")
    with pytest.raises(StoreError, match="that zim does not understand"):
        ann.position("k")


def test_many_processes_keep_what_they_read_in_one_file(nim: LoopbackServer, tmp_path: Path) -> None:
    nim.sit("ann")
    people = [nim.person("ann-player") for _ in range(4)]
    for text in ("take 1", "take 2", "take 3"):
        nim.service.play_or_raise("k", text, by="x")
        threads = [threading.Thread(target=person.position, args=("k",)) for person in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    nim.stop()
    assert len(texts(nim.person("ann-player"))) == 4
