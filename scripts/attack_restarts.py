"""A server of one's own that is killed, all of it at once and in the middle of writers, and started again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import NamedTuple

import psycopg
from attack_target import Breach, Target, Told
from attack_writers import ASKED, check_whole, is_answered, opened

from zimcore.service import StoreError

NO_SERVER = "not tried: no PostgreSQL to be started on this machine"
WRITERS = 4
PATIENCE = 60
"""Seconds that a server may take to start, which is after it has recovered."""


class PrivateServer(NamedTuple):
    """The programs of a server, where its data is, and the port on this machine where it answers."""

    programs: Path
    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Where a store is."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> subprocess.Popen[bytes]:
        """Starts it, and waits until it answers."""
        here = ["-p", str(self.port), "-k", str(self.folder), "-c", "listen_addresses=127.0.0.1"]
        command = [str(self.programs / "postgres"), "-D", str(self.folder / "data"), *here]
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user())
            while process.poll() is None and time.monotonic() < deadline:
                with suppress(psycopg.OperationalError):
                    psycopg.connect(self.url, connect_timeout=3).close()
                    return process
                time.sleep(0.02)
            # Until all processes of the one before are gone it does not start.
            kill(process)
        raise Breach("the server does not start again")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a server and all its processes, as when the machine loses its power; nothing is left of it."""
    children = [int(each.name) for each in Path("/proc").glob("[0-9]*") if _parent(each) == process.pid]
    process.kill()
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    process.wait()


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
    except OSError:  # it has ended
        return 0


def user() -> str | None:
    """As whom a server is started: it does not run as root."""
    return "postgres" if os.geteuid() == 0 else None


@contextmanager
def private() -> Iterator[PrivateServer | None]:
    """A new server, not started; None where there are no programs for it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(found[-1]) if found else "")
    if not initdb:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="zim-server-") as name, socket.socket() as free:
        folder = Path(name)
        if as_ := user():
            shutil.chown(folder, as_)
        make = [initdb, "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, user=as_, cwd=folder)
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
        free.close()
        yield PrivateServer(Path(initdb).parent, folder, port)


def restarts(target: Target, tries: int, told: Told) -> None:
    """Writers who ask again until they are answered, while the server is killed and started again."""
    del target
    chance, stop = random.Random(11), Event()
    with private() as server:
        if server is None:
            told(NO_SERVER)
            return
        process = server.start()
        try:
            with opened(server.url).store as store:
                store.create()
            with ThreadPoolExecutor(WRITERS) as pool:
                writers = [pool.submit(write_on, server.url, f"w{number}", stop, told) for number in range(WRITERS)]
                try:
                    for _ in range(tries):
                        time.sleep(chance.uniform(0.05, 0.5))
                        kill(process)
                        process = server.start()
                        told("restarted")
                finally:
                    stop.set()
            with (service := opened(server.url)).store:
                for game, answers in (each for writer in writers for each in writer.result().items()):
                    for number, answer in enumerate(answers):
                        if not is_answered(service, game, number, answer):
                            raise Breach(f"{game}: {ASKED[number].what} has another answer")
                        told("acknowledged and there once")
                    check_whole(service, game)
                if faults := service.check():
                    raise Breach(f"db check finds {faults}")
        finally:
            kill(process)


def write_on(url: str, writer: str, stop: Event, told: Told) -> dict[str, Sequence[str]]:
    """Plays one game after another until it is told to stop; the answers, by game."""
    games: dict[str, Sequence[str]] = {}
    with (service := opened(url)).store:
        while not stop.is_set():
            game = f"{writer}-{len(games)}"
            answers: list[str] = []
            while len(answers) < len(ASKED):
                try:
                    answers.append(ASKED[len(answers)].of(service, game, len(answers)))
                except StoreError:
                    told("cut off, and asked again")
                    time.sleep(0.1)
            games[game] = answers
    return games
