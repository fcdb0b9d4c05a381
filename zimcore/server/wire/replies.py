"""What every handler and page needs of HTTP: the token and ETags of a request, and replies with their headers."""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec
from litestar import Request, Response
from litestar.datastructures import State
from litestar.exceptions import ClientException, InternalServerException

from zimcore.documents.parameter_names import with_field_names
from zimcore.server.wire.body_faults import describe_fault
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.toolkit.characters import composed

AnyRequest: TypeAlias = Request[Any, Any, State]

JSON_TYPE = "application/json"
PRIVATE_HEADERS = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Encoding"}
ENTITY_TAG = re.compile(r'(?:W/)?"([!#-~\x80-\xff]*)"')
HEAD_DIGEST = re.compile(r"[0-9a-f]{32}")
ACCEPTED_GZIP = re.compile(r"(?:^|[,\s])(?:gzip|\*)\s*(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
MIN_GZIP_BYTES = 1000
"""Bytes from which on an answer is compressed: a smaller one fits into a packet as it is."""
GZIP_LEVEL = 3

JSON_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a text that is not JSON, or nested too deeply, raises."""
BODY_LATE_KEY = "body_late"
"""In the state of a request whose body did not arrive in time."""
BODY_TYPE_OPTION = "body"
"""The option of a handler that has the type of its body."""


class JsonRequest(Request[Any, Any, State]):
    """A request whose body is decoded by the rules of JSON alone: `0` is no boolean, and `"3"` no number."""

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """The parts of its body. Raises `ProblemError` 408 if it comes too slowly, 499 if the client has gone."""
        try:
            async for chunk in super().stream():
                yield chunk
        except InternalServerException as error:
            if not self.is_connected:
                raise  # a bug: the body was read before
            if self.scope["state"].get(BODY_LATE_KEY):
                raise ProblemError(408, "the body did not arrive in time", "", ["send it again"]) from error
            raise ProblemError(499, "the client closed the connection", "the body is not whole") from error

    async def json(self) -> Any:
        """The document in its body. Raises `ProblemError` and `ClientException` if the body is not one."""
        media_type = self.headers.get("content-type", JSON_TYPE).partition(";")[0].strip().lower()
        if media_type != JSON_TYPE:
            raise ProblemError(
                415, f"the body is {media_type[:64] or 'of no type'}", "", [f"Content-Type: {JSON_TYPE}"]
            )
        body_type = self.route_handler.opt.get(BODY_TYPE_OPTION, Any)
        content = (await self.body()).removeprefix(codecs.BOM_UTF8)
        try:
            content = content if content.isascii() else composed(content.decode()).encode()
            return msgspec.json.decode(content, type=body_type)
        except msgspec.ValidationError as error:
            document: object = None
            with suppress(*JSON_ERRORS):  # what comes after the fault may not be JSON
                sent_document = msgspec.json.decode(content)
                document = with_field_names(sent_document, body_type)
                if document != sent_document:  # the fault may have been a name of the shell
                    return msgspec.convert(document, body_type)
            raise ProblemError(400, "the request is not valid", describe_fault(error, document, body_type)) from error
        except JSON_ERRORS as error:
            raise ClientException("the body is not JSON") from error


class Reply(msgspec.Struct, frozen=True):
    """The content of a response: the bytes of a document, the head it is about (for the ETag), and more headers.

    One that `lasts` follows from the request, its token and the store: until the store changes, it is the answer.
    """

    content: bytes
    status: int = 200
    head: str = ""
    headers: Mapping[str, str] = {}
    media_type: str = JSON_TYPE
    lasts: bool = False


def compress(reply: Reply) -> Reply:
    """A reply compressed by gzip; as it is if it is short, or compressed already."""
    if len(reply.content) < MIN_GZIP_BYTES or "Content-Encoding" in reply.headers:
        return reply
    compressed_content = gzip.compress(reply.content, GZIP_LEVEL, mtime=0)
    return msgspec.structs.replace(
        reply, content=compressed_content, headers={**reply.headers, "Content-Encoding": "gzip"}
    )


def make_response(reply: Reply, request: AnyRequest | None = None) -> Response[Any]:
    """The response with a reply; 304 without content if the `request` has its ETag in If-None-Match."""
    if reply.status == 304 or (request and reply.head and is_known(reply.head, known_etags(request))):
        return Response(b"", status_code=304, headers=_headers(reply))
    return Response(reply.content, status_code=reply.status, media_type=reply.media_type, headers=_headers(reply))


def _headers(reply: Reply) -> dict[str, str]:
    etag_header = {"ETag": etag(reply.head)} if reply.head else {}
    return {**PRIVATE_HEADERS, **etag_header, **reply.headers}


def accepts_gzip(request: AnyRequest) -> bool:
    """Whether a client accepts an answer that is compressed by gzip.

    By `gzip;q=0` it says that it does not.
    """
    header = request.headers.get("accept-encoding", "")
    return bool(header) and ACCEPTED_GZIP.search(header.lower()) is not None


def known_etags(request: AnyRequest) -> Sequence[str]:
    """The entity tags in If-None-Match, without quotes: `*` for any; none if the header is missing or not valid."""
    headers = request.headers
    return entity_tags(",".join(headers.getall("if-none-match"))) if "if-none-match" in headers else ()


def is_known(head: str, etags: Sequence[str]) -> bool:
    """Whether a client has the answer about a head already, by the tags that it sent."""
    return head in etags or "*" in etags


def entity_tags(header: str) -> Sequence[str]:
    """The entity tags of a header, weak or not, without their quotes; `*` for any; () if the header is not valid.

    >>> entity_tags('"a1", W/"b2"'), entity_tags("*"), entity_tags("a1")
    (('a1', 'b2'), ('*',), ())
    """
    if header.strip() == "*":
        return ("*",)
    return tuple(ENTITY_TAG.findall(header)) if not ENTITY_TAG.sub("", header).strip(", \t") else ()


def bearer_token(request: AnyRequest) -> str:
    """The token of a request; "" if it has none. Raises `ProblemError` for another kind of authorization.

    Only pages take a token from a cookie (`pages/browser.py`); it is then in the state of the request.
    """
    if (page_token := request.scope["state"].get("token")) is not None:
        return str(page_token)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise ProblemError(401, "this is not a token", "", ["Authorization: Bearer zim_seat_..."])
    if scheme and not token:
        raise ProblemError(401, "this is not a token", "it is empty", ["Authorization: Bearer zim_seat_..."])
    return token.strip()


def unchecked_token(request: AnyRequest) -> str:
    """What a request has in the place of a token, "" for nothing."""
    token: str | None = request.scope["state"].get("token")
    return request.headers.get("authorization", "").partition(" ")[2].strip() if token is None else token


def etag(digest: str) -> str:
    """The entity tag of a head."""
    return f'"{digest}"'


def expected_heads(if_match: str | None, *, is_required: bool = True) -> tuple[str, ...]:
    """The heads that a client saw, by If-Match; () for any. Raises `ProblemError` if it is invalid, or missing with
    `is_required`.

    A weak tag counts as well: a proxy that compresses answers makes the tags weak, and a digest has no other meaning.
    What follows a hyphen in a tag is about what happened around the game.
    """
    if if_match is None and is_required:
        hints = ['If-Match: "DIGEST", as ETag has it']
        raise ProblemError(428, "If-Match is missing", "say which head you saw", hints)
    if if_match is None or if_match.strip() == "*":
        return ()
    digests = tuple(tag.partition("-")[0] for tag in entity_tags(if_match))
    if not digests or not all(map(HEAD_DIGEST.fullmatch, digests)):
        raise ProblemError(400, "not an ETag of a head", if_match[:64], ['If-Match: "DIGEST", as ETag has it'])
    return digests
