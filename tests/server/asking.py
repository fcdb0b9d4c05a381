"""How each endpoint of the table is asked: an example made of its row, so that a new row is tried by every test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import inspect

from tests.server.game_server import Client, GameServer
from zimcore.documents.endpoints import ENDPOINTS, Endpoint

HEX = ("", "0" * 32, "0" * 64, "0" * 128)
READS = [row for row in ENDPOINTS if row.reads]
WRITES = [row for row in ENDPOINTS if not row.reads]


def example(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """What an endpoint is given, with no more in it than has to be.

    >>> from zimcore.documents.seats import Move, NewKey
    >>> example(Move), example(NewKey)["key"] == "0" * 64
    ({'move': 'x'}, True)
    """
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {each.name: value(each.type) for each in info.fields if each.required}


def value(kind: inspect.Type) -> Any:
    """The smallest valid value of a type."""
    match kind:
        case inspect.Metadata(type=inner):
            return value(inner)
        case inspect.StrType(pattern=str(pattern)):
            return next(each for each in HEX if re.fullmatch(pattern, each))
        case inspect.StrType(min_length=least):
            return "x" * (least or 1)
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.IntType(ge=least):
            return least or 0
    raise AssertionError(f"no example of a {kind}: say one here")


def path_of(row: Endpoint[Any, Any], server: GameServer, **named: Any) -> str:
    """The address of an endpoint with its query; parameters name Ben and his line."""
    there = {
        "game": server.game,
        "line": "main",
        "seat": "ben",
        "token": server.service.members("k").seated.get("ben", "none"),
        "number": 1,
        "order": 0,
        "tag": "opening",
        "league": "cup",
        "digest": server.head(),
        **named,
    }
    query = urlencode(example(row.request)) if row.reads else ""
    return row.path.format_map(there) + (f"?{query}" if query else "")


def send(client: Client, row: Endpoint[Any, Any], server: GameServer, body: Any = None, **named: Any) -> Any:
    """Asks an endpoint with the token of a client; a feed ends after the messages so far, instead of waiting."""
    server.http.app.state.dispatcher.feeds.closing = True
    path = path_of(row, server, **named)
    if row.reads:
        return client.get(path)
    sent = body if body is not None else example(row.request) if msgspec.structs.fields(row.request) else None
    return client(row.method, path, sent, head="*" if row.if_match == "must" else None)


def stored_rows(server: GameServer) -> list[Any]:
    """All rows of the store, to compare before and after a refusal."""
    return [*server.service.store.rows()]


def addresses(row: Endpoint[Any, Any]) -> Iterator[dict[str, str]]:
    """For an endpoint of a line: the match, a private line of Ben, and one that does not exist; else one address."""
    names = ("main", "ben--plan", "ben--plam") if "line" in row.parameters else ("main",)
    return ({"line": name} for name in names)
