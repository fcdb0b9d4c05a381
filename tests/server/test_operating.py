"""The examples of docs/operating/ are started for real: processes of the unit file behind Caddy, on one PostgreSQL."""

from __future__ import annotations

import json
import re
import signal
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from litestar.exceptions import NotFoundException
from litestar.utils import normalize_path

from tests.pgbouncer import bouncer_url
from tests.server.deployment import (
    EXAMPLES_FOLDER,
    UNIT_FILE,
    ZIM_PROGRAM,
    Listener,
    behind_caddy,
    join_as,
    two_processes,
    wait_for,
)
from tests.server.game_server import GENEROUS_SETTINGS, service_opener
from tests.server.server_process import run_zim
from tests.test_docs import run_shell_command
from zimcore.remote.invitations import invite
from zimcore.server.app import make_app
from zimcore.service import GameService, open_service

MOVE_COUNT, MOVE_OF_FIRST_KILL, MOVE_OF_SECOND_KILL = 12, 4, 8
METRICS_SPELLINGS = (
    *("/metrics", "/metrics/", "/metrics//", "//metrics", "/%6detrics", "/METRICS", "/./metrics", "/x/../metrics"),
    *("/metrics/.", "/metrics/x/..", "/metrics%2f", "/metrics;x", "/metrics?x", "/%2e/metrics", "/v1/../metrics"),
)
"""Spellings of an address that the proxy keeps closed."""


@contextmanager
def counting_process() -> Iterator[tuple[int, list[str]]]:
    """A stand-in for a process: its port, and the addresses that it was asked for."""
    paths = list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/health":
                paths.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, paths
        server.shutdown()


def test_the_proxy_keeps_a_game_with_one_process_and_metrics_to_itself(
    tmp_path: Path, find_program: Callable[..., str]
) -> None:
    """This holds for every address of a game and for all clients: with a token, a cookie, or neither."""
    caddy = find_program("caddy")
    with (
        counting_process() as first_process,
        counting_process() as second_process,
        behind_caddy(tmp_path, caddy, [first_process[0], second_process[0]]) as (url, root_certificate),
        httpx.Client(base_url=url, verify=ssl.create_default_context(cafile=root_certificate)) as http,
    ):
        for game_number in range(12):
            for suffix in ("", "/lines/main", "/lines/main/moves?at=1"):
                for index, prefix in enumerate(("/v1/games", "/games")):
                    headers = {
                        "Authorization": f"Bearer {suffix}{index}",
                        "Zim-Game": f"not-{index}{suffix}",
                    }
                    assert http.get(f"{prefix}/g{game_number}{suffix}", headers=headers).status_code == 200
        games_by_process = [
            {path.partition("/games/")[2].partition("/")[0] for path in process[1]}
            for process in (first_process, second_process)
        ]
        assert all(games_by_process), "both have some"
        assert games_by_process[0].isdisjoint(games_by_process[1])
        host, port = url.removeprefix("https://").split(":")
        for spelling in METRICS_SPELLINGS:
            status = raw_status(host, int(port), root_certificate, spelling)
            metrics_paths = [
                path for process in (first_process, second_process) for path in process[1] if "etrics" in path
            ]
            # Zim knows only one spelling, and takes none that the proxy passes on for it.
            assert status in (308, 404) or not any(map(is_metrics, metrics_paths)), (spelling, status, metrics_paths)
        for spelling in ("/v1/games/k%2flines%2fmain", "/v1%2Fgames/k", "/games/k%252fx"):
            raw_status(host, int(port), root_certificate, spelling)
            assert spelling in first_process[1] + second_process[1], (
                "a slash in a name stays encoded, so that Zim refuses it"
            )


def raw_status(host: str, port: int, root_certificate: Path, path: str) -> int:
    """The status of a GET, by HTTP/1.1, of an address that is sent as it is spelt."""
    context = ssl.create_default_context(cafile=root_certificate)
    with closing(HTTPSConnection(host, port, context=context)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


def is_metrics(path: str) -> bool:
    """Whether Zim would answer an address with its metrics."""
    scope: Any = {"path": unquote(path.partition("?")[0]), "raw_path": path.encode()}
    app = make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS)
    try:
        route = app.asgi_router.handle_routing(path=normalize_path(scope["path"]), method="GET")
    except NotFoundException:
        return False
    return b"%2f" not in scope["raw_path"].lower() and route[4] == "/metrics"


def test_the_unit_file_is_valid(tmp_path: Path, find_program: Callable[..., str]) -> None:
    """systemd verifies the unit file, with the path of the tested program."""
    unit_file_copy = tmp_path / "zim@8321.service"
    unit_file_copy.write_text(UNIT_FILE.read_text("utf-8").replace("/opt/zim/bin/zim", str(ZIM_PROGRAM)))
    command = [find_program("systemd-analyze"), "verify", "--man=no", str(unit_file_copy)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout + process.stderr) == (0, "")


def test_two_processes_behind_caddy_lose_nothing_when_they_are_killed(
    postgres_schema: str, tmp_path: Path, find_program: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game by remote clients, a spectator on a feed over HTTP/2; each process is killed once, in the middle."""
    find_program("curl")
    caddy, pgbouncer = find_program("caddy"), find_program("pgbouncer", "/usr/sbin/pgbouncer")
    with bouncer_url(postgres_schema, pgbouncer) as store:
        run_zim(tmp_path, "db", "init", store=store)
        account_token = json.loads(run_zim(tmp_path, "--json", "serve", "token", "hanna", store=store))["token"]
        with (
            two_processes(tmp_path, store) as processes,
            behind_caddy(tmp_path, caddy, [each.port for each in processes]) as (url, root_certificate),
        ):
            monkeypatch.setenv("SSL_CERT_FILE", str(root_certificate))
            host_service = join_as(url, tmp_path / "hanna", account_token)
            game = host_service.new("zimbabwe", {"players": "2"}, by="hanna").match
            services_by_seat = {
                seat: join_as(url, tmp_path / seat, invite(host_service, game, "seat", seat, "", None).token)
                for seat in host_service.position(game).seats
            }
            spectator_token = invite(host_service, game, "spectator", "", "", None).token
            feed_url = f"{url}/v1/games/{game}/lines/main/feed"
            listener = Listener(feed_url, spectator_token, tmp_path, "--http2", "--cacert", str(root_certificate))
            listener.receive()
            for number in range(1, MOVE_COUNT + 1):
                if number == MOVE_OF_FIRST_KILL:  # kills the process that has the feed; only the other one is left
                    wait_for(lambda: sum(each.feed_count for each in processes) == 1)
                    feeding_process, other_process = sorted(processes, key=lambda each: each.feed_count, reverse=True)
                    feeding_process.end(signal.SIGKILL)
                if number == MOVE_OF_SECOND_KILL:
                    listener.until(MOVE_OF_SECOND_KILL - 1)
                    feeding_process.start()
                    other_process.end(signal.SIGKILL)
                position = host_service.head(game)
                position_after = services_by_seat[position.to_move[0]].play_or_raise(
                    game, next(iter(position.legal().texts(""))), by=""
                )
                assert position_after.commit.number == number, "each is stored once"
            listener.until(MOVE_COUNT)
            listener.close()
            assert listener.move_numbers == list(range(1, MOVE_COUNT + 1))
            assert listener.run_count >= 3, "it was cut off by both"
            assert {head.split()[0] for head in listener.response_heads if head} == {"HTTP/2"}
            for service in services_by_seat.values():
                assert [commit.number for commit in service.log(game)] == list(range(MOVE_COUNT + 1))
    audits = json.loads(run_zim(tmp_path, "--json", "verify", "--all", store=postgres_schema))["audits"]
    assert {audit["fault"] for audit in audits} == {None}


@pytest.mark.parametrize(("kind", "block"), [("sqlite", 0), ("postgres", 2)])
def test_the_backup_commands_of_the_page_work(
    kind: str, block: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """One way for a store in a file, one for a database; neither is the way for the other."""
    backup_section = (
        (EXAMPLES_FOLDER.parent / "operating.md").read_text("utf-8").partition("## Backup")[2].partition("\n## ")[0]
    )
    blocks = re.findall(r"```\n(zim .*?)```", backup_section, re.DOTALL)
    assert len(blocks) == 3, "and one that restores it"
    store = f"sqlite:///{tmp_path}/games.db" if kind == "sqlite" else request.getfixturevalue("postgres_schema")
    with open_service(store).store as opened_store:
        opened_store.create()
        GameService(opened_store).new("africana", {"players": "2"}, name="cairo", by="anna")
    for line in blocks[block].splitlines():
        output = run_shell_command(f"{line}\necho status $?", tmp_path, {"ZIM_STORE": store})
        assert output.endswith("status 0\n"), f"{line}\n{output}"
    assert "1 game with 1 line is as it was played" in output, "what was proven is what was backed up"
