"""Example requests made from the rows of the table of endpoints, so that every test also covers a new row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import inspect

from tests.server.game_server import Client, GameServer
from zimcore.documents.endpoint import Endpoint
from zimcore.documents.endpoints import ENDPOINTS

HEX_EXAMPLES = ("", "0" * 32, "0" * 64, "0" * 128)
READING_ENDPOINTS = [row for row in ENDPOINTS if row.reads]
WRITING_ENDPOINTS = [row for row in ENDPOINTS if not row.reads]


def example_body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The smallest valid body or query of an endpoint: only its required fields.

    >>> from zimcore.documents.seats import Move, NewKey
    >>> example_body(Move), example_body(NewKey)["key"] == "0" * 64
    ({'move': 'x'}, True)
    """
    struct_type = inspect.type_info(struct)
    assert isinstance(struct_type, inspect.StructType)
    return {each.name: example_value(each.type) for each in struct_type.fields if each.required}


def example_value(type_: inspect.Type) -> Any:
    """The smallest valid value of a type."""
    match type_:
        case inspect.Metadata(type=inner_type):
            return example_value(inner_type)
        case inspect.StrType(pattern=str(pattern)):
            return next(each for each in HEX_EXAMPLES if re.fullmatch(pattern, each))
        case inspect.StrType(min_length=minimum):
            return "x" * (minimum or 1)
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.IntType(ge=minimum):
            return minimum or 0
    raise AssertionError(f"no example of a {type_}: add one here")


def path_of(row: Endpoint[Any, Any], server: GameServer, **parameters: Any) -> str:
    """The path of an endpoint with its query. Parameters not given name Ben's seat and token, and the line main."""
    parameter_values = {
        "game": server.game,
        "line": "main",
        "seat": "ben",
        "token": server.service.members("k").token_ids.get("ben", "none"),
        "number": 1,
        "order": 0,
        "tag": "opening",
        "league": "cup",
        "digest": server.head(),
        **parameters,
    }
    query = urlencode(example_body(row.request)) if row.reads else ""
    return row.path.format_map(parameter_values) + (f"?{query}" if query else "")


def send_request(
    client: Client, row: Endpoint[Any, Any], server: GameServer, body: Any = None, **parameters: Any
) -> Any:
    """Asks an endpoint with the token of a client; a feed ends after the messages so far, instead of waiting."""
    server.http.app.state.dispatcher.feeds.is_closing = True
    path = path_of(row, server, **parameters)
    if row.reads:
        return client.get(path)
    if body is None and msgspec.structs.fields(row.request):
        body = example_body(row.request)
    return client(row.method, path, body, head="*" if row.if_match == "must" else None)


def stored_rows(server: GameServer) -> list[Any]:
    """All rows of the store, to compare before and after a refusal."""
    return [*server.service.store.rows()]


def line_parameters(row: Endpoint[Any, Any]) -> Iterator[dict[str, str]]:
    """For an endpoint of a line: `main`, a private line of Ben, and one that does not exist; else `main` only."""
    names = ("main", "ben--plan", "ben--plam") if "line" in row.parameters else ("main",)
    return ({"line": name} for name in names)
