"""Errors as problem documents (RFC 9457): every exception that a request can raise, and its status."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.openapi import ResponseSpec

from event_store import ConflictError, StoreError, TakenError
from zimcore.documents.endpoints import Endpoint
from zimcore.documents.positions import CommitDocument
from zimcore.documents.problems import ProblemDetails, Reason
from zimcore.game import AmbiguousError, GameError, HiddenError, NotationError, OptionError, Refused, UnknownError
from zimcore.toolkit.printable import printable_json

MEDIA = "application/problem+json"
TYPE = "urn:zim:problem:"
"""The prefix of a problem's type URI; the kind follows."""

KINDS: tuple[tuple[type[Exception], int, str], ...] = (
    (AmbiguousError, 400, "ambiguous"),
    (NotationError, 400, "not-understood"),
    (OptionError, 422, "option"),
    (HiddenError, 422, "hidden"),
    (UnknownError, 404, "unknown"),
    (GameError, 409, "not-possible"),
    (TakenError, 422, "key-taken"),
    (ConflictError, 412, "moved-on"),
    (StoreError, 503, "store"),
)
"""Status and kind of each exception class; the first that matches counts."""

NAMES = {
    400: "not-understood",
    401: "no-token",
    403: "not-allowed",
    404: "unknown",
    405: "method",
    408: "too-slow",
    413: "too-large",
    415: "media",
    428: "if-match",
    429: "too-many",
    499: "closed",
    503: "busy",
}
STORE_SECONDS = 2
"""Seconds after which a client tries again if the store can't be read or written."""
IN_HEADER = {"key": "Idempotency-Key", "if_match": "If-Match", "last": "Last-Event-ID"}
"""The headers that handlers get under other names."""

log = logging.getLogger("zim.server")


class ProblemError(Exception):
    """An exception that carries a problem to the response."""

    def __init__(
        self,
        status: int,
        title: str,
        why: str = "",
        hints: Sequence[str] = (),
        *,
        kind: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(title)
        self.headers = dict(headers or {})
        self.details = details(status, kind or NAMES[status], title, why, hints)

    @classmethod
    def from_problem(cls, problem: ProblemDetails, headers: Mapping[str, str] | None = None) -> Self:
        """The exception that carries a problem, and headers of its response."""
        error = cls(problem.status, problem.title, kind=problem.kind, headers=headers)
        error.details = problem
        return error


def details(
    status: int, kind: str, title: str, why: Sequence[Reason] | str = "", hints: Sequence[str] = (), head: str = ""
) -> ProblemDetails:
    """A problem as a document."""
    reasons = ((Reason(why),) if why else ()) if isinstance(why, str) else tuple(why)
    return ProblemDetails(
        type=TYPE + kind,
        title=title,
        status=status,
        kind=kind,
        detail="; ".join(each.text for each in reasons),
        why=reasons,
        hints=tuple(hints),
        head=head,
    )


def limit_problem(counted: str, *, hints: Sequence[str], seconds: float = 3600) -> ProblemError:
    """The problem 429 for a limit on what a client has, with the seconds to wait before another try."""
    return ProblemError(429, counted, "that is the limit", hints, headers={"Retry-After": f"{seconds:.0f}"})


def problem_of(error: Exception) -> ProblemDetails:
    """The problem for an exception; an unexpected one reveals no details."""
    if isinstance(error, ProblemError):
        return error.details
    if isinstance(error, HTTPException):
        return _http(error)
    for form, status, kind in KINDS:
        if isinstance(error, form):
            if status == 503:  # the path and name of the store stay in the log
                log.error("store: %s", error)
                return details(503, kind, "the store can't be read or written now", "", ["try again"])
            what, why, hints, head = (getattr(error, name, "") for name in ("what", "why", "hints", "head"))
            return details(status, kind, what, why, hints, head if status == 412 else "")
    log.error("a bug: %s", type(error).__name__, exc_info=error)
    return details(500, "bug", "this is a bug of the server; nothing that was played is lost")


def moved_on(error: ConflictError, since: Sequence[CommitDocument]) -> ProblemDetails:
    """The problem for a head that has moved on, with the commits since then."""
    return msgspec.structs.replace(problem_of(error), since=tuple(since))


def refusal_problem(text: str, answer: Refused) -> ProblemDetails:
    """The problem for a command that the rules forbid, with every rule that it breaks."""
    why = [Reason(refusal.reason, refusal.code) for refusal in answer.refusals]
    return details(422, "hidden" if answer.all_hidden else "refused", text, why, answer.hints)


def _http(error: HTTPException) -> ProblemDetails:
    """The problem for a request that Litestar rejects before a handler runs."""
    extra = error.extra if isinstance(error.extra, list) else []
    key_messages = ((each.get("key", ""), each.get("message", "")) for each in extra)
    why = [Reason(f"{IN_HEADER.get(name, name)}: {text}".strip(": ")) for name, text in key_messages]
    kind = NAMES.get(error.status_code, "http")
    if error.status_code == 404:
        return details(404, kind, "there is nothing at this address", why, ["GET /v1/openapi.json"])
    if error.status_code == 400:
        return details(400, kind, "the request is not valid", why or error.detail)
    return details(error.status_code, kind, error.detail.partition("\n")[0], why)


def encode_document(document: msgspec.Struct) -> bytes:
    """Encodes a document as JSON, without control characters that could drive a terminal."""
    text = msgspec.json.encode(document).decode()
    return printable_json(text).encode()


def allow_header(methods: Iterable[str]) -> str:
    """The Allow header of an address: its methods, with HEAD where there is GET, and OPTIONS.

    >>> allow_header(["POST", "GET", "OPTIONS"])
    'GET, HEAD, OPTIONS, POST'
    """
    allowed_methods = {"OPTIONS", *methods}
    return ", ".join(sorted(allowed_methods | {"HEAD"} if "GET" in allowed_methods else allowed_methods))


def headers_of(error: Exception) -> dict[str, str]:
    """The headers of the response for an exception."""
    headers = {"Cache-Control": "no-store", **(getattr(error, "headers", None) or {})}
    if "allow" in headers:
        headers["Allow"] = allow_header(headers.pop("allow").split(", "))
    return headers


def answer_problem(_: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The response for an exception."""
    problem = problem_of(error)
    headers = headers_of(error)
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if problem.status == 503:
        headers.setdefault("Retry-After", str(STORE_SECONDS))
    return Response(encode_document(problem), status_code=problem.status, media_type=MEDIA, headers=headers)


def _response_spec(status: int, text: str) -> tuple[int, ResponseSpec]:
    return status, ResponseSpec(ProblemDetails, description=text, media_type=MEDIA, generate_examples=False)


OF_ALL = dict(
    (
        _response_spec(400, "The request is not valid."),
        _response_spec(401, "No token, or one that is not valid."),
        _response_spec(403, "The token does not allow this."),
        _response_spec(404, "It does not exist, or this token may not see it."),
        _response_spec(429, "Too many requests: see Retry-After."),
        _response_spec(503, "The server is busy, or its store can't be read: see Retry-After."),
    )
)
"""Problems that every endpoint may answer with."""
OF_QUESTIONS = {
    **OF_ALL,
    **dict(
        (_response_spec(409, "It can't be answered there."), _response_spec(422, "It depends on hidden information."))
    ),
}
OF_WRITES = {
    **OF_ALL,
    **dict(
        (
            _response_spec(408, "The body did not arrive in time."),
            _response_spec(409, "It is not possible there."),
            _response_spec(412, "The head has moved on: with what was played since."),
            _response_spec(413, "The body is too large."),
            _response_spec(415, "The body is not application/json."),
            _response_spec(422, "The rules forbid it, or the Idempotency-Key was used for something else."),
            _response_spec(428, "If-Match is missing."),
        )
    ),
}


def problems_of(row: Endpoint[Any, Any]) -> Mapping[int, ResponseSpec]:
    """The problems that an endpoint may answer with, by status."""
    if row.reads:
        return OF_ALL if {"line", "digest"}.isdisjoint(row.parameters) else OF_QUESTIONS
    problem_statuses = {428: row.if_match == "must", 415: row.has_body}
    return {status: said for status, said in OF_WRITES.items() if problem_statuses.get(status, True)}
