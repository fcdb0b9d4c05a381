"""The connection to a server: requests with limits and retries, and problem documents as exceptions."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec

from event_store import StoreError
from event_store.codec import prepare_type
from zimcore.documents.endpoint import AnswerT, Endpoint, RequestT
from zimcore.documents.feed_messages import FeedEvent
from zimcore.documents.problems import ProblemDetails
from zimcore.remote.problem_errors import error_of
from zimcore.toolkit.addresses import LOOPBACK_HOSTS, is_private
from zimcore.toolkit.deadline import result_within

MAX_ANSWER_BYTES = 32 << 20
"""The most bytes of an answer."""
MAX_MESSAGE_BYTES = 1 << 20
"""The most bytes of a message of a feed."""
MAX_ANSWER_SECONDS = 60.0
"""The most seconds for one answer, from the request to its last byte. A feed has no end, but its head counts."""
MAX_ATTEMPTS = 4
"""How often a request is sent before it fails; not counting those that a proxy without a server answers."""
MAX_BUSY_SECONDS = 10.0
"""The longest Retry-After, in seconds, that the client waits before it tries again."""
AWAY_STATUSES = (502, 503, 504)
"""Statuses of a proxy that reaches no process of the server, as for some seconds while it is upgraded."""
AWAY_PAUSE_SECONDS = (0.5, 1.0, 2.0, 4.0, 7.5)
"""Seconds between tries after such a status: together 15, as long as the client waits for an answer by default."""
MAX_SILENCE_SECONDS = 30.0
"""Seconds of silence after which a feed counts as broken."""

DocumentT = TypeVar("DocumentT")
ResultT = TypeVar("ResultT")


NEWER_HINTS = ("pip install --upgrade great-zim",)
"""Hints for an answer of a newer server."""


class UnreachableError(StoreError):
    """The server can't be reached: it is down, the network is down, or its name is unknown."""


class ServerAnswer(msgspec.Struct, frozen=True):
    """An answer: its content (empty if unchanged since the ETag that was sent), and its ETag."""

    content: bytes
    etag: str


def bearer_header(token: str) -> dict[str, str]:
    """The header with a token; none if it is ""."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def server_address(url: str, *, must_be_safe: bool = True) -> str:
    """The address of a server in canonical form: `https://zim.example`. Raises `StoreError`.

    With `must_be_safe` plain HTTP is an error outside private networks.
    """
    try:
        url_parts = urlsplit(url)
        host, port = (url_parts.hostname or "").lower(), url_parts.port
    except ValueError as error:
        raise StoreError("this is not the address of a server", str(error), ("zim --store https://HOST ...",)) from None
    if url_parts.username or url_parts.password:
        # A password in a URL would be visible in the shell's history and in every list of processes.
        raise StoreError(f"{host} must be given without a password", "a token says who you are", ("join LINK",))
    if not host or url_parts.query or url_parts.scheme not in ("http", "https"):
        raise StoreError(
            "this is not the address of a server", "an address is https://HOST or https://HOST:PORT", ("join LINK",)
        )
    if must_be_safe and url_parts.scheme == "http" and host not in LOOPBACK_HOSTS and not is_private(host):
        why = "your token could be read on the way"
        raise StoreError(f"http://{host} is not safe", why, (f"zim --store https://{host} ...",))
    default_port = {"http": 80, "https": 443}[url_parts.scheme]
    host_text = f"[{host}]" if ":" in host else host
    path = url_parts.path.rstrip("/")
    return f"{url_parts.scheme}://{host_text}{f':{port}' if port not in (None, default_port) else ''}{path}"


class Connection:
    """Sends requests to one server.

    `pause(seconds)` waits between tries. A write has an idempotency key, so that it is done once even if it is sent
    again. Redirects are not followed: a token is only for one server.
    """

    def __init__(
        self, server: str, *, timeout: float = 15.0, pause: Callable[[float], None] = time.sleep, **client_options: Any
    ) -> None:
        self.server = server
        self._pause = pause
        # Plain HTTP never goes through a proxy: without TLS the proxy could read the token.
        self._http = httpx.Client(
            base_url=server,
            timeout=httpx.Timeout(timeout, connect=min(timeout, 5.0)),
            follow_redirects=False,
            trust_env=server.startswith("https://"),
            headers={"Accept": "application/json", "User-Agent": "zim"},
            **client_options,
        )

    def close(self) -> None:
        """Closes the sockets."""
        self._http.close()

    def ask(
        self,
        endpoint: Endpoint[RequestT, AnswerT],
        query_or_body: RequestT,
        token: str = "",
        key: str = "",
        head: str = "*",
        /,
        **path_parameters: str | int,
    ) -> AnswerT:
        """The answer of an endpoint. Raises the server's error, or `UnreachableError`.

        `path_parameters` are those in its address. `key` is the idempotency key of a write, by default a new one: the
        write is done once, however often it is sent. `head` is the digest of the head that you saw, `*` for any.
        """
        address = endpoint.address(**path_parameters)
        if endpoint.reads:
            response = self.get(address, token, params=query_of(query_or_body))
        else:
            sends_head = endpoint.if_match == "must" or (endpoint.if_match == "may" and head != "*")
            body = query_or_body if msgspec.structs.fields(query_or_body) else None
            response = self.write(
                endpoint.method, address, token, key or new_idempotency_key(), body, head if sends_head else None
            )
        return decode_document(response.content, endpoint.answer, self.server)

    def get(
        self, path: str, token: str = "", *, etag: str = "", params: Mapping[str, Any] | None = None
    ) -> ServerAnswer:
        """Sends a GET; no content if the ETag is still `etag`. Raises the server's error, `UnreachableError`."""
        headers = {"If-None-Match": etag} if etag else {}
        return self._send_with_retries("GET", path, token, headers, params=dict(params or {}))

    def write(
        self, method: str, path: str, token: str, key: str, body: msgspec.Struct | None = None, head: str | None = None
    ) -> ServerAnswer:
        """Sends a write, which is done once for its key. `head` is the digest that you saw, `*` for any.

        Raises the server's error, or `UnreachableError`.
        """
        headers = {"Idempotency-Key": key}
        if head is not None:
            headers["If-Match"] = head if head == "*" else f'"{head}"'
        if body is None:
            return self._send_with_retries(method, path, token, headers)
        headers["Content-Type"] = "application/json"
        return self._send_with_retries(method, path, token, headers, content=msgspec.json.encode(body))

    def listen(self, path: str, token: str, max_silence: float = MAX_SILENCE_SECONDS) -> Iterator[FeedEvent]:
        """The messages of a feed, until the server ends it. Raises the server's error, and `UnreachableError` if the
        connection breaks, or is silent for `max_silence` seconds: a feed sends heartbeats.
        """
        request_headers = {"Accept": "application/x-ndjson", **bearer_header(token)}
        timeout = httpx.Timeout(max_silence, connect=min(max_silence, 5.0))
        request = self._http.build_request("GET", path, headers=request_headers, timeout=timeout)
        try:
            with closing(self._in_time(lambda: self._http.send(request, stream=True))) as response:
                if response.status_code != 200:
                    answer = self._in_time(lambda: self._read_answer(response))
                    self._check_response(response.status_code, answer, response.headers)
                for line in self._lines(response):
                    if line:
                        yield decode_document(line, FeedEvent, self.server)
        except httpx.TransportError as error:
            raise self._unreachable(error) from None

    def _lines(self, response: httpx.Response) -> Iterator[bytes]:
        """The lines of a response without an end. Raises `StoreError` for one that is too long."""
        rest = b""
        for chunk in response.iter_bytes():
            *lines, rest = (rest + chunk).split(b"\n")
            self._check_size(len(rest), MAX_MESSAGE_BYTES)
            yield from lines

    def _in_time(self, work: Callable[[], ResultT]) -> ResultT:
        """The result of work that waits for an answer. Raises `UnreachableError` if that takes too long."""
        try:
            return result_within(MAX_ANSWER_SECONDS, work)
        except TimeoutError:
            why = f"its answer has no end after {MAX_ANSWER_SECONDS:g} seconds"
            raise UnreachableError(f"{self.server} is too slow", why, ("the same command again",)) from None

    def _check_size(self, size: int, max_bytes: int = MAX_ANSWER_BYTES) -> None:
        if size > max_bytes:
            raise StoreError(f"{self.server} sent too long an answer", f"{max_bytes >> 20} MiB is the limit")

    def _send_with_retries(
        self, method: str, path: str, token: str, headers: Mapping[str, str], **request_options: Any
    ) -> ServerAnswer:
        request_headers, attempt_count, away_pauses = {**headers, **bearer_header(token)}, 0, iter(AWAY_PAUSE_SECONDS)
        while True:
            try:
                status, answer, response_headers = self._in_time(
                    lambda: self._send_once(method, path, request_headers, request_options)
                )
            except httpx.ConnectError as error:
                raise self._unreachable(error) from None  # no server listens: another try would not help
            except httpx.TransportError as error:
                attempt_count += 1
                if attempt_count == MAX_ATTEMPTS:
                    raise self._unreachable(error) from None
                self._pause(0.2 * attempt_count)
                continue
            wait_seconds = _parse_seconds(response_headers.get("retry-after", "")) if status in (429, 503) else None
            if wait_seconds is None and is_proxy_without_server(status, response_headers):
                wait_seconds = next(away_pauses, None)
            else:
                attempt_count += 1
            if wait_seconds is None or wait_seconds > MAX_BUSY_SECONDS or attempt_count == MAX_ATTEMPTS:
                return self._check_response(status, answer, response_headers)
            self._pause(wait_seconds)

    def _send_once(
        self, method: str, path: str, headers: Mapping[str, str], request_options: Mapping[str, Any]
    ) -> tuple[int, ServerAnswer, Mapping[str, str]]:
        with self._http.stream(method, path, headers=headers, **request_options) as response:
            return response.status_code, self._read_answer(response), response.headers

    def _read_answer(self, response: httpx.Response) -> ServerAnswer:
        chunks, size = list[bytes](), 0
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            self._check_size(size)
        return ServerAnswer(b"".join(chunks), response.headers.get("etag", ""))

    def _check_response(self, status: int, answer: ServerAnswer, headers: Mapping[str, str]) -> ServerAnswer:
        if status == 304:
            return msgspec.structs.replace(answer, content=b"")
        if 200 <= status < 300:
            return answer
        if 300 <= status < 400:
            redirect_target = headers.get("location", "")[:200]
            raise StoreError(
                f"{self.server} has moved", f"it redirects to {redirect_target}", ("zim --store https://HOST ...",)
            )
        if is_proxy_without_server(status, headers):
            why = f"a proxy answers for it, with status {status}"
            raise UnreachableError(f"{self.server} can't be reached", why, ("the same command again",))
        if "problem+json" not in headers.get("content-type", ""):
            raise StoreError(f"{self.server} is not a server of games", f"it answers with status {status}")
        raise error_of(decode_document(answer.content, ProblemDetails, self.server), self.server)

    def _unreachable(self, error: Exception) -> UnreachableError:
        why = str(error) or type(error).__name__
        return UnreachableError(f"{self.server} can't be reached", why, ("the same command again",))


def is_proxy_without_server(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer is that of a proxy that reaches no process of the server."""
    return status in AWAY_STATUSES and "problem+json" not in headers.get("content-type", "")


def new_idempotency_key() -> str:
    """A random idempotency key."""
    return secrets.token_hex(16)


def query_of(query: msgspec.Struct) -> dict[str, Any]:
    """The query parameters of a request: the fields that differ from their defaults.

    >>> from zimcore.documents.query_parameters import LogQuery
    >>> query_of(LogQuery(at="r4")), query_of(LogQuery())
    ({'at': 'r4'}, {})
    """
    defaults = {field.name: field.default for field in msgspec.structs.fields(query)}
    return {name: value for name, value in msgspec.structs.asdict(query).items() if value != defaults[name]}


def decode_document(content: bytes, document_type: type[DocumentT], server: str) -> DocumentT:
    """Decodes the document in an answer. Raises `StoreError` if it is not valid."""
    prepare_type(document_type)
    try:
        return msgspec.json.decode(content, type=document_type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = f"it may have a newer Zim: {error}"
        raise StoreError(f"{server} sent an answer that this Zim does not understand", why, NEWER_HINTS) from None


def _parse_seconds(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
