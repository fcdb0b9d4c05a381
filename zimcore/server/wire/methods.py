"""What every address answers alike: headers for security, HEAD as GET without a body, OPTIONS, 404 for a slash."""

from __future__ import annotations

from typing import Any, cast

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.exceptions import MethodNotAllowedException, NotFoundException
from litestar.types import LifeSpanReceive, LifeSpanScope, LifeSpanSend, Message, Receive, Scope, Send
from litestar.utils import normalize_path

from zimcore.server.wire.limits import send_problem
from zimcore.server.wire.problem_responses import allow_header, make_problem
from zimcore.server.wire.security_headers import with_security_headers

SLASH_PROBLEM = ("there is nothing at this address", "no name has a slash")


class Application(Litestar):
    """The application, with answers that do not depend on the address."""

    async def __call__(
        self, scope: Scope | LifeSpanScope, receive: Receive | LifeSpanReceive, send: Send | LifeSpanSend
    ) -> None:
        """Answers a request."""
        if scope["type"] != ScopeType.HTTP:
            await super().__call__(scope, receive, send)
            return
        http_scope, send_http = cast(dict[str, Any], scope), send_securely(cast(Send, send))
        if b"%2f" in http_scope["raw_path"].lower():
            # The server decodes the path before it is split: such a name would be taken for two parts of an address.
            await send_problem(
                send_http,
                make_problem(404, "unknown", *SLASH_PROBLEM, ["GET /v1/openapi.json"]),
                close_connection=False,
            )
        elif http_scope["method"] == "HEAD":
            head_answer = HeadAnswer(cast(Receive, receive), send_http)
            await super().__call__(cast(Scope, {**http_scope, "method": "GET"}), head_answer.receive, head_answer.send)
        elif http_scope["method"] == "OPTIONS" and (methods := self.methods_at(http_scope["path"])):
            await send_http({"type": "http.response.start", "status": 204, "headers": [(b"allow", methods.encode())]})
            await send_http({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await super().__call__(scope, receive, send_http)

    def methods_at(self, path: str) -> str:
        """The methods that an address answers, as in an Allow header; "" if there is no such address."""
        try:
            self.asgi_router.handle_routing(path=normalize_path(path), method=cast(Any, "?"))
        except MethodNotAllowedException as error:
            return allow_header((error.headers or {})["allow"].split(", "))
        except NotFoundException:
            pass
        return ""


def send_securely(send: Send) -> Send:
    """A function that sends as `send` does, each response with `SECURITY_HEADERS`."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = with_security_headers(message["headers"])
        await send(message)

    return send_with_headers


class HeadAnswer:
    """Sends the head of an answer without its body. A feed, which has no end, ends after its head."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._is_sent = False

    async def receive(self) -> Any:
        """The next message of the client; after the head it counts as gone, so that a feed stops."""
        return {"type": "http.disconnect"} if self._is_sent else await self._receive()

    async def send(self, message: Message) -> None:
        """Sends the head, and an empty body after it."""
        if self._is_sent:
            return
        if message["type"] == "http.response.body":
            self._is_sent = True
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)
