"""Errors as problem documents (RFC 9457): every exception that a request can raise, and its status."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.openapi import ResponseSpec

from event_store import ConflictError, DiskFullError, NewerError, StoreError, TakenError
from zimcore.documents.endpoint import Endpoint
from zimcore.documents.positions import CommitDocument
from zimcore.documents.problems import ProblemDetails, Reason
from zimcore.game import AmbiguousError, GameError, HiddenError, NotationError, OptionError, Refused, UnknownError
from zimcore.service.lines.visibility import without_open_hints
from zimcore.toolkit.printable import printable_json

PROBLEM_MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:zim:problem:"
"""The prefix of a problem's type URI; the kind follows."""

ERROR_KINDS: tuple[tuple[type[Exception], int, str], ...] = (
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

KIND_BY_STATUS = {
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
STORE_RETRY_SECONDS = 2
"""Seconds after which a client tries again if the store can't be read or written."""
HEADER_NAMES = {"key": "Idempotency-Key", "if_match": "If-Match", "last_event_id": "Last-Event-ID"}
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
        self.details = make_problem(status, kind or KIND_BY_STATUS[status], title, why, hints)

    @classmethod
    def from_problem(cls, problem: ProblemDetails, headers: Mapping[str, str] | None = None) -> Self:
        """The exception that carries a problem, and headers of its response."""
        error = cls(problem.status, problem.title, kind=problem.kind, headers=headers)
        error.details = problem
        return error


def make_problem(
    status: int, kind: str, title: str, why: Sequence[Reason] | str = "", hints: Sequence[str] = (), head: str = ""
) -> ProblemDetails:
    """A problem as a document."""
    reasons = ((Reason(why),) if why else ()) if isinstance(why, str) else tuple(why)
    return ProblemDetails(
        type=TYPE_PREFIX + kind,
        title=title,
        status=status,
        kind=kind,
        detail="; ".join(reason.text for reason in reasons),
        why=reasons,
        hints=without_open_hints(hints),
        head=head,
    )


def limit_error(title: str, *, hints: Sequence[str], seconds: float = 3600) -> ProblemError:
    """The error 429 for a client that has reached a limit, for example of games, with the seconds to wait."""
    return ProblemError(429, title, "that is the limit", hints, headers={"Retry-After": f"{seconds:.0f}"})


def problem_of(error: Exception) -> ProblemDetails:
    """The problem for an exception; an unexpected one reveals no details."""
    if isinstance(error, ProblemError):
        return error.details
    if isinstance(error, HTTPException):
        return _http_problem(error)
    for error_class, status, kind in ERROR_KINDS:
        if isinstance(error, error_class):
            if status == 503:
                log.error("store: %s", error)
                return _store_problem(error, kind)
            title, why, hints, head = (getattr(error, attribute, "") for attribute in ("what", "why", "hints", "head"))
            return make_problem(status, kind, title, why, hints, head if status == 412 else "")
    log.error("a bug: %s", type(error).__name__, exc_info=error)
    return make_problem(500, "bug", "this is a bug of the server; nothing that was played is lost")


def _store_problem(error: Exception, kind: str) -> ProblemDetails:
    """The problem for a store that fails, without its path and name: they stay in the log."""
    match error:
        case NewerError(what=what, why=why, hints=hints):
            return make_problem(503, kind, what, why, [f"tell the host: {hint}" for hint in hints])
        case DiskFullError():
            return make_problem(
                503, kind, "the server's disk is full", "nothing was lost", ["tell the host: its disk is full"]
            )
    return make_problem(503, kind, "the store can't be read or written now", "", ["try again"])


def conflict_problem(error: ConflictError, new_commits: Sequence[CommitDocument]) -> ProblemDetails:
    """The problem for a head that has moved on, with the commits since then."""
    return msgspec.structs.replace(problem_of(error), since=tuple(new_commits))


def refusal_problem(command_text: str, refused: Refused) -> ProblemDetails:
    """The problem for a command that the rules forbid, with every rule that it breaks."""
    reasons = [Reason(refusal.reason, refusal.code) for refusal in refused.refusals]
    return make_problem(422, "hidden" if refused.all_hidden else "refused", command_text, reasons, refused.hints)


def _http_problem(error: HTTPException) -> ProblemDetails:
    """The problem for a request that Litestar rejects before a handler runs."""
    faults = error.extra if isinstance(error.extra, list) else []
    keys_and_messages = ((fault.get("key", ""), fault.get("message", "")) for fault in faults)
    reasons = [Reason(f"{HEADER_NAMES.get(key, key)}: {message}".strip(": ")) for key, message in keys_and_messages]
    kind = KIND_BY_STATUS.get(error.status_code, "http")
    if error.status_code == 404:
        return make_problem(404, kind, "there is nothing at this address", reasons, ["GET /v1/openapi.json"])
    if error.status_code == 400:
        return make_problem(400, kind, "the request is not valid", reasons or error.detail)
    return make_problem(error.status_code, kind, error.detail.partition("\n")[0], reasons)


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
    if problem.status == 503 and not isinstance(error, NewerError):
        headers.setdefault("Retry-After", str(STORE_RETRY_SECONDS))
    return Response(
        encode_document(problem), status_code=problem.status, media_type=PROBLEM_MEDIA_TYPE, headers=headers
    )


def _status_and_spec(status: int, description: str) -> tuple[int, ResponseSpec]:
    return status, ResponseSpec(
        ProblemDetails, description=description, media_type=PROBLEM_MEDIA_TYPE, generate_examples=False
    )


COMMON_PROBLEMS = dict(
    (
        _status_and_spec(400, "The request is not valid."),
        _status_and_spec(401, "No token, or one that is not valid."),
        _status_and_spec(403, "The token does not allow this."),
        _status_and_spec(404, "It does not exist, or this token may not see it."),
        _status_and_spec(429, "Too many requests: see Retry-After."),
        _status_and_spec(503, "The server is busy, or its store can't be read: see Retry-After."),
    )
)
"""Problems that every endpoint may answer with."""
QUESTION_PROBLEMS = {
    **COMMON_PROBLEMS,
    **dict(
        (
            _status_and_spec(409, "It can't be answered there."),
            _status_and_spec(422, "It depends on hidden information."),
        )
    ),
}
WRITE_PROBLEMS = {
    **COMMON_PROBLEMS,
    **dict(
        (
            _status_and_spec(408, "The body did not arrive in time."),
            _status_and_spec(409, "It is not possible there."),
            _status_and_spec(412, "The head has moved on; `since` has the commits played since then."),
            _status_and_spec(413, "The body is too large."),
            _status_and_spec(415, "The body is not application/json."),
            _status_and_spec(422, "The rules forbid it, or the Idempotency-Key was used for something else."),
            _status_and_spec(428, "If-Match is missing."),
        )
    ),
}


def problem_specs(row: Endpoint[Any, Any]) -> Mapping[int, ResponseSpec]:
    """The specifications of the problems that an endpoint may answer with, by status."""
    if row.reads:
        return COMMON_PROBLEMS if {"line", "digest"}.isdisjoint(row.parameters) else QUESTION_PROBLEMS
    possible_by_status = {428: row.if_match == "must", 415: row.has_body}
    return {status: spec for status, spec in WRITE_PROBLEMS.items() if possible_by_status.get(status, True)}
