"""`zim doctor --url`: a real server behind Caddy has no findings, and each fault of a proxy is named."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from tests.pgbouncer import free_port
from tests.server.deployment import behind_caddy
from tests.server.server_process import running_server
from tests.server.test_process import take_first_seat
from zimcli.main import cli
from zimcore.documents.health import HealthFinding, Level
from zimcore.remote import server_health
from zimcore.remote.client_files import Credential, Folders, Keyring, update_file
from zimcore.remote.server_health import examine_server
from zimcore.service import StoreError

FORWARDED_HEADERS = ("Content-Type", "Date", "Content-Security-Policy", "X-Content-Type-Options")


class Proxy(ThreadingHTTPServer):
    """A proxy in front of a server, with faults that a test sets."""

    daemon_threads = True
    upstream = ""
    fault = ""

    def open(self, request: Request) -> Any:
        """The answer of the server, errors too."""
        try:
            return urlopen(request)
        except HTTPError as error:
            return error


class ProxyHandler(BaseHTTPRequestHandler):
    """Forwards a GET and returns the answer, with the fault of the proxy."""

    server: Proxy
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        fault, path = self.server.fault, self.path
        if path.strip("/") in ("metrics", "%6Detrics") and fault != f"shows {path}":
            self.send_error(404)
            return
        if fault == f"fails {path}":
            self.send_error(502)
            return
        request = Request(self.server.upstream + path.replace("%6D", "m").replace("//", "/").rstrip("/"))
        if fault == "other name":
            request.add_header("Host", "games.example")
        for name in ("Accept", "Authorization"):
            if name in self.headers:
                request.add_header(name, self.headers[name])
        with self.server.open(request) as response:
            self.send_response_only(response.status)
            for name in FORWARDED_HEADERS:
                if name in response.headers and fault != f"drops {name}":
                    is_slow = name == "Date" and fault == "slow clock"
                    date_of_past = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
                    self.send_header(name, date_of_past if is_slow else response.headers[name])
            self.send_header("Strict-Transport-Security", "max-age=1") if fault != "no HSTS" else None
            self.end_headers()
            if fault == "another program":
                self.wfile.write(b"<html>")
            elif fault == "newer":
                self.wfile.write(response.read().replace(b'"version":"1"', b'"version":"2"'))
            elif not path.endswith("/feed"):
                self.wfile.write(response.read())
            elif fault != "buffers":
                self.wfile.write(response.readline())
            else:
                self.wfile.flush()
                time.sleep(1)

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


def write_certificate(folder: Path, days: float, name: str = "localhost") -> Path:
    """Writes a file with a key and a self-signed certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    signed_certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=30))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    no_encryption = serialization.NoEncryption()
    key_bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, no_encryption)
    path = folder / f"{name}-{days}.pem"
    path.write_bytes(key_bytes + signed_certificate.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def running_proxy(upstream: str, certificate_file: Path | None = None) -> Iterator[Proxy]:
    with Proxy(("127.0.0.1", 0), ProxyHandler) as proxy:
        proxy.upstream = upstream
        if certificate_file:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate_file)
            proxy.socket = context.wrap_socket(proxy.socket, server_side=True)
        threading.Thread(target=proxy.serve_forever, args=(0.01,), daemon=True).start()
        yield proxy
        proxy.shutdown()


class ServerWithToken:
    """A real server, and a token for a seat there."""

    def __init__(self, url: str, token: str, folder: Path) -> None:
        self.url, self.token, self.folder = url, token, folder

    def folders(self, url: str) -> Folders:
        """The files of a user who has the token for that address."""
        folders = Folders(self.folder / url.rpartition(":")[2], self.folder / "cache")
        update_file(
            folders.tokens_file, Keyring, lambda ring: replace(ring, tokens=(Credential(url, self.token, "g"),))
        )
        return folders


@pytest.fixture(scope="module")
def served_match(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerWithToken]:
    folder = tmp_path_factory.mktemp("doctor")
    with running_server(folder) as server:
        _, anna, _ = take_first_seat(server, folder)
        yield ServerWithToken(server.url, anna.token, folder)


@pytest.fixture(scope="module")
def tls_proxy(served_match: ServerWithToken) -> Iterator[Proxy]:
    """A proxy with TLS in front of the server."""
    with running_proxy(served_match.url, write_certificate(served_match.folder, 60)) as proxy:
        yield proxy


@pytest.fixture
def examine_proxy(
    served_match: ServerWithToken, tls_proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[HealthFinding]]:
    """A function that returns the findings about the proxy with a fault, without those about HTTP/2."""
    monkeypatch.setenv("SSL_CERT_FILE", str(served_match.folder / "localhost-60.pem"))
    monkeypatch.setattr(server_health, "FIRST_MESSAGE_SECONDS", 0.3)
    url = f"https://localhost:{tls_proxy.server_address[1]}"

    def examine(fault: str) -> list[HealthFinding]:
        tls_proxy.fault = fault
        findings = examine_server(url, served_match.folders(url)).findings
        assert served_match.token not in repr(findings)
        assert all(each.why and each.hints for each in findings if each.level != "unchecked")
        return [each for each in findings if "HTTP/2" not in each.what]

    return examine


def test_the_caddy_example_has_no_findings(
    served_match: ServerWithToken, tmp_path: Path, find_program: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(served_match.url.rpartition(":")[2])
    with behind_caddy(tmp_path, find_program("caddy"), [port]) as (url, root_certificate):
        monkeypatch.setenv("SSL_CERT_FILE", str(root_certificate))
        report = examine_server(url, served_match.folders(url))
        assert [each for each in report.findings if "ends in" not in each.what] == [], "its own certificates are short"
        assert "feed" in report.checks


def test_a_server_without_proxy_has_no_findings(served_match: ServerWithToken) -> None:
    assert examine_server(served_match.url, served_match.folders(served_match.url)).findings == ()


def test_a_proxy_without_a_fault_has_no_findings(examine_proxy: Callable[..., list[HealthFinding]]) -> None:
    assert examine_proxy("") == []


@pytest.mark.parametrize(
    ("fault", "check", "level", "message"),
    [
        ("shows /metrics", "metrics", "problem", "/metrics can be read"),
        ("shows /metrics/", "metrics", "problem", "/metrics/ can be read"),
        ("shows /%6Detrics", "metrics", "problem", "/%6Detrics can be read"),
        ("fails /health", "health", "problem", "/health answers 502"),
        ("slow clock", "clock", "problem", "s behind this one"),
        ("drops Date", "clock", "unchecked", "clock was not checked"),
        ("drops Content-Security-Policy", "headers", "problem", "Content-Security-Policy is missing"),
        ("no HSTS", "headers", "remark", "Strict-Transport-Security is missing"),
        ("buffers", "feed", "problem", "no message of a feed"),
        ("newer", "answer", "problem", "version 2 of the API"),
        ("other name", "answer", "problem", "does not answer by the name localhost"),
        ("another program", "answer", "problem", "is not a server of Zim"),
    ],
)
def test_a_fault_of_a_proxy_is_found(
    examine_proxy: Callable[..., list[HealthFinding]], fault: str, check: str, level: Level, message: str
) -> None:
    findings = [each for each in examine_proxy(fault) if not each.what.startswith("not checked: ")]
    assert [(each.check, each.level) for each in findings] == [(check, level)]
    assert message in findings[0].what


def test_an_invalid_or_ending_certificate_is_a_problem(
    served_match: ServerWithToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    for days, is_trusted, name, message in (
        (5, True, "localhost", "ends in 5 days"),
        (60.5, False, "localhost", "is not valid"),
        (-1, True, "localhost", "is not valid"),
        (61, True, "zim.example", "is not valid"),
    ):
        certificate_file = write_certificate(served_match.folder, days, name)
        monkeypatch.setenv(
            "SSL_CERT_FILE", str(certificate_file if is_trusted else served_match.folder / "localhost-60.pem")
        )
        with running_proxy(served_match.url, certificate_file) as proxy:
            url = f"https://localhost:{proxy.server_address[1]}"
            finding = next(
                finding for finding in examine_server(url, served_match.folders(url)).findings if finding.check == "tls"
            )
            assert (finding.level, message in finding.what) == ("problem", True)


@pytest.mark.parametrize(("host", "level"), [("zim.invalid", "problem"), ("192.168.255.1", "remark")])
def test_a_server_without_tls_is_reported(
    served_match: ServerWithToken, host: str, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_health, "TIMEOUT_SECONDS", 0.05)
    tls_finding, http_finding, _ = examine_server(
        f"http://{host}:8321", Folders(served_match.folder / host, served_match.folder)
    ).findings
    assert (tls_finding.check, tls_finding.level, http_finding.level) == ("tls", level, "problem")
    assert "tokens can be read" in tls_finding.why


def test_a_feed_without_read_access_is_refused(served_match: ServerWithToken) -> None:
    (finding,) = examine_server(served_match.url, Folders(served_match.folder / "none", served_match.folder)).findings
    assert (finding.check, finding.level) == ("feed", "unchecked")


def test_an_invalid_address_is_an_error(served_match: ServerWithToken) -> None:
    with pytest.raises(StoreError) as error:
        examine_server("https://anna:sesame@zim.example", served_match.folders(served_match.url))
    assert "sesame" not in str(error.value)


def test_the_command_examines_a_server(
    served_match: ServerWithToken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its exit code is 1 only for problems; a server as the store is examined as one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for arguments in (["doctor", "--url", served_match.url], ["--store", served_match.url, "doctor"]):
        result = CliRunner().invoke(cli, arguments, prog_name="zim")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith(f"✓ no problems with {served_match.url}  (tls, answer, ")
        assert f"\n  try: zim --store {served_match.url} join LINK\n" in result.stdout
    url = f"http://127.0.0.1:{free_port()}"
    result = CliRunner().invoke(cli, ["doctor", "--url", url], prog_name="zim")
    assert (result.exit_code, result.stderr) == (1, f"unhealthy: 1 problem with {url}\n")
    assert result.stdout.startswith(f"problem: {url}/ does not answer  [answer]\n")
    for arguments in (["--url", url, "--backup", "x"], ["--game", "k"]):
        assert CliRunner().invoke(cli, ["doctor", *arguments], prog_name="zim").exit_code == 2
