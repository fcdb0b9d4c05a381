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

from tests.remote.loopback_server import LoopbackServer, loopback_server, texts
from tests.test_docs import FILE, ROOT
from zimcli.remote_bot import play_to_end
from zimcore.bots.registry import ConfiguredBot
from zimcore.game import GameError
from zimcore.remote.invitations import invite, link_of
from zimcore.service import GameService
from zimcore.service.memberships import SeatLeft


def bot_link(here: LoopbackServer, seat: str) -> str:
    """A link to a seat that a program is to play."""
    return link_of(here.url, invite(here.host(), "k", "bot", seat, "", None).token)


def over(service: GameService) -> bool:
    head = service.head("k")
    return head.game.evolution.outcome(head.state).over


def playing(here: LoopbackServer, seat: str, **options: Any) -> tuple[threading.Thread, list[BaseException]]:
    """A program of ours that plays a seat, in a thread."""
    name, failed = f"{seat}-bot", list[BaseException]()
    mine = here.redeem_link(name, bot_link(here, seat))
    service = here.person(name)

    def run() -> None:
        try:
            for _ in play_to_end(service, mine, ConfiguredBot("random"), lambda _: None, **options):
                pass
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, failed


def test_two_programs_play_a_game_to_its_end(nim: LoopbackServer) -> None:
    both = [playing(nim, seat) for seat in ("ann", "ben")]
    for thread, failed in both:
        thread.join(60)
        assert not thread.is_alive()
        assert failed == []
    assert over(nim.service)
    assert {commit.by for commit in nim.service.log("k")[1:]} == {"ann-bot", "ben-bot"}
    assert nim.service.verify("k")


def test_a_program_goes_on_when_the_server_is_there_again(nim: LoopbackServer) -> None:
    waited, back = threading.Event(), threading.Event()

    def pause(_: float) -> None:
        waited.set()
        assert back.wait(60)

    thread, failed = playing(nim, "ben", pause=pause)
    ann = nim.sit("ann")
    nim.stop()
    assert waited.wait(60), "the connection broke, and it waits"
    nim.start()
    back.set()
    ann.play_or_raise("k", "take 3", by="ann-player")
    other, _ = playing_on(nim, "ann", ann)
    for each in (thread, other):
        each.join(60)
        assert not each.is_alive()
    assert failed == []
    assert over(nim.service)
    numbers = [text.split()[0] for text in texts(nim.service)]
    assert len(numbers) == len({*numbers})


def playing_on(here: LoopbackServer, seat: str, service: Any) -> tuple[threading.Thread, list[str]]:
    """A bot plays on with a token that it has already."""
    mine = next(each for each in service.credentials() if each.seat == seat)
    results = list[str]()

    def run() -> None:
        for each in play_to_end(service, mine, ConfiguredBot("random"), results.append):
            results.append(each.commit.text)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def test_a_program_that_loses_its_seat_is_notified(nim: LoopbackServer) -> None:
    thread, failed = playing(nim, "ben")
    while not nim.service.members("k").seated.get("ben"):
        time.sleep(0.01)
    nim.service.enrol("k", lambda _: [SeatLeft("ben")], "leave", "ben", by="hanna")
    thread.join(60)
    assert not thread.is_alive()
    assert isinstance(failed[0], GameError)


@pytest.fixture
def zimbabwe(tmp_path: Path) -> Iterator[LoopbackServer]:
    with loopback_server(tmp_path) as server:
        server.begin("zimbabwe", {"seed": "7", "players": "2", "max_rounds": "2"})
        yield server


def test_any_language_plays_over_http_against_one_of_ours(zimbabwe: LoopbackServer, tmp_path: Path) -> None:
    pages = dict(FILE.findall((ROOT / "docs" / "bots.md").read_text("utf-8")))
    (tmp_path / "elsewhere.py").write_text(pages["elsewhere.py"], "utf-8")
    seats = zimbabwe.service.position("k@start").seats
    ours, other = (bot_link(zimbabwe, seat) for seat in seats)
    folders = {f"XDG_{what}_HOME": str(tmp_path / what) for what in ("DATA", "CACHE", "CONFIG", "STATE")}
    environment = {**os.environ, **folders, "ZIM_BY": "ours", "ZIM_STORE": zimbabwe.url}
    serve = [sys.executable, "-m", "zimcli", "bot", "serve"]
    script = [sys.executable, "-I", str(tmp_path / "elsewhere.py"), zimbabwe.url, re.sub(".*#", "", other)]
    both = [subprocess.Popen([*serve, ours, "random"], env=environment), subprocess.Popen(script)]
    assert [each.wait(120) for each in both] == [0, 0]
    assert over(zimbabwe.service)
    again = subprocess.run([*serve, "k", "random", "--json"], env=environment, capture_output=True, check=True)
    assert json.loads(again.stdout)["position"]["over"], "by its name one goes on with a seat that one has"
    for words, what in ((["k", "clever"], "no such level"), (["x", "random"], "you have no seat in x")):
        failed = subprocess.run([*serve, *words], env=environment, capture_output=True, text=True, check=False)
        assert (failed.returncode, what in failed.stderr) == (2, True), failed.stderr
    assert zimbabwe.service.verify("k")
