"""The OpenAPI description: what Litestar derives from the routes, and what only the table of endpoints knows."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.datastructures import State
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from zimcore.documents.endpoints import ENDPOINTS, FEED, POSITION, Endpoint
from zimcore.server.feeds import SSE

VERSION = "1"
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
EVENT = {
    "type": "object",
    "description": "An event; its data is the document of a message, as JSON.",
    "properties": {"id": TEXT, "event": TEXT, "data": TEXT, "retry": NUMBER},
}
MORE_MEDIA = ((POSITION, "image/svg+xml", TEXT), (FEED, SSE, EVENT))
"""Further media types of endpoints: pictures, and server-sent events."""
WAIT = {"429": "Seconds to wait before you try again.", "503": "Seconds to wait before you try again, if known."}


def config() -> OpenAPIConfig:
    """The configuration of the OpenAPI: title, security, where it is served."""
    token = SecurityScheme(type="http", scheme="bearer", description="zim_seat_..., zim_host_... and others")
    return OpenAPIConfig(
        title="Zim",
        version=VERSION,
        description="Games for several players; each move and each view is a resource.",
        components=Components(security_schemes={"token": token}),
        security=[{"token": []}, {}],
        path="/v1",
        render_plugins=[Described(path="/openapi.json")],
        use_handler_docstrings=True,
        create_examples=False,
    )


class Described(JsonRenderPlugin):
    """The OpenAPI as JSON, made at the first request for it, so that the server starts faster."""

    def render(self, request: Request[Any, Any, State], openapi_schema: dict[str, Any]) -> bytes:
        """The complete OpenAPI as JSON."""
        return super().render(request, complete(openapi_schema))


def complete(schema: dict[str, Any]) -> dict[str, Any]:
    """Adds to the OpenAPI what Litestar can't express in a route: headers, and further media types."""
    for row, media, content in MORE_MEDIA:
        operation(schema, row)["responses"]["200"]["content"][media] = {"schema": content}
    for row in ENDPOINTS:
        say_headers(operation(schema, row), row)
    return schema


def operation(schema: dict[str, Any], row: Endpoint[Any, Any]) -> Any:
    """The OpenAPI's operation object of an endpoint."""
    return schema["paths"][row.path][row.method.lower()]


def say_headers(described: dict[str, Any], row: Endpoint[Any, Any]) -> None:
    """Adds the headers of answers and problems, and marks If-Match as required or not."""
    answers = described["responses"]
    headers = answers[str(row.success)].setdefault("headers", {})
    if row.etag != "never":
        headers["ETag"] = header(
            "The head that the answer is about; send it back as If-Match.", required=row.etag == "must"
        )
    if row.location:
        headers["Location"] = header("Where the new resource is.", required=True)
    for status, text in WAIT.items():
        answers[status]["headers"] = {"Retry-After": header(text, required=status == "429")}
    for parameter in described.get("parameters", ()):
        if parameter["name"] == "If-Match":
            parameter["required"] = row.if_match == "must"
            # For Litestar the header is optional, so that the answer without it is 428 and not 400.
            parameter["schema"] = TEXT


def header(text: str, *, required: bool) -> dict[str, Any]:
    """The OpenAPI's header object with a description."""
    return {"description": text, "required": required, "schema": TEXT}
