"""HTTP by httptools, which parses in C and halves the cost of a read; with limits on the head and body of a request."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from zimcore.server.wire.limits import ClientGoneError, RateLimits, problem_headers
from zimcore.server.wire.problem_responses import encode_document, make_problem
from zimcore.server.wire.security_headers import with_security_headers
from zimcore.server.wire.silence_timer import SilenceTimer

MAX_HEAD_BYTES = 16 << 10
"""Bytes of a request before its body. httptools itself has no limit."""
SPARE_SECONDS = 1.0
"""Seconds after the deadline of a body in which the application may still answer that it is late."""


class Protocol(HttpToolsProtocol):
    """Uvicorn's HTTP protocol, which refuses a request whose head is too long, and one that arrives too slowly.

    There is one deadline for all of a head, and one for all of a body: a client that sends a byte now and then does not
    extend them. While the server answers there is none. The limits are those in the state of the application.
    """

    # More entries in its dictionary would cost each connection a kilobyte.
    __slots__ = ("_body_timer", "_head_size", "_head_timer", "_in_body", "_is_too_long")

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        limits: RateLimits = self.config.app.state.limits  # type: ignore[union-attr]
        self._in_body, self._head_size, self._is_too_long = False, 0, False
        self._head_timer = SilenceTimer(limits.head_seconds, self._on_late_head)
        self._body_timer = SilenceTimer(limits.body_seconds + SPARE_SECONDS, self._on_late_body)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called for a new connection: the time for its first head begins."""
        super().connection_made(transport)
        self._head_timer.restart()

    def connection_lost(self, error: Exception | None) -> None:
        """Called at the end of a connection."""
        self._head_timer.cancel()
        self._body_timer.cancel()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Parses bytes that arrived; answers 431 once the head is longer than `MAX_HEAD_BYTES`."""
        if not self._in_body:
            # The limit is checked before a piece is added: one piece may hold the end of the head and some body.
            if self._head_size > MAX_HEAD_BYTES:
                self._is_too_long = True
                self.send_400_response("")
                return
            self._head_size += len(data)
            # The first bytes of another head. Those that come while the server answers wait for that.
            if not self._head_timer.is_running and (self.cycle is None or self.cycle.response_complete):
                self._head_timer.restart()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Called at the end of the head. Raises `ValueError` if it is too long."""
        self._in_body = True
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > MAX_HEAD_BYTES:
            self._is_too_long = True
            raise ValueError("too long")  # uvicorn sends the response 400
        self._head_timer.stop()
        self._body_timer.restart()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Called at the end of the request: the next bytes are the head of another one."""
        self._in_body, self._head_size = False, 0
        self._body_timer.stop()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answers a request that is not HTTP, or whose head is too long; closes the connection."""
        if self._is_too_long:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too-large", "the head of the request is too long")
        else:
            self._refuse(HTTPStatus.BAD_REQUEST, "not-understood", "this is not an HTTP request")

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Starts the application, which ends quietly if its client goes away or takes nothing."""

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            is_gone = False

            async def send_if_open(message: Any) -> None:
                # Uvicorn tells it only to the last of several requests; the others write to a closed transport.
                nonlocal is_gone
                try:
                    if not self.transport.is_closing():
                        await send(message)
                except RuntimeError:
                    if not self.transport.is_closing():
                        raise
                if is_gone := self.transport.is_closing() and not cycle.response_complete:
                    raise ClientGoneError

            try:
                await app(scope, receive, send_if_open)
            except Exception as error:
                if not is_gone and not is_caused_by(ClientGoneError, error):
                    raise
                cycle.disconnected = True
                self.transport.abort()  # closed, it would wait for ever for a client that takes nothing

        super()._start_asgi_task(cycle, answer)

    def _on_late_head(self) -> None:
        if self._head_size:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "too-slow", "the head of the request did not arrive in time")
        else:  # a browser opens connections in advance
            self.transport.close()

    def _on_late_body(self) -> None:
        if self.pipeline:  # it is the server that does not read on, while it answers an earlier request
            self._body_timer.restart()
        else:
            self.transport.close()

    def _refuse(self, status: HTTPStatus, kind: str, title: str) -> None:
        """Answers with a problem before the application has the request, and closes the connection."""
        body = encode_document(make_problem(status, kind, title))
        headers = with_security_headers(problem_headers(len(body), close_connection=True))
        lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
        self.transport.write(STATUS_LINE[status] + lines + b"\r\n" + body)
        self.transport.close()


def is_caused_by(error_type: type[Exception], error: BaseException | None) -> bool:
    """Whether an error, or one that it was raised from, is of a type."""
    return error is not None and (isinstance(error, error_type) or is_caused_by(error_type, error.__cause__))
