"""HTTP as httptools reads it, in C: half of what a read costs otherwise. But no request has a head without an end."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD = 16 << 10
"""Bytes of a request before its body: httptools itself would keep whatever comes."""


class Protocol(HttpToolsProtocol):
    """Uvicorn's, which refuses a request whose head is too long."""

    _head = 0
    _in_body = False

    def data_received(self, data: bytes) -> None:
        """Takes what has come."""
        if not self._in_body:
            # What comes in one piece may have a body in it, too: that much is let through, and no more.
            if self._head > LONGEST_HEAD:
                self.send_400_response("The head of the request is too long.")
                return
            self._head += len(data)
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """The head has ended."""
        self._in_body = True
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > LONGEST_HEAD:
            raise ValueError("too long")  # answered as what is no HTTP
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request has ended: what follows is the head of another."""
        self._in_body, self._head = False, 0
        super().on_message_complete()
