"""Today's server replaces an older one in the middle of a watched game."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.server.game_server import Client
from tests.server.process import Process, serving, zim
from tests.server.test_process import sat_down

ROOT = Path(__file__).parents[2]
BEFORE = 20
"""The server of so many commits ago is the one before."""


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], NoReturn]) -> Path:
    """The code of some commits ago, run with the libraries of today."""
    command = ["git", "archive", f"HEAD~{BEFORE}", "event_store", "zimcore", "zimcli"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if process.returncode:
        missing("no history of this repository on this machine")
    folder = tmp_path_factory.mktemp("before")
    with tarfile.open(fileobj=io.BytesIO(process.stdout)) as files:
        files.extractall(folder, filter="data")
    where = [sys.executable, "-c", "import zimcore; print(zimcore.__file__)"]
    path = subprocess.run(where, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert Path(path.strip()).is_relative_to(folder), "else it would be the code of today"
    return folder


def messages_until(
    server: Process, token: str, line: str, last: str, until: int, act: Callable[[], object]
) -> list[Any]:
    """What a feed sends after a message, until a move of that number; `act` plays it once the feed is open."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/x-ndjson"}
    results = list[Any]()
    with server.http.stream("GET", f"{line}/feed", headers=headers | ({"Last-Event-ID": last} if last else {})) as feed:
        assert feed.status_code == 200
        act()
        for message in map(json.loads, feed.iter_lines()):
            if message["event"] != "beat":
                results.append(message)
            if message["event"] == "commit" and message["data"]["position"]["number"] == until:
                return results
    raise AssertionError(results)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_game_goes_on_at_a_server_of_today(
    kind: str, before: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """As docs/operating.md upgrades: the old process ends, and the new one begins; players try again meanwhile."""
    store = str(request.getfixturevalue("postgres_store")) if kind == "postgresql" else ""
    live, tokens, last = list[Any](), dict[str, str](), dict[str, Any]()

    def play(server: Process, number: int) -> None:
        """The seat to move plays and sends a message; then the feed is read from its last id up to that message."""
        position = Client(server.http, token).ok(line)["position"]
        player = Client(server.http, tokens[position["actor"]])
        legal = player.ok(f"{line}/legal?most=1")["legal"][0]
        remark = {"text": f"before move {number}"}
        assert player("POST", f"{game}/talk", remark, key=f"s{number}").status_code == 201
        last.update(player=player.token, body={"move": legal}, key=f"m{number}", head=position["digest"])
        live.extend(messages_until(server, token, line, live[-1]["id"] if live else "", number, lambda: again(server)))

    def again(server: Process) -> Any:
        """The last move, which is played only once."""
        player = Client(server.http, last["player"])
        answer = player("POST", f"{line}/moves", last["body"], key=last["key"], head=last["head"])
        assert answer.status_code == 201, answer.text
        return answer.json()

    with serving(tmp_path, name="older", store=store, code=before) as older:
        assert Path(f"/proc/{older.process.pid}/cwd").resolve() == before.resolve()
        host, anna, line = sat_down(older, tmp_path, store)
        game, token = line.removesuffix("/lines/main"), anna.token
        for each in anna.ok(f"{game}/seats")["seats"]:
            if not each["by"]:
                link = host("POST", f"{game}/tokens", {"role": "seat", "seat": each["seat"]}).json()["token"]
                sitting = Client(older.http)("POST", "/v1/tokens", {"link": link, "by": "ben"}, key="a-key-of-bens-own")
                tokens[each["seat"]] = sitting.json()["token"]
        tokens |= {each["seat"]: token for each in anna.ok(f"{game}/seats")["seats"] if each["by"] == "anna"}
        for number in range(1, 6):
            play(older, number)
        answered = again(older)
        assert older.end() == 0
    with serving(tmp_path, name="newer", store=store) as newer:
        assert again(newer)["digest"] == answered["digest"], "its answer may have been lost"
        for number in range(6, 9):
            play(newer, number)
        assert newer.end() == 0
    events = [each["event"] for each in live]
    assert events == ["standing", "commit", *["talk", "commit"] * 7], "each once, whichever server sent it"
    moves = [each["data"]["position"]["number"] for each in live if each["event"] == "commit"]
    assert moves == [*range(1, 9)]
    audits = json.loads(zim(tmp_path, "--json", "verify", "--all", store=store))["audits"]
    assert {audit["fault"] for audit in audits} == {None}
