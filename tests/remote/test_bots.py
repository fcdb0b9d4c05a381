"""Programs play on a server from elsewhere: ours by `bot serve`, and any that speaks HTTP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.remote.loopback_server import LoopbackServer, log_lines, loopback_server
from tests.test_docs import PYTHON_FILE, ROOT
from zimcli.session.remote_bot import play_to_end
from zimcore.bots.registry import ConfiguredBot
from zimcore.game import GameError
from zimcore.library import Store
from zimcore.remote.invitations import format_link, invite
from zimcore.service import GameService, Viewer
from zimcore.service.records.memberships import SeatLeft


def bot_link(server: LoopbackServer, seat: str) -> str:
    """A link to a seat that a program is to play."""
    return format_link(server.url, invite(server.host(), "k", "bot", seat, "", None).token)


def is_over(service: GameService) -> bool:
    head = service.head("k")
    return head.game.evolution.outcome(head.state).over


def start_bot(server: LoopbackServer, seat: str, **options: Any) -> tuple[threading.Thread, list[BaseException]]:
    """Starts a bot of ours at a seat, in a thread; returns the thread and its errors."""
    name, errors = f"{seat}-bot", list[BaseException]()
    credential = server.redeem_link(name, bot_link(server, seat))
    service = server.person(name)

    def play_bot() -> None:
        try:
            for _ in play_to_end(service, credential, ConfiguredBot("random"), lambda _: None, **options):
                pass
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=play_bot, daemon=True)
    thread.start()
    return thread, errors


def test_two_programs_play_a_game_to_its_end(nim_server: LoopbackServer) -> None:
    bots = [start_bot(nim_server, seat) for seat in ("ann", "ben")]
    for thread, errors in bots:
        thread.join(60)
        assert not thread.is_alive()
        assert errors == []
    assert is_over(nim_server.service)
    assert {commit.by for commit in nim_server.service.log("k")[1:]} == {"ann-bot", "ben-bot"}
    assert nim_server.service.verify("k")


def test_a_program_goes_on_when_the_server_is_back(nim_server: LoopbackServer) -> None:
    pause_begun, server_is_back = threading.Event(), threading.Event()

    def pause(_: float) -> None:
        pause_begun.set()
        assert server_is_back.wait(60)

    thread, errors = start_bot(nim_server, "ben", sleep=pause)
    ann = nim_server.sit("ann")
    nim_server.stop()
    assert pause_begun.wait(60), "the bot waits after the connection broke"
    nim_server.start()
    server_is_back.set()
    ann.play_or_raise("k", "take 3", by="ann-player")
    other_thread, _ = start_bot_with_token(nim_server, "ann", ann)
    for bot_thread in (thread, other_thread):
        bot_thread.join(60)
        assert not bot_thread.is_alive()
    assert errors == []
    assert is_over(nim_server.service)
    numbers = [text.split()[0] for text in log_lines(nim_server.service)]
    assert len(numbers) == len({*numbers})


def start_bot_with_token(server: LoopbackServer, seat: str, service: Any) -> tuple[threading.Thread, list[str]]:
    """Starts a bot with a token that its service has already; returns the thread and what it played."""
    credential = next(credential for credential in service.credentials() if credential.seat == seat)
    played_texts = list[str]()

    def play_bot() -> None:
        for position in play_to_end(service, credential, ConfiguredBot("random"), played_texts.append):
            played_texts.append(position.commit.text)

    thread = threading.Thread(target=play_bot, daemon=True)
    thread.start()
    return thread, played_texts


def test_a_program_that_loses_its_seat_is_notified(nim_server: LoopbackServer) -> None:
    thread, errors = start_bot(nim_server, "ben")
    while not nim_server.service.members("k").token_ids.get("ben"):
        time.sleep(0.01)
    nim_server.service.change_members("k", lambda _: [SeatLeft("ben")], "leave", "ben", by="hanna")
    thread.join(60)
    assert not thread.is_alive()
    assert isinstance(errors[0], GameError)


@pytest.fixture
def zimbabwe_server(tmp_path: Path) -> Iterator[LoopbackServer]:
    with loopback_server(tmp_path) as server:
        server.begin_game("zimbabwe", {"seed": "7", "players": "2", "max_rounds": "2"})
        yield server


def test_a_bot_asked_twice_with_an_id_plays_once(nim_server: LoopbackServer) -> None:
    store = Store(nim_server.sit("ann"), Viewer("ann"), "ann-player")
    first, *_ = store.bot("k", "random", id="try it")
    nim_server.sit("ben").play_or_raise("k", "take 1", by="ben-player")
    again, *_ = store.bot("k", "random", id="try it")
    assert again.commit == first.commit
    assert [*log_lines(nim_server.service)][1:] == [f"1 {first.commit.text}", "2 take 1"]


def test_a_program_in_any_language_plays_over_http_against_our_bot(
    zimbabwe_server: LoopbackServer, tmp_path: Path
) -> None:
    files_by_name = dict(PYTHON_FILE.findall((ROOT / "docs" / "bots.md").read_text("utf-8")))
    (tmp_path / "elsewhere.py").write_text(files_by_name["elsewhere.py"], "utf-8")
    seats = zimbabwe_server.service.position("k@start").seats
    our_link, other_link = (bot_link(zimbabwe_server, seat) for seat in seats)
    folders = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CACHE", "CONFIG", "STATE")}
    environment = {**os.environ, **folders, "ZIM_BY": "ours", "ZIM_STORE": zimbabwe_server.url}
    serve_command = [sys.executable, "-m", "zimcli", "bot", "serve"]
    script_command = [
        sys.executable,
        "-I",
        str(tmp_path / "elsewhere.py"),
        zimbabwe_server.url,
        re.sub(".*#", "", other_link),
    ]
    processes = [
        subprocess.Popen([*serve_command, our_link, "random"], env=environment),
        subprocess.Popen(script_command),
    ]
    assert [each.wait(120) for each in processes] == [0, 0]
    assert is_over(zimbabwe_server.service)
    resumed_process = subprocess.run(
        [*serve_command, "k", "random", "--json"], env=environment, capture_output=True, check=True
    )
    assert json.loads(resumed_process.stdout)["position"]["over"], "the name of a game resumes a seat"
    for words, message in ((["k", "clever"], "no such level"), (["x", "random"], "you have no seat in x")):
        refused_process = subprocess.run(
            [*serve_command, *words], env=environment, capture_output=True, text=True, check=False
        )
        assert (refused_process.returncode, message in refused_process.stderr) == (2, True), refused_process.stderr
    assert zimbabwe_server.service.verify("k")
