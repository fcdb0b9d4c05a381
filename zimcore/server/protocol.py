"""HTTP by httptools, which parses in C and halves the cost of a read; with a limit on the size of a request head."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 16 << 10
"""Bytes of a request before its body. httptools itself has no limit."""


class Protocol(HttpToolsProtocol):
    """Uvicorn's HTTP protocol, which refuses a request whose head is too long."""

    __slots__ = ("_head_size", "_in_body")  # more entries in its dictionary would cost each connection a kilobyte

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._in_body, self._head_size = False, 0

    def data_received(self, data: bytes) -> None:
        """Parses bytes that arrived; answers 400 once the head is longer than `MAX_HEAD_BYTES`."""
        if not self._in_body:
            # The limit is checked before a piece is added: one piece may hold the end of the head and some body.
            if self._head_size > MAX_HEAD_BYTES:
                self.send_400_response("The head of the request is too long.")
                return
            self._head_size += len(data)
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Called at the end of the head. Raises `ValueError` if it is too long."""
        self._in_body = True
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > MAX_HEAD_BYTES:
            raise ValueError("too long")  # uvicorn answers it as invalid HTTP
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Called at the end of the request: the next bytes are the head of another one."""
        self._in_body, self._head_size = False, 0
        super().on_message_complete()
