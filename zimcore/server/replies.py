"""What every handler and page needs of HTTP: the token and ETags of a request, and replies with their headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
from litestar import Request, Response
from litestar.datastructures import State
from litestar.exceptions import ClientException

from zimcore.server.problem_responses import ProblemError

AnyRequest: TypeAlias = Request[Any, Any, State]

JSON = "application/json"
PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


BODY_TYPE = "body"
"""The option of a handler that has the type of its body."""


class JsonRequest(Request[Any, Any, State]):
    """A request whose body is decoded by the rules of JSON alone: `0` is no boolean, and `"3"` no number."""

    async def json(self) -> Any:
        """The document in its body. Raises `ProblemError` and `ClientException` if the body is not one."""
        media = self.headers.get("content-type", JSON).partition(";")[0].strip().lower()
        if media != JSON:
            raise ProblemError(415, f"the body is {media[:64] or 'of no type'}", "", [f"Content-Type: {JSON}"])
        try:
            return msgspec.json.decode(await self.body(), type=self.route_handler.opt.get(BODY_TYPE, Any))
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at `$")
            name = where.rstrip("`").lstrip(".")
            why = f"{name}: {what}" if name else what
            raise ProblemError(400, "the request is not valid", why) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ClientException("the body is not JSON") from error


class Reply(msgspec.Struct, frozen=True):
    """The content of a response: the bytes of a document, the head it is about (for the ETag), and more headers."""

    content: bytes
    status: int = 200
    head: str = ""
    headers: Mapping[str, str] = {}
    media_type: str = "application/json"


def response(found: Reply, request: AnyRequest | None = None) -> Response[Any]:
    """The response with a reply; 304 without content if the `request` has its ETag in If-None-Match."""
    if request and found.head and request.headers.get("if-none-match") == etag(found.head):
        return Response(b"", status_code=304, headers=_headers(found))
    return Response(found.content, status_code=found.status, media_type=found.media_type, headers=_headers(found))


def _headers(found: Reply) -> dict[str, str]:
    tag = {"ETag": etag(found.head)} if found.head else {}
    return {**PRIVATE, **tag, **found.headers}


def bearer(request: AnyRequest) -> str:
    """The token of a request; "" if it has none. Raises `ProblemError` for another kind of authorization.

    Only pages take a token from a cookie (`pages/browser.py`); it is then in the state of the request.
    """
    if (chosen := request.scope["state"].get("token")) is not None:
        return str(chosen)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise ProblemError(401, "this is not a token", "", ["Authorization: Bearer zim_seat_..."])
    if scheme and not token:
        raise ProblemError(401, "this is not a token", "it is empty", ["Authorization: Bearer zim_seat_..."])
    return token.strip()


def etag(digest: str) -> str:
    """The entity tag of a head."""
    return f'"{digest}"'


def expected_head(if_match: str | None, *, must: bool = True) -> str | None:
    """The head that a client saw, by If-Match; None for any. Raises `ProblemError` if it is invalid, or missing
    with `must`.
    """
    if if_match is None and must:
        hints = ['If-Match: "DIGEST", as ETag has it']
        raise ProblemError(428, "If-Match is missing", "say which head you saw", hints)
    if if_match is None or if_match.strip() == "*":
        return None
    digest = if_match.strip().removeprefix('"').removesuffix('"')
    if len(digest) != 32 or etag(digest) != if_match.strip() or not set(digest) <= set("0123456789abcdef"):
        raise ProblemError(400, "not an ETag of a head", if_match[:64], ['If-Match: "DIGEST", as ETag has it'])
    return digest
