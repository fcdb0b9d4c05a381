"""The client asks by the table of endpoints: address, query or body, key and head come from the row, never by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from event_store import EventStore, StoreError
from tests.remote.loopback_server import KINDS
from tests.server.asking import example_body
from zimcore.documents.endpoints import ENDPOINTS, Endpoint
from zimcore.remote.connection import Connection, UnreachableError
from zimcore.service import GameService

ROOT = Path(__file__).parents[2]
HEAD = "ab" * 16


def request_of(row: Endpoint[Any, Any], head: str) -> httpx.Request:
    """The request by which an endpoint is asked about the game `k 7`."""
    requests = list[httpx.Request]()

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, content=b"nothing of the kind")

    connection = Connection("http://localhost:1", transport=httpx.MockTransport(answer))
    path = {name: 7 if name in ("number", "order") else f"k {name}" for name in row.parameters}
    body = msgspec.convert(example_body(row.request), row.request)
    with pytest.raises(StoreError, match="sent an answer that zim does not understand"):
        connection.ask(row, body, "zim_seat_x", "a-key", head, **path)
    (request,) = requests
    return request


@pytest.mark.parametrize("head", ["*", HEAD])
@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.name)
def test_each_endpoint_is_asked_by_its_row(row: Endpoint[Any, Any], head: str) -> None:
    request = request_of(row, head)

    address = row.path.format_map({name: 7 if name in ("number", "order") else f"k {name}" for name in row.parameters})
    assert (request.method, request.url.path) == (row.method, address)
    assert request.headers["authorization"] == "Bearer zim_seat_x"
    assert request.headers.get("idempotency-key") == (None if row.reads else "a-key")
    named = {"must": True, "may": head != "*", "never": False}[row.if_match]
    assert request.headers.get("if-match") == ((head if head == "*" else f'"{head}"') if named else None)
    if row.reads:
        assert (dict(request.url.params), request.content) == (example_body(row.request), b"")
    else:
        body = msgspec.json.decode(request.content, type=row.request) if request.content else None
        fields = msgspec.structs.fields(row.request)
        assert body == (msgspec.convert(example_body(row.request), row.request) if fields else None)


NOTHING: Mapping[str, str] = {}
AWAY, BUSY = (503, NOTHING), (503, {"Retry-After": "3", "Content-Type": "application/problem+json"})


def pauses_between_tries(answers: Sequence[tuple[int, Mapping[str, str]]], method: str) -> list[float]:
    """The pauses between tries of a request that gets answers of these statuses with these headers."""
    pauses, left = list[float](), iter(answers)

    def answer(_: httpx.Request) -> httpx.Response:
        status, headers = next(left)
        return httpx.Response(status, headers=headers)

    connection = Connection("http://localhost:1", pause=pauses.append, transport=httpx.MockTransport(answer))
    if method == "GET":
        connection.get("/v1/games")
    else:
        connection.write(method, "/v1/games", "zim_host_x", "a-key")
    return pauses


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_while_a_server_is_upgraded_its_client_waits_as_long_as_for_an_answer(method: str) -> None:
    """A proxy answers then, with no Retry-After; what the server says itself is kept to."""
    assert pauses_between_tries([AWAY, AWAY, (502, {}), (200, {})], method) == [0.5, 1.0, 2.0]
    assert pauses_between_tries([BUSY, AWAY, BUSY, (200, {})], method) == [3.0, 0.5, 3.0]
    with pytest.raises(UnreachableError, match="can't be reached") as error:
        pauses_between_tries([AWAY] * 6, method)
    assert "status 503" in error.value.why


def test_no_address_is_spelled_by_hand() -> None:
    files = (file for room in ("zimcore/remote", "zimcli") for file in (ROOT / room).rglob("*.py"))
    spelled = [file for file in files if "/v1/" in file.read_text("utf-8")]
    assert not spelled


def test_what_a_change_is_not_asked_with_is_an_error() -> None:
    """When it runs, and for mypy, which would say so if an `ignore` were not needed."""
    service = GameService(EventStore.open("memory:"), games=KINDS)
    service.new("nim", {"seed": "7"}, name="k", by="anna")
    with pytest.raises(TypeError, match="expected"):
        service.say("k", "hello", by="anna", expected="0000")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="by"):
        service.undo("k")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="comand_id"):
        service.undo("k", by="anna", comand_id="c1")  # type: ignore[call-arg]
