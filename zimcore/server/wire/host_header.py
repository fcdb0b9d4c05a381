"""Checks the Host header, against DNS rebinding: a server answers only to the names that it was started for.

The owner of a domain can make it resolve to an address of your network. A browser then takes this server for part of
their site, and their scripts can read its answers. Cookies are not sent, but public games could be read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from ipaddress import ip_address

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from zimcore.server.wire.limits import send_problem
from zimcore.server.wire.problem_responses import make_problem
from zimcore.toolkit.addresses import LOOPBACK_HOSTS, host_of, is_private

WILDCARD_ADDRESSES = ("0.0.0.0", "::")  # noqa: S104  # wildcard addresses: a server that listens there has any address


def is_own_host(header: str, names: Collection[str] = ()) -> bool:
    """Whether a Host header has one of these names, names this machine or a private address, or is empty.

    With a wildcard among the names any IP address will do: DNS can make only host names lead here.

    >>> [is_own_host(header) for header in ("192.168.1.5:8321", "p1.localhost", "", "evil.example:8321")]
    [True, True, True, False]
    >>> [is_own_host(header, ["zim.example", "::"]) for header in ("zim.example", "[2001:db8::7]:80", "evil.example")]
    [True, True, False]
    """
    host = host_of(f"//{header}")
    # Names below `localhost` lead nowhere else (RFC 6761).
    is_known = not header or host in (*LOOPBACK_HOSTS, *names) or host.endswith(".localhost") or is_private(host)
    return is_known or (any(wildcard in names for wildcard in WILDCARD_ADDRESSES) and is_address(host))


def is_address(host: str) -> bool:
    """Whether a host is an IP address, not a name.

    >>> is_address("2001:db8::7"), is_address("zim.example")
    (True, False)
    """
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def check_host(names: Collection[str] | None) -> Callable[[ASGIApp], ASGIApp]:
    """The middleware that refuses requests whose Host header is none of the server's own; None lets all through."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == ScopeType.HTTP and names is not None:
                hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
                foreign_host = next((host for host in hosts if not is_own_host(host, names)), None)
                if foreign_host is not None:
                    why = "this server answers only to the addresses that it was started for"
                    hints = ["open the link as it was printed", "zim serve --url https://HOST"]
                    await send_problem(
                        send,
                        make_problem(421, "misdirected", "this server has another name", why, hints),
                        close_connection=True,
                    )
                    return
            await app(scope, receive, send)

        return middleware

    return wrap
