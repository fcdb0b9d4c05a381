"""Servers as in production: processes of the example unit file, Caddy in front of them, and clients."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.pgbouncer import free_port
from tests.server.server_process import environment, wait_for_address
from tests.timeouts import PATIENCE
from zimcore.remote.client_files import Folders
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import join, parse_invitation
from zimcore.remote.service import RemoteService

EXAMPLES_FOLDER = Path(__file__).parents[2] / "docs" / "operating"
UNIT_FILE = EXAMPLES_FOLDER / "zim@.service"
ZIM_PROGRAM = Path(sys.executable).with_name("zim")
CADDY_GLOBALS = """{{
    admin off
    auto_https disable_redirects
    skip_install_trust
    local_certs
}}
import {example}
"""
"""Global options that a test puts before the example: only its own ports and local certificates."""


def unit_command(port: int) -> list[str]:
    """The command of the unit file, by the zim that is tested."""
    (line,) = re.findall(r"^ExecStart=(.*)$", UNIT_FILE.read_text("utf-8"), re.MULTILINE)
    program, *arguments = shlex.split(line.replace("%i", str(port)))
    assert Path(program).name == ZIM_PROGRAM.name
    return [str(ZIM_PROGRAM), *arguments]


class ServerProcess:
    """A process of the unit file on a store; `command_prefix` comes before its command, to start it elsewhere."""

    def __init__(self, folder: Path, store: str, command_prefix: Sequence[str] = ()) -> None:
        self.folder, self.store, self.command_prefix = folder, store, command_prefix
        self.port, self.start_count = free_port(), 0
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.start_count += 1
        error_file = self.folder / f"{self.port}-{self.start_count}.err"
        command, settings = [*self.command_prefix, *unit_command(self.port)], environment(self.folder, self.store)
        with open(error_file, "w") as log_file:
            self.process = subprocess.Popen(command, env=settings, stderr=log_file, stdout=log_file, text=True)
        assert wait_for_address(self.process, error_file) == self.url

    @property
    def feed_count(self) -> int:
        """The number of open feeds that the process reports."""
        (count_text,) = re.findall(r"^zim_feeds (\S+)$", httpx.get(f"{self.url}/metrics").text, re.MULTILINE)
        return int(float(count_text))

    def end(self, signal_number: int = signal.SIGTERM) -> int:
        self.process.send_signal(signal_number)
        return self.process.wait(PATIENCE)


@contextmanager
def two_processes(folder: Path, store: str) -> Iterator[list[ServerProcess]]:
    """Two processes over one store."""
    processes = list[ServerProcess]()
    try:
        for _ in range(2):
            processes.append(ServerProcess(folder, store))
        yield processes
    finally:
        for process in processes:
            process.end(signal.SIGKILL)


@contextmanager
def behind_caddy(
    folder: Path, caddy: str, ports: Sequence[int], host: str = "localhost", command_prefix: Sequence[str] = ()
) -> Iterator[tuple[str, Path]]:
    """Caddy with the example file in front of some processes: its address, and the root certificate."""
    site_url, caddyfile = f"https://{host}:{free_port()}", folder / "Caddyfile"
    caddyfile.write_text(CADDY_GLOBALS.format(example=EXAMPLES_FOLDER / "Caddyfile"))
    variables = {
        "ZIM_SITE": site_url,
        "ZIM_PROCESSES": " ".join(f"127.0.0.1:{each}" for each in ports),
        **{f"XDG_{kind}_HOME": str(folder) for kind in ("DATA", "CONFIG")},
    }
    command = [*command_prefix, caddy, "run", "--adapter", "caddyfile", "--config", str(caddyfile)]
    root_certificate = folder / "caddy/pki/authorities/local/root.crt"
    with open(folder / "caddy.err", "w") as log_file:
        process = subprocess.Popen(command, env={**os.environ, **variables}, stderr=log_file, stdout=log_file)
    try:
        health_command = [*command_prefix, "curl", "-sf", "--cacert", str(root_certificate), f"{site_url}/health"]
        wait_for(lambda: subprocess.run(health_command, capture_output=True, check=False).returncode == 0)
        yield site_url, root_certificate
    finally:
        process.terminate()
        process.wait()


def wait_for(condition: Callable[[], object]) -> None:
    """Waits until a condition is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition is still false"
        time.sleep(0.05)


def join_as(url: str, folder: Path, token: str, name: str = "") -> RemoteService:
    """A player who has joined by a link, or has a token; with files of their own."""
    folders = Folders(folder / "data", folder / "cache")
    join(Connection(url), folders, parse_invitation(token, url), name or folder.name)
    return RemoteService(Connection(url), folders, fresh_seconds=0.0, retry_seconds=0.0)


class Listener:
    """curl on a feed, by HTTP/2 over TLS. It continues after its last message when the feed breaks."""

    def __init__(
        self, url: str, token: str, folder: Path, *curl_options: str, command_prefix: Sequence[str] = ()
    ) -> None:
        self.url, self.token, self.folder, self.options, self.command_prefix = (
            url,
            token,
            folder,
            curl_options,
            command_prefix,
        )
        self.run_count, self.last_event_id = 0, ""
        self.events = list[tuple[str, str, str]]()
        self.response_heads = list[str]()
        self._listen()

    def _listen(self) -> None:
        self.run_count += 1
        headers = [f"Authorization: Bearer {self.token}"] + [f"Last-Event-ID: {self.last_event_id}"] * bool(
            self.last_event_id
        )
        header_options = [word for header in headers for word in ("-H", header)]
        command = [
            *self.command_prefix,
            "curl",
            "-sN",
            "-D",
            str(self._head_file),
            *self.options,
            *header_options,
            self.url,
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    @property
    def _head_file(self) -> Path:
        return self.folder / f"head-{self.run_count}"

    def until(self, move_number: int) -> None:
        """Listens until a move of that number was heard."""
        deadline = time.monotonic() + PATIENCE
        while move_number not in self.move_numbers:
            assert time.monotonic() < deadline, self.response_heads
            self.receive()

    def receive(self) -> None:
        """Receives the next message; at the end of the feed, connects again."""
        assert self.process.stdout
        lines = list[str]()
        while (line := self.process.stdout.readline()).strip():
            lines.append(line.rstrip("\n"))
        fields = dict(each.split(": ", 1) for each in lines if not each.startswith(":"))
        if line and "id" in fields:
            self.last_event_id = fields["id"]
            self.events.append((fields["id"], fields["event"], fields["data"]))
        elif not line or fields.get("event") == "end":
            self.close()
            time.sleep(0.1)
            self._listen()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.response_heads.append(self._head_file.read_text() if self._head_file.exists() else "")

    @property
    def move_numbers(self) -> list[int]:
        """The numbers of the moves that were heard."""
        return [json.loads(data)["position"]["number"] for _, event, data in self.events if event == "commit"]
