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

from tests.bouncer import free_port
from tests.server.process import environment, waited_for
from tests.waiting import PATIENCE
from zimcore.remote.client_files import Folders
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import join, parse_invitation
from zimcore.remote.service import RemoteService

EXAMPLES = Path(__file__).parents[2] / "docs" / "operating"
UNIT = EXAMPLES / "zim@.service"
ZIM = Path(sys.executable).with_name("zim")
ABOVE = """{{
    admin off
    auto_https disable_redirects
    skip_install_trust
    local_certs
}}
import {example}
"""
"""What stands before the example in a test: no ports but its own, and no certificates of others."""


def exec_start(port: int) -> list[str]:
    """The command of the unit file, by the zim that is tested."""
    (line,) = re.findall(r"^ExecStart=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE)
    program, *words = shlex.split(line.replace("%i", str(port)))
    assert Path(program).name == ZIM.name
    return [str(ZIM), *words]


class Worker:
    """A process of the unit file, over some store; `within` is a command that starts it elsewhere."""

    def __init__(self, folder: Path, store: str, within: Sequence[str] = ()) -> None:
        self.folder, self.store, self.within = folder, store, within
        self.port, self.starts = free_port(), 0
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.starts += 1
        errors = self.folder / f"{self.port}-{self.starts}.err"
        command, settings = [*self.within, *exec_start(self.port)], environment(self.folder, self.store)
        with open(errors, "w") as log:
            self.process = subprocess.Popen(command, env=settings, stderr=log, stdout=log, text=True)
        assert waited_for(self.process, errors) == self.url

    @property
    def feeds(self) -> int:
        """How many feeds it says are open."""
        (value,) = re.findall(r"^zim_feeds (\S+)$", httpx.get(f"{self.url}/metrics").text, re.MULTILINE)
        return int(float(value))

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def workers(folder: Path, store: str) -> Iterator[list[Worker]]:
    """Two processes over one store."""
    results = list[Worker]()
    try:
        for _ in range(2):
            results.append(Worker(folder, store))
        yield results
    finally:
        for each in results:
            each.end(signal.SIGKILL)


@contextmanager
def behind_caddy(
    folder: Path, caddy: str, ports: Sequence[int], host: str = "localhost", within: Sequence[str] = ()
) -> Iterator[tuple[str, Path]]:
    """Caddy with the example file before some processes: its address, and the certificate that all of it stands on."""
    site, file = f"https://{host}:{free_port()}", folder / "Caddyfile"
    file.write_text(ABOVE.format(example=EXAMPLES / "Caddyfile"))
    settings = {
        "ZIM_SITE": site,
        "ZIM_WORKERS": " ".join(f"127.0.0.1:{each}" for each in ports),
        **{f"XDG_{what}_HOME": str(folder) for what in ("DATA", "CONFIG")},
    }
    command = [*within, caddy, "run", "--adapter", "caddyfile", "--config", str(file)]
    root = folder / "caddy/pki/authorities/local/root.crt"
    with open(folder / "caddy.err", "w") as log:
        process = subprocess.Popen(command, env={**os.environ, **settings}, stderr=log, stdout=log)
    try:
        healthy = [*within, "curl", "-sf", "--cacert", str(root), f"{site}/health"]
        wait_for(lambda: subprocess.run(healthy, capture_output=True, check=False).returncode == 0)
        yield site, root
    finally:
        process.terminate()
        process.wait()


def wait_for(condition: Callable[[], object]) -> None:
    """Waits until a condition is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


def person(url: str, folder: Path, token: str, name: str = "") -> RemoteService:
    """A player who has joined by a link, or has a token; with files of their own."""
    folders = Folders(folder / "data", folder / "cache")
    join(Connection(url), folders, parse_invitation(token, url), name or folder.name)
    return RemoteService(Connection(url), folders, fresh=0.0, again=0.0)


class Listener:
    """curl on a feed, by HTTP/2 where that is TLS. It goes on after its last message when the feed breaks."""

    def __init__(self, url: str, token: str, folder: Path, *words: str, within: Sequence[str] = ()) -> None:
        self.url, self.token, self.folder, self.words, self.within = url, token, folder, words, within
        self.runs, self.last = 0, ""
        self.events = list[tuple[str, str, str]]()
        self.heads = list[str]()
        self._listen()

    def _listen(self) -> None:
        self.runs += 1
        headers = [f"Authorization: Bearer {self.token}"] + [f"Last-Event-ID: {self.last}"] * bool(self.last)
        sent = [word for header in headers for word in ("-H", header)]
        command = [*self.within, "curl", "-sN", "-D", str(self._head), *self.words, *sent, self.url]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    @property
    def _head(self) -> Path:
        return self.folder / f"head-{self.runs}"

    def until(self, number: int) -> None:
        """Listens until a move of that number was heard."""
        deadline = time.monotonic() + PATIENCE
        while number not in self.moves:
            assert time.monotonic() < deadline, self.heads
            self.hear()

    def hear(self) -> None:
        """The next message; where there is none any more, comes again."""
        assert self.process.stdout
        lines = list[str]()
        while (line := self.process.stdout.readline()).strip():
            lines.append(line.rstrip("\n"))
        fields = dict(each.split(": ", 1) for each in lines if not each.startswith(":"))
        if line and "id" in fields:
            self.last = fields["id"]
            self.events.append((fields["id"], fields["event"], fields["data"]))
        elif not line or fields.get("event") == "end":
            self.close()
            time.sleep(0.1)
            self._listen()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.heads.append(self._head.read_text() if self._head.exists() else "")

    @property
    def moves(self) -> list[int]:
        """The numbers of the moves that were heard."""
        return [json.loads(data)["position"]["number"] for _, event, data in self.events if event == "commit"]
