"""The OpenAPI says all that is answered: schemathesis asks everything of it, as every role, and finds nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.table import GENEROUS, Client, Table, opener, table
from zimcore.server.app import complete, make_app

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
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Table, dict[str, Client]]]:
    """A game in which something has happened; its feeds end when they have said it."""
    with table(tmp_path_factory.mktemp("openapi"), "nim", {"stones": "200"}) as found:
        found.play("take 1", "take 2", "take 3")
        who = {
            **found.seats,
            "host": found.host,
            "spectator": found.token("spectator"),
            "auditor": found.token("auditor"),
            "nobody": found.nobody,
        }
        found.http.app.state.desk.feeds.closing = True
        yield found, who


DESCRIBED = make_app(opener(Path("/nowhere")), GENEROUS).openapi_schema.to_schema()
SCHEMA = schemathesis.openapi.from_dict(complete(DESCRIBED))
SCHEMA.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@pytest.mark.parametrize(("role", "known"), [*((role, True) for role in ROLES), ("ann", False)])
@SCHEMA.parametrize()
@settings(
    max_examples=ASKED,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_everything_that_is_answered_is_described(
    case: schemathesis.Case[Any], server: tuple[Table, dict[str, Client]], role: str, known: bool
) -> None:
    found, who = server
    headers: dict[str, Any] = {}
    if who[role].token:
        headers["Authorization"] = f"Bearer {who[role].token}"
    if known:
        there = {"game": "k", "line": "main", "seat": "ben", "name": found.head()}
        case.path_parameters = {name: there.get(name, value) for name, value in (case.path_parameters or {}).items()}
    asked = case.as_transport_kwargs(base_url="http://testserver.local", headers=headers)
    asked["headers"] = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in asked["headers"].items()]
    if isinstance(asked.get("data"), bytes | str):
        asked["content"] = asked.pop("data")
    case.validate_response(found.http.request(**asked), checks=CHECKS)
