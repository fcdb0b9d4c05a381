"""The OpenAPI description: what Litestar derives from the routes, and what only the table of endpoints knows."""

from __future__ import annotations

from inspect import cleandoc
from threading import Lock
from typing import Any

import msgspec
from litestar import Litestar, Response, get
from litestar._openapi.plugin import OpenAPIPlugin
from litestar.config.app import AppConfig
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme

from zimcore.documents.endpoint import Endpoint
from zimcore.documents.endpoints import ENDPOINTS, FEED, POSITION
from zimcore.documents.feed_message import FeedMessage
from zimcore.documents.feed_messages import FEED_MESSAGES
from zimcore.server.news.feeds import SSE
from zimcore.server.wire.replies import AnyRequest

API_VERSION = "1"
MEDIA_TYPE = "application/vnd.oai.openapi+json"
TEXT_SCHEMA, NUMBER_SCHEMA = {"type": "string"}, {"type": "integer"}
SCHEMA_PREFIX = "#/components/schemas/"
EVENT_SCHEMA = {
    "type": "object",
    "description": "A message as an event: id and event are those of a FeedMessage, data is its data, as JSON.",
    "properties": {"id": TEXT_SCHEMA, "event": TEXT_SCHEMA, "data": TEXT_SCHEMA, "retry": NUMBER_SCHEMA},
}
MORE_MEDIA_TYPES = ((POSITION, "image/svg+xml", TEXT_SCHEMA), (FEED, SSE, EVENT_SCHEMA))
"""Further media types of endpoints: pictures, and server-sent events."""
IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of the answer that you have: while it is the same, you get 304 without content.",
    "schema": TEXT_SCHEMA,
}
"""The parameter of a read whose answer has an ETag. No handler takes it: `make_response` looks at it."""
RETRY_STATUSES = ("429", "503")
"""Statuses of answers that say how long to wait."""


_DESCRIPTION_LOCK = Lock()


def openapi_config() -> OpenAPIConfig:
    """The configuration of the OpenAPI: title, security."""
    token_scheme = SecurityScheme(type="http", scheme="bearer", description="zim_seat_..., zim_host_... and others")
    return OpenAPIConfig(
        title="Zim",
        version=API_VERSION,
        description="Games for several players; each move and each view is a resource.",
        components=Components(security_schemes={"token": token_scheme}),
        security=[{"token": []}, {}],
        use_handler_docstrings=True,
        create_examples=False,
    )


def openapi(app: Litestar) -> dict[str, Any]:
    """The complete OpenAPI of an application.

    Litestar would serve it by itself, but with a page that answers for every other address below `/v1`.
    """
    plugin = OpenAPIPlugin(app)
    plugin.on_app_init(AppConfig(openapi_config=openapi_config()))
    for route in app.routes:
        plugin.receive_route(route)
    return complete_schema(plugin.provide_openapi_schema())


@get("/v1/openapi.json", media_type=MEDIA_TYPE, include_in_schema=False, sync_to_thread=True)
def answer_openapi(request: AnyRequest) -> Response[bytes]:
    """The OpenAPI as JSON, made at the first request for it: the server starts faster, and in a thread others don't
    wait.
    """
    state = request.app.state
    with _DESCRIPTION_LOCK:
        if "openapi" not in state:
            state["openapi"] = msgspec.json.encode(openapi(request.app))
    return Response(state["openapi"], media_type=MEDIA_TYPE, headers={"Cache-Control": "no-cache"})


def complete_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Adds to the OpenAPI what Litestar can't express in a route: headers, and further media types."""
    add_messages(schema["components"]["schemas"])
    for row, media_type, content_schema in MORE_MEDIA_TYPES:
        operation_of(schema, row)["responses"]["200"]["content"][media_type] = {"schema": content_schema}
    for row in ENDPOINTS:
        add_headers(operation_of(schema, row), row)
    return schema


def operation_of(schema: dict[str, Any], row: Endpoint[Any, Any]) -> Any:
    """The OpenAPI's operation object of an endpoint."""
    return schema["paths"][row.path][row.method.lower()]


def add_headers(operation_object: dict[str, Any], row: Endpoint[Any, Any]) -> None:
    """Adds the headers of answers and problems, and marks If-Match as required or not."""
    responses = operation_object["responses"]
    headers = responses[str(row.success)].setdefault("headers", {})
    if row.etag != "never":
        headers["ETag"] = header_object(
            "The head that the answer is about; send it back as If-Match.", required=row.etag == "must"
        )
    if row.is_conditional:
        responses["304"] = {
            "description": "You have this answer already.",
            "headers": {"ETag": header_object("The one that you sent in If-None-Match.", required=True)},
        }
        operation_object.setdefault("parameters", []).append(IF_NONE_MATCH)
    if row.is_paged:
        headers["Link"] = header_object('The next page, with rel="next"; the last one has none.', required=False)
    if row.location:
        headers["Location"] = header_object("Where the new resource is.", required=True)
    for status in RETRY_STATUSES:
        responses[status]["headers"] = {
            "Retry-After": header_object("Seconds to wait before you try again.", required=True)
        }
    for parameter in operation_object.get("parameters", ()):
        if parameter["name"] == "If-Match":
            parameter["required"] = row.if_match == "must"
            # For Litestar the header is optional, so that the answer without it is 428 and not 400.
            parameter["schema"] = TEXT_SCHEMA


def add_messages(schemas: dict[str, Any]) -> None:
    """Describes a message of a feed as one of its kinds, told apart by `event`."""
    message_schemas, components = msgspec.json.schema_components(
        FEED_MESSAGES.values(), ref_template=SCHEMA_PREFIX + "{name}"
    )
    for name, schema in components.items():
        schemas.setdefault(name, {**schema, "description": cleandoc(schema["description"])})
    schema_by_event = {
        event: message_schema["$ref"] for event, message_schema in zip(FEED_MESSAGES, message_schemas, strict=True)
    }
    schemas[FeedMessage.__name__] = {
        "title": FeedMessage.__name__,
        "description": cleandoc(FeedMessage.__doc__ or ""),
        "oneOf": list(message_schemas),
        "discriminator": {"propertyName": "event", "mapping": schema_by_event},
    }


def header_object(description: str, *, required: bool) -> dict[str, Any]:
    """The OpenAPI's header object with a description."""
    return {"description": description, "required": required, "schema": TEXT_SCHEMA}
