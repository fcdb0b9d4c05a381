"""Checks the Host header of a server on a home network, against DNS rebinding.

The owner of a domain can make it resolve to an address of your network. A browser then takes this server for part of
their site, and their scripts can read its answers. Cookies are not sent, but public games could be read.
"""

from __future__ import annotations

from collections.abc import Callable

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from zimcore.server.limits import say
from zimcore.server.problem_responses import details
from zimcore.toolkit.addresses import LOOPBACK, host_of, is_private


def is_own_host(header: str) -> bool:
    """Whether a Host header names this machine or an address of a private network, or is empty.

    >>> [is_own_host(header) for header in ("192.168.1.5:8321", "localhost", "", "evil.example:8321")]
    [True, True, True, False]
    """
    host = host_of(f"//{header}")
    return not header or host in LOOPBACK or is_private(host)


def check_host(*, lan: bool) -> Callable[[ASGIApp], ASGIApp]:
    """The middleware that refuses, on a `lan`, requests whose Host header has another name."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == ScopeType.HTTP and lan:
                named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
                if not all(map(is_own_host, named)):
                    why = "at home this server answers by its address alone"
                    hints = ["open the link as it was printed", "zim host --url https://HOST"]
                    await say(send, details(403, "not-allowed", "not by this name", why, hints), close=True)
                    return
            await app(scope, receive, send)

        return middleware

    return wrap
