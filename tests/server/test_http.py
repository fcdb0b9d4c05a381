"""HTTP for every address: methods, errors as JSON, strict parameters and bodies."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from eventsourcing.persistence import OperationalError

from event_store import EventStore, StoreError
from event_store.backends.sqlite import SQLiteRecorder
from tests.event_store.contract import raise_number
from tests.server.endpoint_requests import READING_ENDPOINTS, example_body, path_of
from tests.server.game_server import Client, GameServer
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.server import openapi
from zimcore.server.wire.problem_responses import PROBLEM_MEDIA_TYPE
from zimcore.service.care import maintenance


def test_head_answers_like_get_without_a_body(nim_server: GameServer) -> None:
    nim_server.play("take 1")
    ann, checked_count = nim_server.seats["ann"], 0
    for path in (
        "/",
        "/health",
        "/v1/openapi.json",
        "/v1/games/none",
        *(path_of(row, nim_server) for row in READING_ENDPOINTS),
    ):
        if path.endswith("/feed"):
            continue
        get_response, head_response = ann.get(path), ann("HEAD", path)
        assert (head_response.status_code, head_response.content) == (get_response.status_code, b""), path
        assert dict(head_response.headers) == dict(get_response.headers), path
        checked_count += 1
    assert checked_count > 20


def test_a_head_request_to_a_feed_returns_at_once(nim_server: GameServer) -> None:
    response = nim_server.seats["ann"]("HEAD", f"{nim_server.main}/feed")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"].startswith("text/event-stream")


def test_the_allow_header_lists_the_methods_of_an_endpoint(nim_server: GameServer) -> None:
    for row in ENDPOINTS:
        methods = {str(each.method) for each in ENDPOINTS if each.path == row.path}
        allowed_methods = sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set()))
        path = path_of(row, nim_server).partition("?")[0]
        response = nim_server.nobody("OPTIONS", path)
        assert (response.status_code, response.headers["allow"].split(", ")) == (204, allowed_methods), row.name
        refusal = nim_server.nobody("PATCH", path)
        assert (refusal.status_code, refusal.headers["allow"].split(", ")) == (405, allowed_methods), row.name
        assert refusal.json()["kind"] == "method"


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize("path", ["/v1/nothing", "/v1", "/v1/games/k/nothing", "/v1/games/k%2Flines", "/v1%2fgames"])
def test_an_unknown_address_answers_a_problem(unchanged_nim_server: GameServer, method: str, path: str) -> None:
    response = unchanged_nim_server.seats["ann"](method, path)
    assert (response.status_code, response.headers["content-type"]) == (404, PROBLEM_MEDIA_TYPE)
    assert (response.json()["kind"], bool(response.json()["hints"])) == ("unknown", True)


ENCODED_NAMES = (
    *("%2f", "%2F", "%252f", "k%2f", "%2fk", "k%2flines%2fmain", "k%2flines%2fmain%2fmoves", "..%2fk", "%2e%2e%2fk"),
    *(
        "%2e%2e",
        "%2e",
        "%5c",
        "..%5ck",
        "%00",
        "k%00",
        "k%0d%0aX: y",
        "k%3fat=1",
        "k%23",
        "%c0%af",
        "%ff",
        "%",
        "%zz",
        ";",
    ),
)
"""Names that no game, line, seat, tag, token or digest has; encoded so that a server or a proxy may split them."""


def name_parameters(path: str) -> list[str]:
    """The parameters of an address that are names: numbers have a type of their own."""
    return [name for name in re.findall(r"{(\w+)}", path) if name not in ("number", "order")]


def raw_responses(
    nim_server: GameServer, client: Client, method: str, paths: Sequence[str], body: Any = None, **extra_headers: str
) -> list[Any]:
    """The responses to paths that are decoded once, as by a real server; the test client would decode them twice."""

    async def ask() -> list[Any]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(nim_server.http.app), base_url="http://127.0.0.1"
        ) as http:
            headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
            headers |= (
                {"Idempotency-Key": "a-key-of-its-own-alone", "If-Match": "*", **extra_headers}
                if method != "GET"
                else extra_headers
            )
            return [await http.request(method, path, headers=headers, json=body) for path in paths]

    return asyncio.run(ask())


@pytest.mark.parametrize("row", [row for row in ENDPOINTS if name_parameters(row.path)], ids=lambda row: row.name)
def test_an_encoded_slash_in_a_name_reaches_no_other_address(unchanged_nim_server: GameServer, row: Any) -> None:
    """Each role gets a client error, and nothing changes."""
    state_before = (
        unchanged_nim_server.head(),
        unchanged_nim_server.service.members("k"),
        [each.name for each in unchanged_nim_server.service.lines("k")],
    )
    body = example_body(row.request) if not row.reads and msgspec.structs.fields(row.request) else None
    for client in (unchanged_nim_server.seats["ann"], unchanged_nim_server.host, unchanged_nim_server.nobody):
        for name in name_parameters(row.path):
            paths = [path_of(row, unchanged_nim_server, **{name: text}) for text in ENCODED_NAMES]
            responses = raw_responses(unchanged_nim_server, client, row.method, paths, body)
            for text, response in zip(ENCODED_NAMES, responses, strict=True):
                assert 400 <= response.status_code < 500, (text, response.text)
                assert response.headers["content-type"] == PROBLEM_MEDIA_TYPE, text
                if "%2f" in text.lower():
                    assert (response.status_code, response.json()["detail"]) == (404, "no name has a slash"), text
    assert (
        unchanged_nim_server.head(),
        unchanged_nim_server.service.members("k"),
        [each.name for each in unchanged_nim_server.service.lines("k")],
    ) == state_before


@pytest.mark.parametrize(
    "path", ["/games/{}", "/games/{}/feed", "/games/{}/board.svg", "/rules/{}", "/static/{}/x", "/{}"]
)
def test_no_page_is_found_under_an_encoded_name(unchanged_nim_server: GameServer, path: str) -> None:
    responses = raw_responses(
        unchanged_nim_server,
        unchanged_nim_server.seats["ann"],
        "GET",
        [path.format(text) for text in ENCODED_NAMES],
        accept="text/html",
    )
    for text, response in zip(ENCODED_NAMES, responses, strict=True):
        assert 400 <= response.status_code < 500, (text, response.text[:200])


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.name)
def test_an_unknown_query_parameter_is_refused_and_the_known_ones_are_named(
    unchanged_nim_server: GameServer, row: Any
) -> None:
    path = path_of(row, unchanged_nim_server)
    path += f"{'&' if '?' in path else '?'}bogus=1"
    response = unchanged_nim_server.seats["ann"](
        row.method, path, None if row.reads else example_body(row.request), head="*"
    )
    assert response.status_code == 400, response.text
    assert "'bogus'" in response.json()["title"]
    names = row.request.__struct_fields__ if row.reads else ()
    assert response.json()["detail"] == (f"known here: {', '.join(names)}" if names else "none is known here")


def test_the_nearest_query_parameter_is_named(nim_server: GameServer) -> None:
    response = nim_server.seats["ann"].get(f"{nim_server.main}/legal?begining=take")
    assert (response.status_code, response.json()["hints"]) == (400, ["beginning=..."])


def test_a_repeated_query_parameter_is_refused(nim_server: GameServer) -> None:
    response = nim_server.seats["ann"].get(f"{nim_server.main}/legal?most=1&most=2")
    assert (response.status_code, response.json()["title"]) == (400, "the query parameter 'most' comes twice")


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense"])
def test_a_body_of_another_media_type_is_refused(nim_server: GameServer, media: str) -> None:
    response = send_message(nim_server, b'{"text": "hello"}', media)
    assert (response.status_code, response.json()["kind"]) == (415, "media")
    assert response.json()["hints"] == ["Content-Type: application/json"]
    assert nim_server.seats["ann"].get_json(f"{nim_server.path}/talk")["talk"] == []


def test_a_byte_order_mark_before_a_body_is_skipped(nim_server: GameServer) -> None:
    assert send_message(nim_server, b'\xef\xbb\xbf{"text": "hello"}', "application/json").status_code == 201


@pytest.mark.parametrize("media", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_has_one_media_type_in_any_spelling(nim_server: GameServer, media: str) -> None:
    assert send_message(nim_server, b'{"text": "hello"}', media).status_code == 201


@pytest.mark.parametrize("own", [b"0", b"1", b'"true"', b'"false"', b"null"])
def test_only_true_and_false_are_booleans(nim_server: GameServer, own: bytes) -> None:
    response = send_message(nim_server, b'{"text": "hello", "own": %s}' % own)
    assert response.status_code == 400
    assert response.json()["detail"].startswith("own: Expected `bool`")


def test_a_text_is_refused_as_a_number(nim_server: GameServer) -> None:
    response = nim_server.seats["ann"]("PUT", f"{nim_server.main}/head", {"steps": "-1"}, head="*")
    assert (response.status_code, response.json()["detail"][:21]) == (400, "steps: Expected `int`")


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        (b'{"players": "2", "stones": 7}', "options.stones: Expected `str`"),
        (b'{"players": "2", "stones": "%s"}' % (b"7" * 201), "options.stones: Expected `str` of length <= 200"),
        (b'{"players": "2", "%s": "7"}' % (b"s" * 65), f"options.{'s' * 64}: Expected `str` of length <= 64"),
        (b'{"stones": 7, "stones": "7"}', "options: Expected `str`"),
        (b'{"stones": 7}, "more": ' + b"[" * 10_000, "options: Expected `str`"),
    ],
    ids=["number", "long text", "long name", "repeated", "no JSON after it"],
)
def test_an_error_about_an_option_of_a_new_game_names_the_option(
    nim_server: GameServer, options: bytes, detail: str
) -> None:
    headers = {
        "Authorization": f"Bearer {nim_server.host.token}",
        "Idempotency-Key": "k",
        "Content-Type": "application/json",
    }
    body = b'{"kind": "nim", "options": %s}' % options
    response = nim_server.http.post("/v1/games", content=body, headers=headers)
    assert response.status_code == 400
    assert response.json()["detail"].startswith(detail)


def send_message(nim_server: GameServer, body: bytes, media: str = "application/json") -> Any:
    """The answer to a message by Ann."""
    headers = {
        "Authorization": f"Bearer {nim_server.seats['ann'].token}",
        "Idempotency-Key": "k",
        "Content-Type": media,
    }
    return nim_server.http.post(f"{nim_server.path}/talk", content=body, headers=headers)


def test_the_openapi_is_made_once_and_in_a_thread(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, complete_schema = list[object](), openapi.complete_schema

    def note_loop(schema: dict[str, Any]) -> dict[str, Any]:
        calls.append(asyncio._get_running_loop())
        return complete_schema(schema)

    monkeypatch.setattr(openapi, "complete_schema", note_loop)
    first_response, second_response = nim_server.http.get("/v1/openapi.json"), nim_server.http.get("/v1/openapi.json")
    assert first_response.json() == second_response.json()
    assert calls == [None], "on the loop it would block all other answers"


def test_a_store_that_can_not_be_read_says_when_to_try_again(
    nim_server: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: EventStore) -> None:
        raise StoreError("no host called db-7")

    monkeypatch.setattr(EventStore, "snapshot_read", fail)
    response = nim_server.seats["ann"].get(nim_server.main)
    assert (response.status_code, response.json()["kind"], response.headers["retry-after"]) == (503, "store", "2")
    assert "db-7" not in response.text


def test_a_server_whose_store_was_upgraded_says_what_its_host_installs(nim_server: GameServer) -> None:
    with EventStore.open(nim_server.service.store.full_url) as newer_store:
        raise_number(newer_store)
    for response in (nim_server.seats["ann"].get(nim_server.main), nim_server.http.get("/health")):
        assert (response.status_code, response.json()["title"]) == (503, "this store needs Zim 9.1 or newer")
        assert response.json()["hints"] == ["tell the host: pip install --upgrade 'great-zim>=9.1'"]
        assert "retry-after" not in response.headers, "trying again does not help"
    move = nim_server.seats["ann"]("POST", f"{nim_server.main}/moves", {"move": "take 1"}, head="*")
    assert (move.status_code, move.json()["title"]) == (503, "this store needs Zim 9.1 or newer")


def test_a_full_disk_is_called_a_full_disk(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(SQLiteRecorder, "insert_rows", fail)
    response = nim_server.seats["ann"]("POST", f"{nim_server.main}/moves", {"move": "take 1"}, head="*")
    assert (response.status_code, response.json()["title"]) == (503, "the server's disk is full")
    assert str(nim_server.service.store.url) not in response.text


def test_a_server_whose_store_was_replaced_acknowledges_nothing(nim_server: GameServer) -> None:
    """A backup takes the place of the file while the server runs; once the file is back, the server plays on."""
    path = Path(nim_server.service.store.url.removeprefix("sqlite:///"))
    nim_server.play("take 1")
    maintenance.backup(nim_server.service.store, path.with_name("backup.db"))
    moved_files = {file: file.with_name(f"moved-{file.name}") for file in path.parent.glob(f"{path.name}*")}
    for file, moved_file in moved_files.items():
        file.rename(moved_file)
    shutil.copy(path.with_name("backup.db"), path)

    health = nim_server.nobody.get("/health")
    seat, head = nim_server.service.head(f"{nim_server.game}/main").to_move[0], nim_server.head()
    move = nim_server.seats[seat]("POST", f"{nim_server.main}/moves", {"move": "take 1"}, head=head)
    assert (health.status_code, move.status_code) == (503, 503)
    assert {health.json()["kind"], move.json()["kind"]} == {"store"}
    assert str(path) not in health.text + move.text

    for file, moved_file in moved_files.items():
        moved_file.rename(file)
    assert nim_server.nobody.get("/health").status_code == 200
    nim_server.play("take 1")
