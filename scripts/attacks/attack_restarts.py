"""Attacks a private PostgreSQL server: kills all its processes at once while clients write, and starts it again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event

import psycopg

from event_store import EventStore
from scripts.attacks.attack_target import Breach, NotTried, ReportOutcome, Target, check_store
from scripts.attacks.attack_writers import REQUESTS, check_answer, check_game_is_whole, open_game
from tests.pgbouncer import free_port
from zimcore.service import StoreError

WRITERS = 4
START_TIMEOUT = 60
"""Seconds that the server may take to start, recovery included."""
LAZY_OPTIONS = ("-c", "wal_writer_delay=10s")
"""Nothing comes to the disk by itself between two kills, only what waits for it. So each kill shows who does not."""


class PrivateServer:
    """A server with its own data, on a port of this machine."""

    def __init__(self, program_folder: Path, folder: Path, port: int) -> None:
        arguments = ["-D", str(folder / "data"), "-p", str(port), "-k", str(folder), "-c", "listen_addresses=127.0.0.1"]
        self.command = [str(program_folder / "postgres"), *arguments, *LAZY_OPTIONS]
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self.start()
        with EventStore.open(self.url) as store:
            store.create()

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        devnull, deadline = subprocess.DEVNULL, time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            self.process = subprocess.Popen(self.command, stdout=devnull, stderr=devnull, user=server_user())
            while self.process.poll() is None and time.monotonic() < deadline:
                with suppress(psycopg.OperationalError):
                    psycopg.connect(self.url, connect_timeout=3).close()
                    return
                time.sleep(0.02)
            # It does not start while processes of the previous one are still running.
            self.kill()
        raise Breach("the server does not start again")

    def kill(self) -> None:
        """Kills all its processes, as a power cut would."""
        children = [
            int(process_folder.name)
            for process_folder in Path("/proc").glob("[0-9]*")
            if _parent_pid(process_folder) == self.process.pid
        ]
        self.process.kill()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.process.wait()


def _parent_pid(process_folder: Path) -> int:
    try:
        return int((process_folder / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
    except OSError:  # the process has ended
        return 0


def server_user() -> str | None:
    """The user to run a server as: it refuses to run as root."""
    return "postgres" if os.geteuid() == 0 else None


@contextmanager
def private_server() -> Iterator[PrivateServer]:
    """A new server with an empty store."""
    initdb_paths = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(initdb_paths[-1]) if initdb_paths else "")
    if not initdb:
        raise NotTried("no PostgreSQL to be started on this machine")
    with tempfile.TemporaryDirectory(prefix="zim-server-") as folder_name:
        if user := server_user():
            shutil.chown(folder_name, user)
        initdb_command = [initdb, "-D", f"{folder_name}/data", "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(initdb_command, check=True, stdout=subprocess.DEVNULL, user=user, cwd=folder_name)
        server = PrivateServer(Path(initdb).parent, Path(folder_name), free_port())
        try:
            yield server
        finally:
            server.kill()


def restart_database(target: Target, tries: int, report: ReportOutcome) -> None:
    """Kills and restarts the server, while writers retry until they are answered."""
    del target
    rng, stop, answered = random.Random(11), Event(), Event()
    with private_server() as server:
        with ThreadPoolExecutor(WRITERS) as pool:
            writers = [
                pool.submit(play_games, server.url, f"w{number}", stop, answered, report) for number in range(WRITERS)
            ]
            try:
                for _ in range(tries):
                    if any(writer.done() for writer in writers):  # a writer only ends early if it fails
                        break
                    answered.clear()
                    answered.wait(START_TIMEOUT)  # else there is nothing that could be lost
                    time.sleep(rng.uniform(0.05, 0.5))
                    server.kill()
                    server.start()
                    report("restarted")
            finally:
                stop.set()
        with (service := open_game(server.url)).store:
            for game, answers in (game_answers for writer in writers for game_answers in writer.result().items()):
                for number, answer in enumerate(answers):
                    check_answer(service, game, number, answer, report)
                check_game_is_whole(service, game)
            check_store(service)


def play_games(
    url: str, writer_name: str, stop: Event, answered: Event, report: ReportOutcome
) -> dict[str, Sequence[str]]:
    """Plays one game after another until `stop` is set. Returns the answers by game. Each answer sets `answered`.

    Raises `Breach` if a request stays unanswered although the server is up: what the request builds on is lost.
    """
    answers_by_game: dict[str, Sequence[str]] = {}
    answered_at = time.monotonic()
    with (service := open_game(url)).store:
        while not stop.is_set():
            game = f"{writer_name}-{len(answers_by_game)}"
            answers: list[str] = []
            while len(answers) < len(REQUESTS):
                try:
                    answers.append(REQUESTS[len(answers)].send(service, game, len(answers)))
                    answered_at = time.monotonic()
                    answered.set()
                except StoreError as error:
                    report("cut off, and asked again")
                    if time.monotonic() - answered_at > START_TIMEOUT:
                        raise Breach(f"{game}: {REQUESTS[len(answers)].operation} is not answered: {error}") from error
                    time.sleep(0.1)
            answers_by_game[game] = answers
    return answers_by_game
