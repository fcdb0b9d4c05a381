"""The checks of `zim doctor` for a server, from outside: what its clients and its attackers can reach."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from event_store import StoreError
from zimcore.documents import endpoints
from zimcore.documents.health import DoctorAnswer
from zimcore.documents.seats import Links
from zimcore.documents.storage import GamesAnswer, LinesAnswer
from zimcore.remote.client_files import Credential, Folders, Keyring, read_file
from zimcore.remote.connection import bearer_header, server_address
from zimcore.service.health.health_checks import Check, Findings, make_finding, run_checks
from zimcore.toolkit.addresses import LOOPBACK_HOSTS, is_private
from zimcore.toolkit.deadline import result_within
from zimcore.toolkit.words import numbered

TIMEOUT_SECONDS = 5.0
"""Seconds for a request."""
MAX_ANSWER_SECONDS = 20.0
"""The most seconds for one answer, however often a byte of it comes."""
MAX_ANSWER_BYTES = 4 << 20
"""The most bytes of an answer."""
ENCODINGS = ("content-encoding", "content-length", "transfer-encoding")
"""Headers about the form in which a body was sent."""
FIRST_MESSAGE_SECONDS = 3.0
"""Seconds in which the first message of a feed must arrive."""
API_VERSION = "1"
"""The version of the API that this Zim speaks."""
MIN_DAYS_LEFT = 14
"""A certificate that ends within so many days should have been renewed: automatic renewals come earlier."""
MAX_CLOCK_DIFFERENCE_SECONDS = 5.0
"""Seconds by which the clock of the server may differ from this one. Its Date header has whole seconds."""
METRICS_PATHS = ("/metrics", "/metrics/", "/%6Detrics", "//metrics")
"""Four spellings of one path. A proxy that hides the first may let another one pass."""


class Server(msgspec.Struct, frozen=True):
    """A server to examine: its address, an HTTP client for it, the user's tokens there, and a game ("" for any)."""

    url: str
    http: httpx.Client
    credentials: Sequence[Credential]
    game: str = ""

    @property
    def host(self) -> str:
        """The host in its address."""
        return urlsplit(self.url).hostname or ""

    @property
    def has_tls(self) -> bool:
        """Whether its address says https."""
        return self.url.startswith("https://")

    @property
    def is_direct(self) -> bool:
        """Whether requests reach the process directly, on this machine, without a proxy."""
        return not self.has_tls and self.host in LOOPBACK_HOSTS

    def get(self, path: str, headers: Mapping[str, str] = {}) -> httpx.Response:
        """The response to a request for a path. Raises `StoreError` if there is none, or if it is too slow or long."""

        def read() -> httpx.Response:
            with self.http.stream("GET", self.url + path, headers=dict(headers)) as response:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > MAX_ANSWER_BYTES:
                        raise StoreError(f"{self.url}{path} has no end", f"{MAX_ANSWER_BYTES >> 20} MiB is the limit")
                decoded_headers = [(name, value) for name, value in response.headers.items() if name not in ENCODINGS]
                return httpx.Response(response.status_code, headers=decoded_headers, content=content)

        try:
            return result_within(MAX_ANSWER_SECONDS, read)
        except (httpx.HTTPError, TimeoutError) as error:
            raise StoreError(f"{self.url}{path} does not answer", str(error) or type(error).__name__) from error


def examine_server(url: str, folders: Folders, game: str = "") -> DoctorAnswer:
    """Examines a server, with the tokens in the user's folders. Raises `StoreError` if `url` is no address."""
    server_url = server_address(url, must_be_safe=False)
    own_credentials = [
        credential for credential in read_file(folders.tokens_file, Keyring).tokens if credential.server == server_url
    ]
    uses_proxies = server_url.startswith("https://")  # plain HTTP leads to this machine or network, not to a proxy
    with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=uses_proxies, headers={"User-Agent": "zim"}) as http:
        server = Server(server_url, http, own_credentials, game)
        checks = [
            Check("tls", lambda: check_tls(server)),
            Check("answer", lambda: check_answer(server), is_required=True),
            Check("health", lambda: check_health(server)),
            Check("clock", lambda: check_clock(server)),
            Check("metrics", lambda: check_metrics(server)),
            Check("headers", lambda: check_headers(server)),
            Check("feed", lambda: check_feed(server)),
        ]
        return DoctorAnswer(server_url, tuple(check.name for check in checks), tuple(run_checks(checks)))


def check_tls(server: Server) -> Findings:
    """Checks that the connection is encrypted, that the certificate stays valid for a while, and for HTTP/2."""
    if not server.has_tls:
        yield from _check_plain_http(server)
        return
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    try:
        with (
            closing(
                socket.create_connection((server.host, urlsplit(server.url).port or 443), TIMEOUT_SECONDS)
            ) as tcp_socket,
            context.wrap_socket(tcp_socket, server_hostname=server.host) as tls_socket,
        ):
            end_time = str((tls_socket.getpeercert() or {}).get("notAfter", ""))
            protocol = tls_socket.selected_alpn_protocol()
    except ssl.SSLCertVerificationError as error:
        why = f"clients refuse to connect: {error.verify_message}"
        hint = f"openssl s_client -connect {server.host}:{urlsplit(server.url).port or 443} -servername {server.host}"
        yield make_finding("tls", "problem", f"the certificate of {server.host} is not valid", why, hint)
        return
    except OSError as error:
        yield make_finding("tls", "problem", f"no TLS at {server.url}", str(error), f"curl -v {server.url}/health")
        return
    days_left = (ssl.cert_time_to_seconds(end_time) - time.time()) / 86_400
    if days_left < MIN_DAYS_LEFT:
        title = f"the certificate of {server.host} ends in {numbered(round(days_left), 'day')} ({end_time})"
        why = "after that no client connects; a proxy that renews it by itself would have done so by now"
        yield make_finding("tls", "problem", title, why, "journalctl -u caddy --grep certificate")
    if protocol != "h2":
        why = "over HTTP/1.1 a browser opens six feeds at most"
        yield make_finding("tls", "remark", "the server offers no HTTP/2", why, f"curl -sI --http2 {server.url}/health")


def _check_plain_http(server: Server) -> Findings:
    if server.host in LOOPBACK_HOSTS:
        return
    why = "tokens can be read on the way, and with them anybody can play"
    hint = f"ZIM_SITE={server.host} caddy run --config docs/operating/Caddyfile"
    if is_private(server.host):
        yield make_finding("tls", "remark", f"{server.url} has no TLS", f"in this network {why}", hint)
    else:
        yield make_finding("tls", "problem", f"{server.url} has no TLS", why, hint)


def check_answer(server: Server) -> Findings:
    """Checks that it is a server of Zim, of an API that this Zim speaks."""
    response = server.get("/", {"Accept": "application/json"})
    try:
        links = msgspec.json.decode(response.content, type=Links)
    except (msgspec.DecodeError, UnicodeDecodeError):
        links = None
    if response.status_code == 421:
        title = f"the server does not answer by the name {server.host}"
        why = "against DNS rebinding it refuses names that it was not given"
        yield make_finding("answer", "problem", title, why, f"serve --url {server.url}")
    elif response.status_code != 200 or links is None or links.name != "zim":
        title = f"{server.url} is not a server of Zim"
        yield make_finding("answer", "problem", title, f"it answers {response.status_code}", f"curl -i {server.url}/")
    elif links.version != API_VERSION:
        title = f"the server speaks version {links.version} of the API"
        why = f"this Zim speaks version {API_VERSION}"
        yield make_finding("answer", "problem", title, why, "pip install --upgrade great-zim")


def check_health(server: Server) -> Findings:
    """Checks that it can read its store."""
    response = server.get("/health")
    if response.status_code != 200:
        why = "it can't read its store, or its proxy finds no process"
        hints = ("journalctl -u 'zim@*' -n 50", "doctor")
        yield make_finding("health", "problem", f"/health answers {response.status_code}", why, *hints)


def check_clock(server: Server) -> Findings:
    """Checks its clock by the Date header."""
    start_time = datetime.now(UTC)
    response = server.get("/health")
    middle_time = start_time + (datetime.now(UTC) - start_time) / 2
    try:
        server_time = parsedate_to_datetime(response.headers.get("date", ""))
    except ValueError:
        yield make_finding("clock", "unchecked", "the clock was not checked", "the server sends no Date header")
        return
    seconds_ahead = (server_time - middle_time).total_seconds()
    if abs(seconds_ahead) > MAX_CLOCK_DIFFERENCE_SECONDS:
        title = (
            f"the server's clock is {abs(seconds_ahead):.0f} s {'ahead of' if seconds_ahead > 0 else 'behind'} this one"
        )
        why = "turns and tokens would end too early or too late; one of the two clocks is wrong"
        yield make_finding("clock", "problem", title, why, "timedatectl status")


def check_metrics(server: Server) -> Findings:
    """Checks that its metrics are hidden from outside."""
    if server.is_direct:
        return
    visible_paths = [path for path in METRICS_PATHS if b"zim_requests" in _read_body(server, path)]
    if visible_paths:
        why = "anybody can see how much is played and what fails; only operators should"
        caddy_hint = "in the Caddyfile: @private path_regexp ^/+metrics/*$"
        title = f"{' and '.join(visible_paths)} can be read from outside"
        yield make_finding("metrics", "problem", title, why, caddy_hint, "and: respond @private 404")


def _read_body(server: Server, path: str) -> bytes:
    with suppress(StoreError):
        response = server.get(path)
        return response.content if response.status_code == 200 else b""
    return b""


def check_headers(server: Server) -> Findings:
    """Checks the headers that protect browsers."""
    headers = server.get("/", {"Accept": "text/html"}).headers
    for name in ("Content-Security-Policy", "X-Content-Type-Options"):
        if name not in headers:
            why = "Zim sends it, but the proxy drops it: browsers are less protected from foreign scripts"
            hint = f"curl -sI {server.url}/ | grep -i {name}"
            yield make_finding("headers", "problem", f"{name} is missing", why, hint)
    if server.has_tls and "strict-transport-security" not in headers:
        why = "a browser's first visit may go over plain HTTP"
        hint = 'in the Caddyfile: header Strict-Transport-Security "max-age=31536000"'
        yield make_finding("headers", "remark", "Strict-Transport-Security is missing", why, hint)


def check_feed(server: Server) -> Findings:
    """Checks that the first message of a feed arrives at once."""
    for path, token in _feeds_to_check(server):
        try:
            seconds = _first_message_seconds(server, path, token)
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            yield make_finding("feed", "problem", "a feed breaks", why, f"curl -iN {server.url}{path}")
            return
        if seconds is None:
            continue
        if seconds <= FIRST_MESSAGE_SECONDS:
            return
        why = "the proxy collects an answer before it sends it on: moves of others appear late or never"
        hints = ("in nginx: proxy_buffering off", f"curl -N {server.url}{path}")
        yield make_finding(
            "feed", "problem", f"no message of a feed came within {FIRST_MESSAGE_SECONDS:g} seconds", why, *hints
        )
        return
    why = "you have no game there that may be watched"
    hints = (f"zim --store {server.url} join LINK", f"doctor --url {server.url} --game PUBLIC-GAME")
    yield make_finding("feed", "unchecked", "the feed was not checked", why, *hints)


def _first_message_seconds(server: Server, path: str, token: str) -> float | None:
    """Seconds until the first message of a feed, infinite if none comes in time; None for a feed that is refused."""
    headers = {"Accept": "application/x-ndjson", "Accept-Encoding": "identity"} | bearer_header(token)
    timeout = httpx.Timeout(TIMEOUT_SECONDS, read=FIRST_MESSAGE_SECONDS)
    start_time = time.monotonic()

    def wait_for_message() -> float | None:
        with server.http.stream("GET", server.url + path, headers=headers, timeout=timeout) as feed:
            if feed.status_code != 200:
                return None
            return time.monotonic() - start_time if next(feed.iter_raw(), b"") else inf

    try:
        return result_within(MAX_ANSWER_SECONDS, wait_for_message)
    except (httpx.ReadTimeout, TimeoutError):
        return inf


def _feeds_to_check(server: Server) -> Iterator[tuple[str, str]]:
    """Addresses of feeds, each with a token that may read it ("" for a public game)."""
    for token in (*(credential.token for credential in server.credentials[:3]), ""):
        for game in [server.game] if server.game else _games_to_watch(server, token)[:3]:
            path = endpoints.LINES.address(game=game)
            response = server.get(path, bearer_header(token))
            with suppress(msgspec.DecodeError):
                lines = (
                    msgspec.json.decode(response.content, type=LinesAnswer).lines if response.status_code == 200 else ()
                )
                yield from ((f"{path}/{quote(line.name)}/feed", token) for line in lines[:1])


def _games_to_watch(server: Server, token: str) -> Sequence[str]:
    if not token:
        return ()
    response = server.get(endpoints.GAMES.path, bearer_header(token))
    with suppress(msgspec.DecodeError):
        return [game_info.name for game_info in msgspec.json.decode(response.content, type=GamesAnswer).games]
    return ()
