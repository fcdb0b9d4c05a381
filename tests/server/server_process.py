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

from tests.timeouts import PATIENCE


class Process:
    """A server that listens, and its output."""

    def __init__(self, process: subprocess.Popen[str], url: str, error_file: Path) -> None:
        self.process = process
        self.url = url
        self.error_file = error_file
        self.http = httpx.Client(base_url=url, timeout=PATIENCE)

    @property
    def error_output(self) -> str:
        return self.error_file.read_text()

    def end(self, signal_number: int = signal.SIGTERM) -> int:
        """Sends a signal, and returns the exit code."""
        self.process.send_signal(signal_number)
        return self.process.wait(PATIENCE)


def environment(folder: Path, store: str = "") -> dict[str, str]:
    store = store or f"sqlite:///{folder}/games.db"
    return {**os.environ, "HOME": str(folder), "ZIM_STORE": store, "ZIM_BY": "hanna"}


def run_zim(folder: Path, *arguments: str, store: str = "") -> str:
    """The output of a command."""
    command = [sys.executable, "-m", "zimcli", *arguments]
    return subprocess.run(command, env=environment(folder, store), capture_output=True, text=True, check=True).stdout


@contextmanager
def running_server(
    folder: Path, *options: str, name: str = "server", store: str = "", code_folder: Path | None = None
) -> Iterator[Process]:
    """A server on a free port, once it has printed its address. `code_folder` has its packages, if not ours."""
    error_file = folder / f"{name}.err"
    command = [sys.executable, "-m", "zimcli", "serve", "--listen", "127.0.0.1:0", *options]
    with (
        open(error_file, "w") as log_file,
        subprocess.Popen(
            command, env=environment(folder, store), cwd=code_folder, stdout=subprocess.PIPE, stderr=log_file, text=True
        ) as process,
    ):
        try:
            # The process prints its address on stderr: stdout is for text that a user pastes.
            url = wait_for_address(process, error_file)
            yield Process(process, url, error_file)
        finally:
            process.kill()


def wait_for_address(process: subprocess.Popen[str], error_file: Path) -> str:
    """The address that a server printed to its log file. A server that ends before that raises an error."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        address_match = re.search(r"serving .* at (http://\S+) \(Ctrl-C", error_file.read_text())
        if address_match:
            return address_match[1]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise AssertionError(error_file.read_text())
