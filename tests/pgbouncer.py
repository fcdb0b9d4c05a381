"""The real pgbouncer before a store, as a process of a test's own."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from psycopg.conninfo import conninfo_to_dict

PGBOUNCER_SETTINGS = """
[databases]
games = host={host} port={port} dbname={dbname} user={user}{secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
"""
"""Two connections to the server for all clients: each is used by several in turn."""


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def bouncer_url(store_url: str, pgbouncer: str) -> Iterator[str]:
    """The URL of a store of PostgreSQL behind a pgbouncer, which gives a connection away after each transaction."""
    url, _, schema = store_url.partition("?schema=")
    server = {"host": "127.0.0.1", "port": "5432", "user": "postgres", **conninfo_to_dict(url)}
    port = free_port()
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        settings = Path(folder, "pgbouncer.ini")
        password_setting = f" password={server['password']}" if "password" in server else ""
        settings.write_text(PGBOUNCER_SETTINGS.format(listen=port, secret=password_setting, **server))
        user_option = ["-u", "nobody"] if os.getuid() == 0 else []  # it does not run as root
        process = subprocess.Popen([pgbouncer, *user_option, str(settings)], stderr=subprocess.DEVNULL)
        try:
            wait_until_open(port)
            yield f"postgresql://127.0.0.1:{port}/games?schema={schema}"
        finally:
            process.terminate()
            process.wait()


def wait_until_open(port: int, host: str = "127.0.0.1") -> None:
    """Waits until a server listens there."""
    for _ in range(400):
        with socket.socket() as client:
            client.settimeout(5)
            if client.connect_ex((host, port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens at {host}:{port}")
