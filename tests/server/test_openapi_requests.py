"""The OpenAPI describes every answer: schemathesis makes requests from it, as every role."""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any

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

from tests.server.game_server import Client, GameServer
from tests.server.test_openapi import openapi_document, server_and_clients

__all__ = ["server_and_clients"]

pytest_plugins = ["schemathesis.pytest.plugin"]  # only here, as it takes a second to import

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ROLES = ("ann", "host", "spectator", "auditor", "nobody")
AS_GENERATED = "ann, as generated"
EARLY_REQUESTS = 4
"""How many requests of each operation are made as every role."""
request_counts = Counter[str]()
"""The requests of each operation so far."""
EXAMPLE_COUNT = int(os.environ.get("ZIM_OPENAPI_EXAMPLES", "10"))
"""Random examples of each operation, besides about 40 that schemathesis derives from its schema."""
SCHEMATHESIS_SCHEMA = schemathesis.openapi.from_dict(openapi_document())
SCHEMATHESIS_SCHEMA.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])


@SCHEMATHESIS_SCHEMA.parametrize()
@settings(
    max_examples=EXAMPLE_COUNT,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_matches_the_openapi(
    case: schemathesis.Case[Any], server_and_clients: tuple[GameServer, dict[str, Client]]
) -> None:
    """Two roles, drawn by the request, make it, each for an existing game or as generated.

    The first requests of each operation are made as every role.
    """
    server, clients = server_and_clients
    all_roles = (*ROLES, AS_GENERATED)
    request_counts[case.operation.label] += 1
    is_early = request_counts[case.operation.label] <= EARLY_REQUESTS
    request_text = repr((case.path_parameters, case.query, case.headers, case.body))
    generated_values = case.path_parameters or {}
    existing_values = {"game": "k", "line": "main", "seat": "ben", "digest": server.head()}
    parameters = {name: existing_values.get(name, value) for name, value in generated_values.items()}
    for role in all_roles if is_early else Random(request_text).sample(all_roles, 2):
        note(f"as {role}")
        case.path_parameters = generated_values if role == AS_GENERATED else parameters
        client = clients.get(role, clients["ann"])
        headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
        request = case.as_transport_kwargs(base_url="http://testserver.local", headers=headers)
        assert not request.pop("cookies", None), "no operation takes a cookie"
        request["headers"] = [
            (key.encode("latin-1"), value.encode("latin-1")) for key, value in request["headers"].items()
        ]
        if isinstance(request.get("data"), bytes | str):
            request["content"] = request.pop("data")
        case.validate_response(server.http.request(**request), checks=CHECKS)
