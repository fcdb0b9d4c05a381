"""`zim serve` as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.waiting import PATIENCE


class Process:
    """A server that listens, and all that it has said."""

    def __init__(self, process: subprocess.Popen[str], url: str, errors: Path) -> None:
        self.process = process
        self.url = url
        self.errors = errors
        self.http = httpx.Client(base_url=url, timeout=PATIENCE)

    @property
    def error_output(self) -> str:
        return self.errors.read_text()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal, and returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def environment(folder: Path, store: str = "") -> dict[str, str]:
    store = store or f"sqlite:///{folder}/games.db"
    return {**os.environ, "HOME": str(folder), "ZIM_STORE": store, "ZIM_BY": "hanna"}


def zim(folder: Path, *words: str, store: str = "") -> str:
    """The output of a command."""
    command = [sys.executable, "-m", "zimcli", *words]
    return subprocess.run(command, env=environment(folder, store), capture_output=True, text=True, check=True).stdout


@contextmanager
def serving(
    folder: Path, *words: str, name: str = "server", store: str = "", code: Path | None = None
) -> Iterator[Process]:
    """A server on any port; it is waited for until it says where. `code` is where its packages are, if elsewhere."""
    errors = folder / f"{name}.err"
    command = [sys.executable, "-m", "zimcli", "serve", "--listen", "127.0.0.1:0", *words]
    with (
        open(errors, "w") as log,
        subprocess.Popen(
            command, env=environment(folder, store), cwd=code, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            # The process says where it listens on stderr, when it does: stdout is for what is to be pasted.
            url = waited_for(process, errors)
            yield Process(process, url, errors)
        finally:
            process.kill()


def waited_for(process: subprocess.Popen[str], errors: Path) -> str:
    """The address that a server printed to its log file. A server that ends before that raises an error."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        match_ = re.search(r"serving .* at (http://\S+) \(Ctrl-C", errors.read_text())
        if match_:
            return match_[1]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError(errors.read_text())
