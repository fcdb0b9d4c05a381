"""The client asks by the table of endpoints: address, query or body, key and head come from the row, never by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from event_store import EventStore, StoreError
from tests.remote.house import KINDS
from tests.server.asking import example
from zimcore.documents.endpoints import ENDPOINTS, Endpoint
from zimcore.remote.connection import Connection
from zimcore.service import GameService

ROOT = Path(__file__).parents[2]
HEAD = "ab" * 16


def sent(row: Endpoint[Any, Any], head: str) -> httpx.Request:
    """The request by which an endpoint is asked about the game `k 7`."""
    requests = list[httpx.Request]()

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, content=b"nothing of the kind")

    connection = Connection("http://localhost:1", transport=httpx.MockTransport(answer))
    path = {name: 7 if name in ("number", "order") else f"k {name}" for name in row.parameters}
    given = msgspec.convert(example(row.given), row.given)
    with pytest.raises(StoreError, match="sent an answer that zim does not understand"):
        connection.ask(row, given, "zim_seat_x", "a-key", head, **path)
    (request,) = requests
    return request


@pytest.mark.parametrize("head", ["*", HEAD])
@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.name)
def test_each_endpoint_is_asked_by_its_row(row: Endpoint[Any, Any], head: str) -> None:
    request = sent(row, head)

    address = row.path.format_map({name: 7 if name in ("number", "order") else f"k {name}" for name in row.parameters})
    assert (request.method, request.url.path) == (row.method, address)
    assert request.headers["authorization"] == "Bearer zim_seat_x"
    assert request.headers.get("idempotency-key") == (None if row.reads else "a-key")
    named = {"must": True, "may": head != "*", "never": False}[row.if_match]
    assert request.headers.get("if-match") == ((head if head == "*" else f'"{head}"') if named else None)
    if row.reads:
        assert (dict(request.url.params), request.content) == (example(row.given), b"")
    else:
        body = msgspec.json.decode(request.content, type=row.given) if request.content else None
        fields = msgspec.structs.fields(row.given)
        assert body == (msgspec.convert(example(row.given), row.given) if fields else None)


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
