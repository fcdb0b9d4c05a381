"""The OpenAPI says all that is answered: schemathesis asks everything of it, as every role, and finds nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, note, settings
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.game_server import GENEROUS, Client, GameServer, game_server, opener
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.server.app import SECURITY_HEADERS, make_app
from zimcore.server.openapi import openapi, operation
from zimcore.server.problem_responses import MEDIA

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROLES = ("ann", "host", "spectator", "auditor", "nobody")
ASKED = int(os.environ.get("ZIM_OPENAPI_EXAMPLES", "2"))
"""Examples of each operation, as each role; more are for a long look."""


@pytest.fixture(scope="module")
def server_and_clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, dict[str, Client]]]:
    """A game in which something has happened; its feeds end when they have said it."""
    with game_server(tmp_path_factory.mktemp("openapi"), "nim", {"stones": "200"}) as server:
        server.play("take 1", "take 2", "take 3")
        clients = {
            **server.seats,
            "host": server.host,
            "spectator": server.token("spectator"),
            "auditor": server.token("auditor"),
            "nobody": server.nobody,
        }
        server.http.app.state.dispatcher.feeds.closing = True
        yield server, clients


DESCRIBED = openapi(make_app(opener(Path("/nowhere")), GENEROUS))
SCHEMA = schemathesis.openapi.from_dict(DESCRIBED)
SCHEMA.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


def summary(schema: dict[str, Any]) -> list[str]:
    """The OpenAPI in lines that can be compared: what each operation is asked and answers, what each shape has."""
    results = list[str]()
    for path, operations in sorted(schema["paths"].items()):
        for method, each in sorted(operations.items()):
            results += [f"{method.upper()} {path} {each['operationId']} {security(each)}", *parts(each)]
    for name, shape in sorted(schema["components"]["schemas"].items()):
        needed = shape.get("required", ())
        fields = [key + "?" * (key not in needed) for key in shape.get("properties", ())]
        kinds = [each["$ref"].rpartition("/")[2] for each in shape.get("oneOf", ())]
        results.append(f"{name} {digest(shape)}: {', '.join(fields) or ' | '.join(kinds)}")
    return results


def parts(each: dict[str, Any]) -> Iterator[str]:
    """The parameters, the body and the answers of an operation."""
    for one in each.get("parameters", ()):
        yield f"  {one['in']} {one['name'] + '?' * (not one['required'])} {compact(one['schema'])}"
    for media, body in each.get("requestBody", {}).get("content", {}).items():
        yield f"  body {media} {compact(body['schema'])}"
    problems = [f"{status}{headers(answer)}" for status, answer in each["responses"].items() if is_problem(answer)]
    yield from (f"  {status} {answers(one)}" for status, one in each["responses"].items() if not is_problem(one))
    if problems:
        yield f"  problems {' '.join(sorted(problems))}"


def is_problem(answer: dict[str, Any]) -> bool:
    """Whether it is a problem document and nothing else."""
    return [*answer.get("content", {})] == [MEDIA]


def answers(answer: dict[str, Any]) -> str:
    """The shapes and the headers of an answer."""
    shapes = [f"{media} {compact(one['schema'])}" for media, one in answer.get("content", {}).items()]
    return " ".join(shapes) + headers(answer)


def headers(answer: dict[str, Any]) -> str:
    """The headers that are an answer's own."""
    own = {name: one for name, one in answer.get("headers", {}).items() if name not in SECURITY_HEADERS}
    return "".join(f" {name}{'' if one['required'] else '?'}" for name, one in own.items())


def security(each: dict[str, Any]) -> str:
    """The security schemes of an operation."""
    return " or ".join("token" if one else "nothing" for one in each.get("security", [{"token": []}, {}]))


def compact(shape: Any) -> str:
    """A shape in a line, without its descriptions."""
    return shape["$ref"].rpartition("/")[2] if "$ref" in shape else json.dumps(bare(shape), sort_keys=True)


def digest(shape: Any) -> str:
    """A hash that shows whether a shape has changed, without its descriptions."""
    return sha256(json.dumps(bare(shape), sort_keys=True).encode()).hexdigest()[:8]


def bare(shape: Any) -> Any:
    """A shape without descriptions."""
    if isinstance(shape, dict):
        return {
            key: bare(value) for key, value in shape.items() if not (key == "description" and isinstance(value, str))
        }
    return [*map(bare, shape)] if isinstance(shape, list) else shape


def test_nothing_of_the_openapi_changes_unseen(snapshot: Any) -> None:
    """A difference that is meant is taken by `pytest tests/server/test_openapi.py -k unseen --snapshot-update`."""
    assert "\n".join(summary(DESCRIBED)) == snapshot


def test_the_openapi_says_what_the_table_says() -> None:
    for row in ENDPOINTS:
        described = operation(DESCRIBED, row)
        assert described["operationId"] == row.name
        own = described["responses"][str(row.success)]["headers"]
        (if_match,) = [each["required"] for each in described.get("parameters", ()) if each["name"] == "If-Match"] or [
            None
        ]
        assert if_match == {"never": None, "may": False, "must": True}[row.if_match]
        assert own.get("ETag", {}).get("required") == {"never": None, "may": False, "must": True}[row.etag]
        assert ("Location" in own) == bool(row.location)
        assert ("428" in described["responses"]) == (row.if_match == "must")
        assert ("requestBody" in described) == row.has_body == ("415" in described["responses"])


def test_each_kind_of_message_of_a_feed_is_described_and_sent_as_described(tmp_path: Path) -> None:
    shapes = DESCRIBED["components"]["schemas"]
    described = shapes["FeedMessage"]["discriminator"]["mapping"]
    assert [each["$ref"] for each in shapes["FeedMessage"]["oneOf"]] == [*described.values()]
    assert all(shapes[ref.rpartition("/")[2]]["description"] for ref in described.values())
    with game_server(tmp_path, "nim", {"stones": "30"}) as server:
        server.http.app.state.dispatcher.feeds.closing = True
        sent = feed_of(server, "99.0.0")
        server.play("take 1")
        assert server.seats["ann"]("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 200
        server.play("take 1")
        assert server.seats["ann"]("POST", f"{server.path}/talk", {"text": "hello"}).status_code == 201
        assert server.seats["ann"]("POST", f"{server.path}/requests", {}).status_code == 201
        assert server.seats["ben"]("DELETE", f"{server.path}/seats/ben").status_code == 200
        sent += feed_of(server, sent[1]["id"])
    check = fastjsonschema.compile({"$ref": "#/components/schemas/FeedMessage", "components": DESCRIBED["components"]})
    for each in sent:
        check(each)
    kinds = {each["event"] for each in sent}
    assert kinds == {"reset", "standing", "commit", "head", "talk", "request", "seats", "end"}
    assert set(described) == kinds | {"vote", "beat"}
    for wrong in ({**sent[0], "event": "surprise"}, {**sent[1], "data": {}}, {**sent[0], "data": sent[1]["data"]}):
        with pytest.raises(fastjsonschema.JsonSchemaException):
            check(wrong)


def feed_of(server: GameServer, after: str) -> list[Any]:
    """The messages of a feed after one, up to now."""
    text = server.seats["ann"].get(f"{server.main}/feed?after={after}", Accept="application/x-ndjson").text
    return [json.loads(line) for line in text.splitlines()]


@SCHEMA.parametrize()
@settings(
    max_examples=ASKED,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_everything_that_is_answered_is_described(
    case: schemathesis.Case[Any], server_and_clients: tuple[GameServer, dict[str, Client]]
) -> None:
    """Every role asks the same, of a game that is there; and a seat as it was made up."""
    server, clients = server_and_clients
    made_up = case.path_parameters or {}
    there = {"game": "k", "line": "main", "seat": "ben", "digest": server.head()}
    parameters = {name: there.get(name, value) for name, value in made_up.items()}
    for role, case.path_parameters in [*((role, parameters) for role in ROLES), ("ann", made_up)]:
        note(f"as {role}")
        headers = {"Authorization": f"Bearer {clients[role].token}"} if clients[role].token else {}
        questions = case.as_transport_kwargs(base_url="http://testserver.local", headers=headers)
        assert not questions.pop("cookies", None), "no operation takes a cookie"
        questions["headers"] = [
            (key.encode("latin-1"), value.encode("latin-1")) for key, value in questions["headers"].items()
        ]
        if isinstance(questions.get("data"), bytes | str):
            questions["content"] = questions.pop("data")
        case.validate_response(server.http.request(**questions), checks=CHECKS)
