"""Clients of /v1 go on working: the server fulfils the OpenAPI of the last release."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.server.compatibility import bare, breaks
from tests.server.game_server import GENEROUS, opener
from zimcore.server.app import make_app
from zimcore.server.openapi import openapi

KEPT = Path(__file__).parents[1] / "data" / "openapi-v1.json"
"""The OpenAPI of the last release, without words. `python -m tests.server.test_compatibility` keeps that of today:
at a release, or where nothing was released yet; a change that breaks clients needs /v2."""


def today() -> Any:
    return json.loads(json.dumps(bare(openapi(make_app(opener(Path("/nowhere")), GENEROUS)))))


RELEASED = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}


def test_a_client_of_the_last_release_goes_on_working() -> None:
    assert breaks(RELEASED, today()) == []


PLAY = LOG = "/v1/games/{game}/lines/{line}/moves"


def plant_change(what: str, schema: Any) -> None:
    """Plants a change."""
    paths, shapes = schema["paths"], schema["components"]["schemas"]
    match what:
        case "path":
            del paths["/v1/games/{game}/votes"]
        case "method":
            del paths[PLAY]["post"]
        case "name":
            paths[PLAY]["post"]["operationId"] = "move"
        case "parameter":
            paths[LOG]["get"]["parameters"] = [each for each in paths[LOG]["get"]["parameters"] if each["name"] != "at"]
        case "needed parameter":
            new = {"in": "query", "name": "why", "required": True, "schema": {"type": "string"}}
            paths[LOG]["get"]["parameters"].append(new)
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
            paths[PLAY]["post"]["responses"]["200"] = paths[PLAY]["post"]["responses"].pop("201")


BROKEN = {
    "path": ["GET /v1/games/{game}/votes is gone", "POST /v1/games/{game}/votes is gone"],
    "method": [f"POST {PLAY} is gone"],
    "name": [f"POST {PLAY} has another name: generated clients call it play"],
    "parameter": [f"GET {LOG} has no query at any more"],
    "needed parameter": [f"GET {LOG} needs query why"],
    "needed field": ["Move needs seat"],
    "field": ["ShowAnswer: the field tables is gone"],
    "lacking field": ["ShowAnswer may lack tables"],
    "type": ["PositionDocument: number: another type"],
    "value": ["NewVote: what: the value 'bot' is gone"],
    "kind": ["FeedMessage: a kind is gone: {'$ref': '#/components/schemas/EndMessage'}"],
    "answer": [f"POST {PLAY} does not answer 201", f"POST {PLAY} answers 201 by another application/json"],
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_change_that_breaks_a_client_is_seen(what: str) -> None:
    copy_ = deepcopy(RELEASED)
    plant_change(what, copy_)
    assert breaks(RELEASED, copy_) == BROKEN[what]


def test_what_is_added_breaks_nothing() -> None:
    copy_ = deepcopy(RELEASED)
    copy_["paths"]["/v1/more"] = {"get": {"operationId": "more", "responses": {}}}
    copy_["components"]["schemas"]["More"] = {"type": "object"}
    copy_["components"]["schemas"]["ShowAnswer"]["properties"]["more"] = {"type": "string"}
    copy_["paths"][LOG]["get"]["parameters"].append({"in": "query", "name": "x", "required": False, "schema": {}})
    assert breaks(RELEASED, copy_) == []


if __name__ == "__main__":
    KEPT.write_text(json.dumps(today(), indent=1, sort_keys=True) + "\n", "utf-8")
