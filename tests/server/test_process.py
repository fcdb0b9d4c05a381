"""A server as a process: it starts, plays, logs without secrets, and ends in good order."""

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
from tests.server.process import Process, environment, serving, zim
from tests.waiting import PATIENCE


def sat_down(server: Process, folder: Path, store: str = "") -> tuple[Client, Client, str]:
    """A host, and a player at the first seat of a hosted game."""
    host = Client(server.http, json.loads(zim(folder, "--json", "serve", "token", "hanna", store=store))["token"])
    position = host("POST", "/v1/games", {"kind": "zimbabwe", "options": {"players": "2"}}).json()["position"]
    game, seat = position["game"], position["actor"]
    link = host("POST", f"/v1/games/{game}/tokens", {"role": "seat", "seat": seat}).json()["token"]
    body = {"link": link, "by": "anna"}
    token = Client(server.http)("POST", "/v1/tokens", body, key="a-key-of-annas-own").json()["token"]
    return host, Client(server.http, token), f"/v1/games/{game}/lines/main"


def test_a_server_plays_logs_no_secrets_and_ends_in_good_order(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, anna, line = sat_down(server, tmp_path)
        with server.http.stream(
            "GET", f"{line}/feed", headers={"Authorization": f"Bearer {anna.token}", "Accept": "application/x-ndjson"}
        ) as feed:
            messages = feed.iter_lines()
            assert json.loads(next(messages))["event"] == "standing"
            legal = anna.ok(f"{line}/legal?most=1")["legal"][0]
            assert anna("POST", f"{line}/moves", {"move": legal}, head="*").status_code == 201
            assert json.loads(next(messages))["event"] == "commit"
            Client(server.http, "zim_seat_" + "S" * 43).get(f"{line}?token={anna.token}")
            anna.get(f"/v1/games/{anna.token}")
            anna.get(f"/{anna.token}")
            server.process.send_signal(signal.SIGTERM)  # with a feed open
            assert json.loads(next(messages))["event"] == "end"
            assert list(messages) == []
        assert server.process.wait(30) == 0
        output = server.error_output
    for secret in (host.token, anna.token, host.token[-43:], anna.token[-43:], "S" * 43, "a-key-of"):
        assert secret not in output
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert {"method", "resource", "game", "status", "ms"} <= set(next(each for each in lines if "status" in each))
    assert json.loads(zim(tmp_path, "--json", "verify", "--all"))["audits"][0]["fault"] is None


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_processes_serve_one_store(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    store = str(request.getfixturevalue("postgres_store")) if kind == "postgresql" else ""
    with serving(tmp_path, name="one", store=store) as one, serving(tmp_path, name="two", store=store) as second:
        _, anna, line = sat_down(one, tmp_path, store)
        there = Client(second.http, anna.token)
        with second.http.stream(
            "GET", f"{line}/feed", headers={"Authorization": f"Bearer {anna.token}", "Accept": "application/x-ndjson"}
        ) as feed:
            messages = feed.iter_lines()
            standing = json.loads(next(messages))
            legal = there.ok(f"{line}/legal?most=1")["legal"][0]
            move = {"move": legal}
            first = anna("POST", f"{line}/moves", move, key="k1", head=standing["data"]["digest"])
            again = there("POST", f"{line}/moves", move, key="k1", head=standing["data"]["digest"])
            assert (first.status_code, first.content) == (201, again.content)
            message = json.loads(next(line for line in messages if '"commit"' in line))
            assert message["data"]["digest"] == first.json()["digest"]
        assert (one.end(), second.end(signal.SIGINT)) == (0, 0)


def test_what_a_demo_prints_can_be_pasted(tmp_path: Path) -> None:
    with serving(tmp_path, "--demo") as server:
        assert server.process.stdout
        printed = ""
        while printed.count("zim play") < 2:
            printed += server.process.stdout.readline()
        blocks = [f"# {text}" for text in printed.split("\n# ")[1:]]
        assert len(blocks) == 2
        game = re.findall(r"zim play (\S+)", printed)[0]
        # Both sit at this machine, as who tries it would: one folder has the tokens of both.
        path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        first, second = (
            subprocess.run(
                ["bash", "-ec", text.replace(f"zim play {game}", script)],
                env=environment(tmp_path) | path,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
            for text, script in zip(blocks, (f"zim bot {game} quick", f"zim log {game}"), strict=True)
        )
        assert "+1 VP" in first.stdout, first
        assert "start" in second.stdout, second
        folder = re.search(r"serving sqlite:///(\S+)/demo.db", server.error_output)
        assert folder
        assert Path(folder[1]).exists()
        assert server.end() == 0
        assert not Path(folder[1]).exists()


@pytest.mark.parametrize(
    ("words", "text"),
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
def test_what_cannot_be_served_is_reported(tmp_path: Path, words: list[str], text: str) -> None:
    zim(tmp_path, "new", "kilwa-7")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        command = [sys.executable, "-m", "zimcli", "serve", *(word.replace("{taken}", port) for word in words)]
        process = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE)
    assert process.returncode == 2
    assert text in process.stderr
    assert "Traceback" not in process.stderr


def test_nothing_else_imports_what_serves(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from zimcli.main import cli\n"
        "for words in (['--help'], ['games'], ['show', 'kilwa-7'], ['serve', '--help']):\n"
        "    try: cli.main(words, prog_name='zim')\n"
        "    except SystemExit: pass\n"
        "slow = ('litestar', 'uvicorn', 'prometheus_client', 'zimcore.server')\n"
        "print(*(name for name in slow if name in sys.modules), file=sys.stderr, end='')"
    )
    zim(tmp_path, "new", "kilwa-7")
    process = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert process.stderr == ""
