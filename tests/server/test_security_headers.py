"""Every response has the headers of `SECURITY_HEADERS`, whoever makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
from msgspec.structs import replace

from event_store import StoreError
from tests.server.game_server import GENEROUS_SETTINGS, GameServer, game_server
from tests.server.test_slow_clients import HEAD, ListeningServer, listening_server, received_while_dripping
from zimcore.server.pages.rendering import files_version, static_files
from zimcore.server.wire.security_headers import SECURITY_HEADERS
from zimcore.service import GameService

__all__ = ["listening_server"]

STATUSES = {*(200, 201, 204, 302, 304, 400, 401, 403, 404, 405, 412, 413, 415, 421, 422, 428, 429, 500, 503)}
"""What is asked for here; 408 and 499 are in `test_a_body_without_its_end_is_a_client_error`."""


def responses_of_all_addresses(server: GameServer) -> Iterator[httpx.Response]:
    """Each address of the application, read, written and asked in a method that it has not."""
    values = {"game": "k", "line": "main", "seat": "ann", "number": "1", "kind": "nim", "version": files_version()}
    server.http.app.state.dispatcher.feeds.is_closing = True  # a feed ends after its messages so far
    for route in server.http.app.routes:
        parts = [values.get(part[1:].partition(":")[0], "x") if "{" in part else part for part in route.path.split("/")]
        accept = {"Accept": "application/json" if parts[1] == "v1" else "text/html"}
        for method in ("GET", "POST", "BREW"):
            yield server.seats["ann"](method, "/".join(parts), headers=accept)


def responses_of_each_status(server: GameServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Response]:
    ann, moves, move = server.seats["ann"], f"{server.main}/moves", {"move": "take 1"}
    yield ann.get(server.main, **{"If-None-Match": f'"{server.head()}"'})
    yield ann.get(f"{server.main}?nonsense=1")
    yield server.http.get("/favicon.ico", follow_redirects=False)
    yield from (server.nobody.get(f"/static/{files_version()}/{name}") for name in [*static_files(), "nothing.js"])
    yield from (server.nobody.get(path) for path in ("/nowhere", "/a%2fb", "/health", server.main))
    yield from (server.nobody(method, moves) for method in ("HEAD", "OPTIONS", "POST"))
    yield server.nobody.get("/health", Host="elsewhere.example")
    yield ann("POST", moves, move)
    yield ann("POST", moves, {"move": "take 9"}, head="*")
    yield ann("POST", moves, move, head="f" * 32)
    yield ann("POST", moves, {"move": "x" * 70_000}, head="*")
    yield ann("POST", moves, move, head="*", headers={"Content-Type": "text/plain"})
    yield ann("POST", moves, move, head="*")
    for error in (ValueError("a bug"), StoreError("no disk")):
        monkeypatch.setattr(GameService, "tags", fail_with(error))
        yield ann.get(f"{server.path}/tags")
        monkeypatch.undo()


def fail_with(error: Exception) -> Callable[..., NoReturn]:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise error

    return fail


def test_each_address_and_each_status_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(GENEROUS_SETTINGS, host_names=("testserver.local",))
    with game_server(tmp_path, "nim", {"seed": "7"}, settings=settings) as server:
        responses = [*responses_of_each_status(server, monkeypatch), *responses_of_all_addresses(server)]
    few_requests = replace(GENEROUS_SETTINGS.limits, token_rate=0.001, token_burst=5)
    with game_server(tmp_path / "..", "nim", {}, settings=replace(settings, limits=few_requests), name="l") as server:
        responses += [server.seats["ann"].get(server.main) for _ in range(6)]

    lacking = [
        (response.request.method, str(response.request.url), response.status_code, name)
        for response in responses
        for name in SECURITY_HEADERS
        if len(response.headers.get_list(name)) != 1
    ]
    assert not lacking
    assert {response.headers["x-content-type-options"] for response in responses} == {"nosniff"}
    assert {response.status_code for response in responses} >= STATUSES


@pytest.mark.parametrize("listening_server", [{"head_seconds": 0.1}], indirect=True)
@pytest.mark.parametrize(
    ("content", "status"),
    [(b"BREW / COFFEE\r\n\r\n", 400), (HEAD, 408), (HEAD + b"X: " + b"x" * (20 << 10) + b"\r\n\r\n", 431)],
)
def test_a_request_that_reaches_no_application_gets_a_problem_with_them(
    listening_server: ListeningServer, content: bytes, status: int
) -> None:
    with listening_server.connect(content) as client:
        head, _, body = received_while_dripping(client, b"").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    for line in [*map(": ".join, SECURITY_HEADERS.items()), "Content-Type: application/problem+json"]:
        name, _, value = line.partition(": ")
        assert f"{name.lower()}: {value}".encode() in head
    assert b'"status":%d' % status in body
