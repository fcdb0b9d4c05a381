"""Clients of /v1 still work: the server fulfils the OpenAPI of the last release."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.server.compatibility import breaking_changes, without_descriptions
from tests.server.game_server import GENEROUS_SETTINGS, service_opener
from zimcore.server.app import make_app
from zimcore.server.openapi import openapi

RELEASED_FILE = Path(__file__).parents[1] / "data" / "openapi-v1.json"
"""The OpenAPI of the last release, without words. `python -m tests.server.test_compatibility` stores today's: do so
at a release, or before the first one. A change that breaks clients needs /v2."""


def current_openapi() -> Any:
    return json.loads(
        json.dumps(without_descriptions(openapi(make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS))))
    )


RELEASED_SCHEMA = json.loads(RELEASED_FILE.read_text("utf-8")) if RELEASED_FILE.exists() else {}


def test_a_client_of_the_last_release_still_works() -> None:
    assert breaking_changes(RELEASED_SCHEMA, current_openapi()) == []


PLAY_PATH = LOG_PATH = "/v1/games/{game}/lines/{line}/moves"


def plant_change(change_kind: str, schema: Any) -> None:
    """Plants a breaking change of one kind in a schema."""
    paths, shapes = schema["paths"], schema["components"]["schemas"]
    match change_kind:
        case "path":
            del paths["/v1/games/{game}/votes"]
        case "method":
            del paths[PLAY_PATH]["post"]
        case "name":
            paths[PLAY_PATH]["post"]["operationId"] = "move"
        case "parameter":
            paths[LOG_PATH]["get"]["parameters"] = [
                parameter for parameter in paths[LOG_PATH]["get"]["parameters"] if parameter["name"] != "at"
            ]
        case "needed parameter":
            parameter = {"in": "query", "name": "why", "required": True, "schema": {"type": "string"}}
            paths[LOG_PATH]["get"]["parameters"].append(parameter)
        case "needed field":
            shapes["Move"]["required"].append("seat")
        case "field":
            del shapes["ShowAnswer"]["properties"]["tables"]
        case "lacking field":
            shapes["ShowAnswer"]["required"].remove("tables")
        case "type":
            shapes["PositionDocument"]["properties"]["number"]["type"] = "string"
        case "value":
            shapes["NewVote"]["properties"]["what"]["enum"].remove("bot")
        case "kind":
            shapes["FeedMessage"]["oneOf"].pop()
        case "answer":
            paths[PLAY_PATH]["post"]["responses"]["200"] = paths[PLAY_PATH]["post"]["responses"].pop("201")


EXPECTED_CHANGES = {
    "path": ["GET /v1/games/{game}/votes is gone", "POST /v1/games/{game}/votes is gone"],
    "method": [f"POST {PLAY_PATH} is gone"],
    "name": [f"POST {PLAY_PATH} has another name: generated clients call it play"],
    "parameter": [f"GET {LOG_PATH} has no query at any more"],
    "needed parameter": [f"GET {LOG_PATH} needs query why"],
    "needed field": ["Move needs seat"],
    "field": ["ShowAnswer: the field tables is gone"],
    "lacking field": ["ShowAnswer may lack tables"],
    "type": ["PositionDocument: number: another type"],
    "value": ["NewVote: what: the value 'bot' is gone"],
    "kind": ["FeedMessage: a kind is gone: {'$ref': '#/components/schemas/EndMessage'}"],
    "answer": [f"POST {PLAY_PATH} does not answer 201", f"POST {PLAY_PATH} answers 201 by another application/json"],
}


@pytest.mark.parametrize("change_kind", EXPECTED_CHANGES)
def test_a_breaking_change_is_found(change_kind: str) -> None:
    changed_schema = deepcopy(RELEASED_SCHEMA)
    plant_change(change_kind, changed_schema)
    assert breaking_changes(RELEASED_SCHEMA, changed_schema) == EXPECTED_CHANGES[change_kind]


def test_additions_break_nothing() -> None:
    changed_schema = deepcopy(RELEASED_SCHEMA)
    changed_schema["paths"]["/v1/more"] = {"get": {"operationId": "more", "responses": {}}}
    changed_schema["components"]["schemas"]["More"] = {"type": "object"}
    changed_schema["components"]["schemas"]["ShowAnswer"]["properties"]["more"] = {"type": "string"}
    changed_schema["paths"][LOG_PATH]["get"]["parameters"].append(
        {"in": "query", "name": "x", "required": False, "schema": {}}
    )
    assert breaking_changes(RELEASED_SCHEMA, changed_schema) == []


if __name__ == "__main__":
    RELEASED_FILE.write_text(json.dumps(current_openapi(), indent=1, sort_keys=True) + "\n", "utf-8")
