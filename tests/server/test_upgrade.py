"""Today's server replaces an older one in the middle of a watched game."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.server.game_server import Client
from tests.server.server_process import Process, run_zim, running_server
from tests.server.test_process import take_first_seat

ROOT = Path(__file__).parents[2]
COMMITS_AGO = 20
"""The age of the old server, in commits."""


@pytest.fixture(scope="module")
def old_code(
    tmp_path_factory: pytest.TempPathFactory,
    find_program: Callable[..., str],
    skip_or_fail: Callable[[str], NoReturn],
) -> Path:
    """The code of some commits ago, run with the libraries of today."""
    command = [find_program("git"), "archive", f"HEAD~{COMMITS_AGO}", "event_store", "zimcore", "zimcli"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if process.returncode:
        skip_or_fail("no history of this repository on this machine")
    folder = tmp_path_factory.mktemp("before")
    # By tar: Python's own unpacking is safe without a warning from 3.11.4 on, and Debian has 3.11.2.
    subprocess.run(["tar", "-x", "-C", folder], input=process.stdout, check=True)
    print_path = [sys.executable, "-c", "import zimcore; print(zimcore.__file__)"]
    path = subprocess.run(print_path, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert Path(path.strip()).is_relative_to(folder), "the imported code is the old one"
    return folder


def messages_until(
    server: Process, token: str, line: str, last_id: str, last_number: int, send_move: Callable[[], object]
) -> list[Any]:
    """What a feed sends after a message, until a move of that number; `send_move` plays it once the feed is open."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/x-ndjson"}
    messages = list[Any]()
    with server.http.stream(
        "GET", f"{line}/feed", headers=headers | ({"Last-Event-ID": last_id} if last_id else {})
    ) as feed:
        assert feed.status_code == 200
        send_move()
        for message in map(json.loads, feed.iter_lines()):
            if message["event"] != "beat":
                messages.append(message)
            if message["event"] == "commit" and message["data"]["position"]["number"] == last_number:
                return messages
    raise AssertionError(messages)


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_a_game_goes_on_after_an_upgrade_of_its_server(
    backend: str, old_code: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """As docs/operating.md upgrades: the old process ends, and the new one begins; players try again meanwhile."""
    store = str(request.getfixturevalue("postgres_store")) if backend == "postgresql" else ""
    live_messages, tokens, last_move = list[Any](), dict[str, str](), dict[str, Any]()

    def play(server: Process, number: int) -> None:
        """The seat to move plays and sends a message; then the feed is read from its last id up to that message."""
        position = Client(server.http, token).get_json(line)["position"]
        player = Client(server.http, tokens[position["actor"]])
        legal_move = player.get_json(f"{line}/legal?most=1")["legal"][0]
        remark = {"text": f"before move {number}"}
        assert player("POST", f"{game}/talk", remark, key=f"s{number}").status_code == 201
        last_move.update(player=player.token, body={"move": legal_move}, key=f"m{number}", head=position["digest"])
        live_messages.extend(
            messages_until(
                server,
                token,
                line,
                live_messages[-1]["id"] if live_messages else "",
                number,
                lambda: send_last_move(server),
            )
        )

    def send_last_move(server: Process) -> Any:
        """Sends the last move again; a retry is played only once."""
        player = Client(server.http, last_move["player"])
        response = player("POST", f"{line}/moves", last_move["body"], key=last_move["key"], head=last_move["head"])
        assert response.status_code == 201, response.text
        return response.json()

    with running_server(tmp_path, name="older", store=store, code_folder=old_code) as old_server:
        assert Path(f"/proc/{old_server.process.pid}/cwd").resolve() == old_code.resolve()
        host, anna, line = take_first_seat(old_server, tmp_path, store)
        game, token = line.removesuffix("/lines/main"), anna.token
        for seat_info in anna.get_json(f"{game}/seats")["seats"]:
            if not seat_info["by"]:
                link = host("POST", f"{game}/tokens", {"role": "seat", "seat": seat_info["seat"]}).json()["token"]
                token_response = Client(old_server.http)(
                    "POST", "/v1/tokens", {"link": link, "by": "ben"}, key="a-key-of-bens-own"
                )
                tokens[seat_info["seat"]] = token_response.json()["token"]
        tokens |= {each["seat"]: token for each in anna.get_json(f"{game}/seats")["seats"] if each["by"] == "anna"}
        for number in range(1, 6):
            play(old_server, number)
        last_response = send_last_move(old_server)
        assert old_server.end() == 0
    with running_server(tmp_path, name="newer", store=store) as new_server:
        assert send_last_move(new_server)["digest"] == last_response["digest"], "its answer may have been lost"
        for number in range(6, 9):
            play(new_server, number)
        assert new_server.end() == 0
    events = [each["event"] for each in live_messages]
    assert events == ["standing", "commit", *["talk", "commit"] * 7], "each once, whichever server sent it"
    move_numbers = [each["data"]["position"]["number"] for each in live_messages if each["event"] == "commit"]
    assert move_numbers == [*range(1, 9)]
    audits = json.loads(run_zim(tmp_path, "--json", "verify", "--all", store=store))["audits"]
    assert {audit["fault"] for audit in audits} == {None}
