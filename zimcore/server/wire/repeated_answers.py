"""Repeats answers on the event loop, without a worker, while the store stays as it was. In other words: response cache.

A handler says which of its answers follow from the request and the store alone: `scope["state"][LASTS_KEY]`. Then the
same request with the same token gets the same answer, until anybody writes anything to the store. Whoever sent too many
requests, or to a foreign host name, was refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import copy

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from zimcore.server.wire.reply_cache import ReplyCache

LASTS_KEY = "lasts"
"""In the state of a request whose answer follows from the request and the store alone."""
KEY_HEADERS = frozenset({b"authorization", b"accept-encoding", b"if-none-match"})
"""The headers on which such an answer depends."""


class SentAnswer(msgspec.Struct, frozen=True):
    """An answer as it was sent: the message with its status and headers, and its content."""

    start: Message
    content: bytes


def repeat_answers(
    store_version: Callable[[], object], answers: ReplyCache[SentAnswer]
) -> Callable[[ASGIApp], ASGIApp]:
    """The middleware that keeps and repeats answers. `store_version()` is None if the store can't tell at once."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            is_read = scope["type"] == ScopeType.HTTP and scope["method"] == "GET" and scope["path"].startswith("/v1/")
            version = store_version() if is_read else None
            if version is None:
                await app(scope, receive, send)
                return
            key = version, scope["path"], scope["query_string"], _key_headers(scope)
            if answer := answers.get(key):
                await send(copy(answer.start))  # more headers are added on the way
                await send({"type": "http.response.body", "body": answer.content, "more_body": False})
                return
            await app(scope, receive, _keeping_sender(scope, send, key, answers))

        return middleware

    return wrap


def _key_headers(scope: Scope) -> Hashable:
    return tuple([header for header in scope["headers"] if header[0] in KEY_HEADERS])


def _keeping_sender(scope: Scope, send: Send, key: Hashable, answers: ReplyCache[SentAnswer]) -> Send:
    """A function that sends as `send` does, and keeps an answer that lasts."""
    start: Message | None = None

    async def send_and_keep(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            start = copy(message)
        elif message["type"] == "http.response.body" and start and scope["state"].get(LASTS_KEY):
            answers.keep(key, SentAnswer(start, message["body"]))
        await send(message)

    return send_and_keep
