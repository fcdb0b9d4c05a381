"""Rate limits for each token and address. A client over its limit learns when to try again; others are not affected.

In other words: token bucket, rate limit.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv6Address, IPv6Network
from typing import Any

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from zimcore.documents.problems import ProblemDetails
from zimcore.server.wire.problem_responses import PROBLEM_MEDIA_TYPE, encode_document, make_problem
from zimcore.server.wire.replies import BODY_LATE_KEY
from zimcore.server.wire.silence_timer import SilenceTimer
from zimcore.server.wire.tokens import id_of

MAX_BUCKETS = 10_000
"""The most buckets in memory; the least recently used are dropped first."""
COOKIE_TOKEN = re.compile(rb"(?:^|; ?)zim-[^=; ]*=(zim_[A-Za-z0-9_-]+)")
"""Finds the first token in the cookies of a browser."""
STATIC_PATH = "/static/"
"""The path of the scripts, styles and pictures of pages; the first page you open asks for 16 of them. Only the limit of
an address counts them: a page does not work if one of its scripts was refused.
"""
MAX_HELD_SECONDS = 2.0
"""The most seconds for which an answer that refuses a request is held back."""


class RateLimits(msgspec.Struct, frozen=True):
    """The limits of a server, on requests, bodies and feeds.

    A `rate` is in requests per second, a `burst` in requests. `max_open_requests` is that of one client. The head of a
    request must arrive within `head_seconds`, then its body within `body_seconds`, however often a byte comes; a client
    that reads nothing is cut off after `stall_seconds`. `max_feeds` is that of all clients. Beyond `refused_rate` and
    `refused_burst` refusals are held back, for `MAX_HELD_SECONDS` at most.
    """

    token_rate: float = 20
    token_burst: int = 100
    address_rate: float = 50
    address_burst: int = 300
    max_open_requests: int = 8
    max_body_bytes: int = 64 << 10
    head_seconds: float = 10
    body_seconds: float = 10
    stall_seconds: float = 60
    refused_rate: float = 10
    refused_burst: int = 50
    max_feeds: int = 2000
    max_feeds_per_client: int = 16


class Bucket:
    """A token bucket: allows `burst` requests at once, then `rate` per second."""

    def __init__(self, rate: float, burst: int, time_now: float) -> None:
        self.rate, self.burst = rate, burst
        self.requests_left, self.refilled_at = float(burst), time_now

    def take_request(self, time_now: float) -> float:
        """Takes one request and returns 0; if none is left, the seconds until one is."""
        self._refill(time_now)
        if self.requests_left >= 1:
            self.requests_left -= 1
            return 0
        return (1 - self.requests_left) / self.rate

    def take_request_in_advance(self, time_now: float) -> float:
        """Takes one request, in advance if none is left; returns the seconds to wait: `MAX_HELD_SECONDS` at most."""
        self._refill(time_now)
        self.requests_left = max(self.requests_left - 1, -self.rate * MAX_HELD_SECONDS)
        return max(0.0, -self.requests_left / self.rate)

    def _refill(self, time_now: float) -> None:
        self.requests_left = min(self.burst, self.requests_left + (time_now - self.refilled_at) * self.rate)
        self.refilled_at = time_now


class Buckets:
    """The buckets of all clients, by token or address."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self._by_client = OrderedDict[str, Bucket]()

    def take_request(self, client: str) -> float:
        """Takes one request of a client and returns 0; if none is left, the seconds until one is."""
        return self._bucket(client).take_request(self.clock())

    def take_request_in_advance(self, client: str) -> float:
        """Takes one request of a client, in advance if none is left; returns the seconds to wait."""
        return self._bucket(client).take_request_in_advance(self.clock())

    def _bucket(self, client: str) -> Bucket:
        bucket = self._by_client.pop(client, None) or Bucket(self.rate, self.burst, self.clock())
        self._by_client[client] = bucket
        if len(self._by_client) > MAX_BUCKETS:
            self._by_client.popitem(last=False)
        return bucket

    def requests_left(self, client: str) -> float:
        """The requests that a client may send at once, as of its last one."""
        return self._by_client[client].requests_left if client in self._by_client else self.burst


def limit_requests(limits: RateLimits, clock: Callable[[], float] = time.monotonic) -> Callable[[ASGIApp], ASGIApp]:
    """The middleware that enforces the limits on requests and bodies."""
    token_buckets = Buckets(limits.token_rate, limits.token_burst, clock)
    address_buckets = Buckets(limits.address_rate, limits.address_burst, clock)
    refusal_buckets = Buckets(limits.refused_rate, limits.refused_burst, clock)

    async def hold_back(status: int, client: str, scope: Scope) -> None:
        """Delays a refusal to a client who gets many: a flood of them at full speed would fill the event loop."""
        # A 412 is never delayed: honest clients get several at once when another write was faster.
        if 400 <= status < 500 and status != HTTPStatus.PRECONDITION_FAILED:
            # A client can make up any number of tokens that are not valid.
            counted_client = client_address(scope) if status == HTTPStatus.UNAUTHORIZED else client
            await asyncio.sleep(refusal_buckets.take_request_in_advance(counted_client))

    def wrap(app: ASGIApp) -> ASGIApp:
        async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != ScopeType.HTTP:
                await app(scope, receive, send)
                return
            client = client_key_of(scope)
            wait_seconds = address_buckets.take_request(client_address(scope))
            if not (wait_seconds or scope["path"].startswith(STATIC_PATH)):
                wait_seconds = token_buckets.take_request(client)
            if wait_seconds:
                problem = make_problem(429, "too-many", "too many requests", "", ["wait, then go on"])
                await hold_back(problem.status, client, scope)
                await send_problem(
                    send,
                    problem,
                    str(max(1, round(wait_seconds + 0.5))),
                    close_connection=has_large_body(scope, limits.max_body_bytes),
                )
                return

            body_receiver = BodyReceiver(receive, limits.body_seconds, scope)
            stall_timer = StallTimer(send, limits.stall_seconds)

            async def send_with_limits(message: Message) -> None:
                if message["type"] == "http.response.start":
                    headers = list(message["headers"])
                    if scope["path"].startswith("/v1"):  # for programs; no page reads them
                        headers += limit_headers(
                            token_buckets.requests_left(client), token_buckets.rate, token_buckets.burst
                        )
                    if body_receiver.is_late or (
                        not body_receiver.is_over and has_large_body(scope, limits.max_body_bytes)
                    ):
                        # The answer comes before the whole body: without close the server would read the rest of it.
                        headers.append((b"connection", b"close"))
                    message["headers"] = headers
                    await hold_back(message["status"], client, scope)
                await stall_timer.send(message)

            async with stall_timer:
                await app(scope, body_receiver.receive, send_with_limits)

        return middleware

    return wrap


class ClientGoneError(ConnectionError):
    """A client has closed the connection before the end of its response, or has taken nothing for too long."""


class StallTimer:
    """Ends a response with `ClientGoneError` if its client takes nothing for some seconds."""

    __slots__ = ("_send", "_silence", "_timeout")

    def __init__(self, send: Send, seconds: float) -> None:
        self._send = send
        self._timeout = asyncio.timeout(None)
        self._silence = SilenceTimer(seconds, self._end)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, *exception: Any) -> None:
        self._silence.cancel()
        try:
            await self._timeout.__aexit__(*exception)
        except TimeoutError as error:
            raise ClientGoneError from error

    async def send(self, message: Message) -> None:
        """Sends an ASGI message."""
        self._silence.restart()
        try:
            await self._send(message)
        finally:
            self._silence.stop()

    def _end(self) -> None:
        self._timeout.reschedule(asyncio.get_running_loop().time())


class BodyReceiver:
    """Receives the body of a request, with a deadline.

    After the body there is no deadline: the client of a feed sends nothing more until it disconnects.
    """

    __slots__ = ("_deadline", "_receive", "_scope", "is_late", "is_over")

    def __init__(self, receive: Receive, seconds_allowed: float, scope: Scope) -> None:
        self._receive = receive
        self._scope = scope
        self._deadline = asyncio.get_running_loop().time() + seconds_allowed
        self.is_over = self.is_late = False

    async def receive(self) -> Any:
        """The next ASGI message; `http.disconnect` if the body does not arrive in time."""
        if self.is_over:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            self.is_over = self.is_late = True
            self._scope["state"][BODY_LATE_KEY] = True
            return {"type": "http.disconnect"}
        self.is_over = message["type"] != "http.request" or not message.get("more_body", False)
        return message


def limit_headers(requests_left: float, rate: float, burst: int) -> list[tuple[bytes, bytes]]:
    """The headers `RateLimit` and `RateLimit-Policy` of the IETF's draft: only about the client's own requests.

    They leave out the processor time of a request: it can depend on hidden cards, and on other clients.
    `requests_left` is the number of requests that a client may send at once, of `burst`; `rate` more come each second.

    >>> limit_headers(97.5, 20, 100)
    [(b'ratelimit-policy', b'"requests";q=100;w=5'), (b'ratelimit', b'"requests";r=97;t=1')]
    """
    policy_header = f'"requests";q={burst};w={max(1, round(burst / rate))}'
    limit_header = f'"requests";r={math.floor(requests_left)};t={math.ceil((burst - requests_left) / rate)}'
    return [(b"ratelimit-policy", policy_header.encode()), (b"ratelimit", limit_header.encode())]


def has_large_body(scope: Scope, max_bytes: int) -> bool:
    """Whether the body of a request may have more than `max_bytes`, by its headers."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    return b"transfer-encoding" in headers or not length.isdigit() or int(length) > max_bytes


def client_key_of(scope: Scope) -> str:
    """The key by which a client is counted, from the token in the header or in the first cookie of a request.

    So people with seats who share an address, such as those of one household, do not wait for one another.
    """
    headers = dict(scope["headers"])
    header, cookie_match = headers.get(b"authorization", b""), COOKIE_TOKEN.search(headers.get(b"cookie", b""))
    if header:
        return key_of_token(header.decode("latin-1").partition(" ")[2].strip() or "none", scope)
    return key_of_token(cookie_match[1].decode() if cookie_match else "", scope)


def key_of_token(token: str, scope: Scope) -> str:
    """The key by which a client is counted: the id of its token, or its address if the token is "".

    A spectator's token is counted with the address: many people may share its link. The token itself is not kept.
    """
    if not token:
        return client_address(scope)
    is_shared_token = token.startswith("zim_spectator_")
    return id_of(token.partition("~")[0]) + (f" {client_address(scope)}" if is_shared_token else "")


def client_address(scope: Scope) -> str:
    """The IP address of a client, for IPv6 its network of 64 bits; "" if unknown."""
    host_and_port = scope.get("client")
    return network_of(host_and_port[0]) if host_and_port else ""


@lru_cache
def network_of(host: str) -> str:
    """An IPv4 address, or the network of 64 bits of an IPv6 address: one customer has all of the network.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1:2"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    if ":" not in host:
        return host
    try:
        ipv6 = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    return str(ipv6.ipv4_mapped or IPv6Network((ipv6, 64), strict=False))


async def send_problem(send: Send, problem: ProblemDetails, retry_after: str = "", *, close_connection: bool) -> None:
    """Answers with a problem, before the request reaches a handler; `close_connection` ends the connection."""
    body = encode_document(problem)
    headers = problem_headers(len(body), retry_after, close_connection=close_connection)
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def problem_headers(size: int, retry_after: str = "", *, close_connection: bool) -> list[tuple[bytes, bytes]]:
    """The headers of a response with a problem of so many bytes."""
    return [
        (b"content-type", PROBLEM_MEDIA_TYPE.encode()),
        (b"content-length", str(size).encode()),
        *([(b"retry-after", retry_after.encode())] if retry_after else []),
        (b"cache-control", b"no-store"),
        *([(b"connection", b"close")] if close_connection else []),
    ]
