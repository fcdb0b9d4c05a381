"""A server as a process: it starts, plays, logs without secrets, and ends cleanly."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.game_server import Client
from tests.server.server_process import Process, environment, run_zim, running_server
from tests.timeouts import PATIENCE


def take_first_seat(server: Process, folder: Path, store: str = "") -> tuple[Client, Client, str]:
    """Hosts a game and takes the seat to move; returns the clients of host and player, and the line's path."""
    host = Client(server.http, json.loads(run_zim(folder, "--json", "serve", "token", "hanna", store=store))["token"])
    position = host("POST", "/v1/games", {"kind": "zimbabwe", "options": {"players": "2"}}).json()["position"]
    game, seat = position["game"], position["actor"]
    link = host("POST", f"/v1/games/{game}/tokens", {"role": "seat", "seat": seat}).json()["token"]
    body = {"link": link, "by": "anna"}
    token = Client(server.http)("POST", "/v1/tokens", body, key="a-key-of-annas-own").json()["token"]
    return host, Client(server.http, token), f"/v1/games/{game}/lines/main"


def test_a_server_plays_logs_no_secrets_and_ends_cleanly(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        host, anna, line_path = take_first_seat(server, tmp_path)
        with server.http.stream(
            "GET",
            f"{line_path}/feed",
            headers={"Authorization": f"Bearer {anna.token}", "Accept": "application/x-ndjson"},
        ) as feed:
            messages = feed.iter_lines()
            assert json.loads(next(messages))["event"] == "standing"
            legal_move = anna.get_json(f"{line_path}/legal?most=1")["legal"][0]
            assert anna("POST", f"{line_path}/moves", {"move": legal_move}, head="*").status_code == 201
            assert json.loads(next(messages))["event"] == "commit"
            Client(server.http, "zim_seat_" + "S" * 43).get(f"{line_path}?token={anna.token}")
            anna.get(f"/v1/games/{anna.token}")
            anna.get(f"/{anna.token}")
            server.process.send_signal(signal.SIGTERM)  # while a feed is open
            assert json.loads(next(messages))["event"] == "end"
            assert list(messages) == []
        assert server.process.wait(30) == 0
        output = server.error_output
    for secret in (host.token, anna.token, host.token[-43:], anna.token[-43:], "S" * 43, "a-key-of"):
        assert secret not in output
    log_entries = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert {"method", "resource", "game", "status", "ms"} <= set(
        next(entry for entry in log_entries if "status" in entry)
    )
    assert json.loads(run_zim(tmp_path, "--json", "verify", "--all"))["audits"][0]["fault"] is None


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_two_processes_serve_one_store(request: pytest.FixtureRequest, tmp_path: Path, backend: str) -> None:
    store = str(request.getfixturevalue("postgres_store")) if backend == "postgresql" else ""
    with (
        running_server(tmp_path, name="one", store=store) as first_server,
        running_server(tmp_path, name="two", store=store) as second_server,
    ):
        _, anna, line_path = take_first_seat(first_server, tmp_path, store)
        second_client = Client(second_server.http, anna.token)
        with second_server.http.stream(
            "GET",
            f"{line_path}/feed",
            headers={"Authorization": f"Bearer {anna.token}", "Accept": "application/x-ndjson"},
        ) as feed:
            messages = feed.iter_lines()
            standing_message = json.loads(next(messages))
            legal_move = second_client.get_json(f"{line_path}/legal?most=1")["legal"][0]
            body = {"move": legal_move}
            first_response = anna("POST", f"{line_path}/moves", body, key="k1", head=standing_message["data"]["digest"])
            retry = second_client("POST", f"{line_path}/moves", body, key="k1", head=standing_message["data"]["digest"])
            assert (first_response.status_code, first_response.content) == (201, retry.content)
            message = json.loads(next(text for text in messages if '"commit"' in text))
            assert message["data"]["digest"] == first_response.json()["digest"]
        assert (first_server.end(), second_server.end(signal.SIGINT)) == (0, 0)


def test_the_commands_printed_by_a_demo_work(tmp_path: Path) -> None:
    with running_server(tmp_path, "--demo") as server:
        assert server.process.stdout
        output = ""
        while output.count("zim play") < 2:
            output += server.process.stdout.readline()
        blocks = [f"# {text}" for text in output.split("\n# ")[1:]]
        assert len(blocks) == 2
        game = re.findall(r"zim play (\S+)", output)[0]
        # Both players use this machine, as in a first try: one folder has the tokens of both.
        path_variable = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        bot_process, log_process = (
            subprocess.run(
                ["bash", "-ec", text.replace(f"zim play {game}", script)],
                env=environment(tmp_path) | path_variable,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
            for text, script in zip(blocks, (f"zim bot {game} quick", f"zim log {game}"), strict=True)
        )
        assert "+1 VP" in bot_process.stdout, bot_process
        assert "start" in log_process.stdout, log_process
        folder_match = re.search(r"serving sqlite:///(\S+)/demo.db", server.error_output)
        assert folder_match
        assert Path(folder_match[1]).exists()
        assert server.end() == 0
        assert not Path(folder_match[1]).exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--listen", "nowhere"], "write it as HOST:PORT"),
        (["--listen", "127.0.0.1:99999"], "write it as HOST:PORT"),
        (["--listen", "127.0.0.1:{taken}"], "can't listen at"),
        (["token"], "serve token NAME"),
        (["token", "../x"], "not a name"),
        (["revoke", "0123"], "there is no such token"),
        (["tokens", "x"], "serve token NAME"),
    ],
)
def test_an_invalid_serve_command_is_reported(tmp_path: Path, arguments: list[str], message: str) -> None:
    run_zim(tmp_path, "new", "kilwa-7")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        command = [sys.executable, "-m", "zimcli", "serve", *(word.replace("{taken}", port) for word in arguments)]
        process = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE)
    assert process.returncode == 2
    assert message in process.stderr
    assert "Traceback" not in process.stderr


def test_other_commands_do_not_import_the_server(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from zimcli.main import cli\n"
        "for words in (['--help'], ['games'], ['show', 'kilwa-7'], ['serve', '--help']):\n"
        "    try: cli.main(words, prog_name='zim')\n"
        "    except SystemExit: pass\n"
        "slow = ('litestar', 'uvicorn', 'prometheus_client', 'zimcore.server')\n"
        "print(*(name for name in slow if name in sys.modules), file=sys.stderr, end='')"
    )
    run_zim(tmp_path, "new", "kilwa-7")
    process = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert process.stderr == ""
