"""The OpenAPI agrees with the table of endpoints and with what is answered, and changes only with its snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
from msgspec.structs import fields

from tests.server.endpoint_requests import READING_ENDPOINTS, path_of
from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server, service_opener
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.features import modules
from zimcore.server.app import make_app
from zimcore.server.openapi import openapi, operation_of
from zimcore.server.wire.problem_responses import PROBLEM_MEDIA_TYPE


@pytest.fixture(scope="module")
def server_and_clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, dict[str, Client]]]:
    """A game with a few moves; its feeds end after the messages so far."""
    with game_server(tmp_path_factory.mktemp("openapi"), "nim", {"stones": "200"}) as server:
        server.play("take 1", "take 2", "take 3")
        clients = {
            **server.seats,
            "host": server.host,
            "spectator": server.token("spectator"),
            "auditor": server.token("auditor"),
            "nobody": server.nobody,
        }
        server.http.app.state.dispatcher.feeds.is_closing = True
        yield server, clients


@cache
def openapi_document() -> dict[str, Any]:
    """The OpenAPI that a server publishes."""
    return openapi(make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS))


def openapi_summary(schema: dict[str, Any]) -> list[str]:
    """The OpenAPI in lines that can be compared: what each operation is asked and answers, what each shape has."""
    lines = list[str]()
    for path, operations in sorted(schema["paths"].items()):
        for method, each in sorted(operations.items()):
            lines += [f"{method.upper()} {path} {each['operationId']} {security_line(each)}", *operation_parts(each)]
    for name, shape in sorted(schema["components"]["schemas"].items()):
        required = shape.get("required", ())
        fields = [key + "?" * (key not in required) for key in shape.get("properties", ())]
        shape_names = [each["$ref"].rpartition("/")[2] for each in shape.get("oneOf", ())]
        lines.append(f"{name} {shape_digest(shape)}: {', '.join(fields) or ' | '.join(shape_names)}")
    return lines


def operation_parts(operation: dict[str, Any]) -> Iterator[str]:
    """The parameters, the body and the answers of an operation."""
    for part in operation.get("parameters", ()):
        yield f"  {part['in']} {part['name'] + '?' * (not part['required'])} {compact_shape(part['schema'])}"
    for media_type, body in operation.get("requestBody", {}).get("content", {}).items():
        yield f"  body {media_type} {compact_shape(body['schema'])}"
    problems = [
        f"{status}{header_names(response)}"
        for status, response in operation["responses"].items()
        if is_problem(response)
    ]
    yield from (
        f"  {status} {answer_line(part)}" for status, part in operation["responses"].items() if not is_problem(part)
    )
    if problems:
        yield f"  problems {' '.join(sorted(problems))}"


def is_problem(response: dict[str, Any]) -> bool:
    """Whether it is a problem document and nothing else."""
    return [*response.get("content", {})] == [PROBLEM_MEDIA_TYPE]


def answer_line(response: dict[str, Any]) -> str:
    """The shapes and the headers of an answer."""
    shapes = [
        f"{media_type} {compact_shape(content['schema'])}"
        for media_type, content in response.get("content", {}).items()
    ]
    return (" ".join(shapes) + header_names(response)).lstrip()


def header_names(response: dict[str, Any]) -> str:
    """The headers that are an answer's own."""
    return "".join(
        f" {name}{'' if header['required'] else '?'}" for name, header in response.get("headers", {}).items()
    )


def security_line(operation: dict[str, Any]) -> str:
    """The security schemes of an operation."""
    return " or ".join("token" if scheme else "nothing" for scheme in operation.get("security", [{"token": []}, {}]))


def compact_shape(shape: Any) -> str:
    """A shape in a line, without its descriptions."""
    return (
        shape["$ref"].rpartition("/")[2] if "$ref" in shape else json.dumps(without_descriptions(shape), sort_keys=True)
    )


def shape_digest(shape: Any) -> str:
    """A hash that shows whether a shape has changed, without its descriptions."""
    return sha256(json.dumps(without_descriptions(shape), sort_keys=True).encode()).hexdigest()[:8]


def without_descriptions(shape: Any) -> Any:
    """A shape without descriptions."""
    if isinstance(shape, dict):
        return {
            key: without_descriptions(value)
            for key, value in shape.items()
            if not (key == "description" and isinstance(value, str))
        }
    return [*map(without_descriptions, shape)] if isinstance(shape, list) else shape


def test_the_openapi_changes_only_with_its_snapshot(snapshot: Any) -> None:
    """To accept a change: `pytest tests/server/test_openapi.py -k snapshot --snapshot-update`."""
    assert "\n".join(openapi_summary(openapi_document())) == snapshot


def test_the_openapi_agrees_with_the_table_of_endpoints() -> None:
    for row in ENDPOINTS:
        described_operation = operation_of(openapi_document(), row)
        assert described_operation["operationId"] == row.name
        answer_headers = described_operation["responses"][str(row.success)]["headers"]
        (if_match,) = [
            parameter["required"]
            for parameter in described_operation.get("parameters", ())
            if parameter["name"] == "If-Match"
        ] or [None]
        assert if_match == {"never": None, "may": False, "must": True}[row.if_match]
        assert answer_headers.get("ETag", {}).get("required") == {"never": None, "may": False, "must": True}[row.etag]
        assert ("304" in described_operation["responses"]) == (row.method == "GET" and row.etag != "never")
        is_paged = "limit" in {field.name for field in fields(row.request)} and row.method == "GET"
        assert ("Link" in answer_headers) == is_paged
        assert ("Location" in answer_headers) == bool(row.location)
        assert ("428" in described_operation["responses"]) == (row.if_match == "must")
        assert ("requestBody" in described_operation) == row.has_body == ("415" in described_operation["responses"])


def test_the_openapi_lists_304_for_each_read_that_answers_it(
    server_and_clients: tuple[GameServer, dict[str, Client]],
) -> None:
    server, clients = server_and_clients
    unmodified_names = set[str]()
    for row in READING_ENDPOINTS:
        client = clients["auditor" if "auditor" in row.roles else "host" if "host" in row.roles else "ann"]
        status = client.get(path_of(row, server), **{"If-None-Match": "*"}).status_code
        if status == 304:
            unmodified_names.add(row.name)
        assert status != 304 or "304" in operation_of(openapi_document(), row)["responses"], row.name
    described_names = {row.name for row in ENDPOINTS if "304" in operation_of(openapi_document(), row)["responses"]}
    assert described_names - unmodified_names == {"hint"}, "an auditor gets no hints"


def test_feed_messages_are_described_and_match_their_description(tmp_path: Path) -> None:
    shapes = openapi_document()["components"]["schemas"]
    shape_of_event = shapes["FeedMessage"]["discriminator"]["mapping"]
    assert [each["$ref"] for each in shapes["FeedMessage"]["oneOf"]] == [*shape_of_event.values()]
    assert all(shapes[reference.rpartition("/")[2]]["description"] for reference in shape_of_event.values())
    with game_server(tmp_path, "nim", {"stones": "30"}) as server:
        server.http.app.state.dispatcher.feeds.is_closing = True
        messages = feed_messages(server, "99.0.0")
        server.play("take 1")
        assert server.seats["ann"]("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 200
        server.play("take 1")
        assert server.seats["ann"]("POST", f"{server.path}/talk", {"text": "hello"}).status_code == 201
        assert server.seats["ann"]("POST", f"{server.path}/requests", {}).status_code == 201
        assert server.seats["ben"]("DELETE", f"{server.path}/seats/ben").status_code == 200
        messages += feed_messages(server, messages[1]["id"])
    check_message = fastjsonschema.compile(
        {"$ref": "#/components/schemas/FeedMessage", "components": openapi_document()["components"]}
    )
    for message in messages:
        check_message(message)
    event_names = {each["event"] for each in messages}
    assert event_names == {"reset", "standing", "commit", "head", "talk", "request", "seats", "departure", "end"}
    feature_names = {message.__struct_config__.tag for each in modules("documents") for message in each.MESSAGES}
    assert set(shape_of_event) == event_names | feature_names | {"beat"}
    for invalid_message in (
        {**messages[0], "event": "surprise"},
        {**messages[1], "data": {}},
        {**messages[0], "data": messages[1]["data"]},
    ):
        with pytest.raises(fastjsonschema.JsonSchemaException):
            check_message(invalid_message)


def feed_messages(server: GameServer, after: str) -> list[Any]:
    """The messages of a feed after one, up to now."""
    text = server.seats["ann"].get(f"{server.main}/feed?after={after}", Accept="application/x-ndjson").text
    return [json.loads(line) for line in text.splitlines()]
