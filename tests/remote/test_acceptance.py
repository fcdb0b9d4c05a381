"""A whole game by links, at three tables: two play it, one watches, with talk, takebacks, an order and a private idea.

What two programs would play is typed here, so that it is a game of fifty commands with an end. They waste no turn:
a table would ask about that.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import WholeFrames
from tests.server.process import Process, environment, run_zim, running_server
from zimcore.bots.bot_match import play
from zimcore.bots.registry import parse_bot
from zimcore.game import Seat
from zimcore.games.registry import game
from zimcore.service import open_service
from zimcore.service.memberships import GameHosted

SEED, OPTIONS = 189, {"players": "kilwa,zulu"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    """A server with a game that hanna began on its machine, since only there a seed can be chosen."""
    with running_server(tmp_path) as process:
        service = open_service(f"sqlite:///{tmp_path}/games.db")
        options = {**OPTIONS, "seed": str(SEED)}
        service.new("zimbabwe", options, name="k", by="hanna", served=[GameHosted("hanna")])
        service.store.close()
        yield process


class Person:
    """A player at a table, with files of their own."""

    def __init__(self, server: Process, folder: Path, name: str, link: str) -> None:
        self.server, self.name, self.folder = server, name, folder / name
        self.folder.mkdir()
        self.says("join", link)
        self.table: Terminal = WholeFrames(
            self.folder, "-m", "zimcli", "play", "k", lines=30, columns=120, **self.environment()
        )

    def environment(self) -> dict[str, Any]:
        more = {"ZIM_BY": self.name, "NO_COLOR": "1", "XDG_DATA_HOME": str(self.folder / "data")}
        return {**environment(self.folder, self.server.url), **more}

    def says(self, *words: str) -> str:
        """The output of a command."""
        command = [sys.executable, "-m", "zimcli", *words]
        process = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def type(self, *lines: str) -> None:
        """Types at the table: several lines as they are pasted."""
        self.table.type(f"\x1b[200~{chr(10).join(lines)}\x1b[201~\r")

    def sees(self, words: str) -> str:
        """Waits until words are at the table."""
        return self.table.see(words)

    def is_at(self, number: int) -> None:
        """Waits until so many moves were played on the match."""
        self.sees(f"k · main @{number} ")


def links(server: Process, folder: Path) -> dict[str, str]:
    """What the host gives away."""
    token = run_zim(folder, "serve", "token", "hanna").strip()
    run_zim(folder, "join", f"{server.url}/join#{token}", store=server.url)
    return {
        who: run_zim(folder, "invite", "k", who, store=server.url).strip() for who in ("kilwa", "zulu", "spectator")
    }


def turns() -> list[tuple[Seat, list[str]]]:
    """What two programs play: the commands of each turn."""
    zimbabwe = game("zimbabwe")
    match = play(zimbabwe, [parse_bot("quick")] * 2, OPTIONS, SEED)
    every = [(seat, zimbabwe.notation.format(command)) for seat, command in match.played]
    return [(seat, [text for _, text in texts]) for seat, texts in groupby(every, key=lambda each: each[0])]


def test_two_play_a_whole_game_by_links_and_a_third_watches(server: Process, tmp_path: Path) -> None:
    seat_links = links(server, tmp_path)
    people = {"kilwa": "anna", "zulu": "ben", "spectator": "eve"}
    at = {who: Person(server, tmp_path, name, seat_links[who]) for who, name in people.items()}
    eve, plan, number = at["spectator"], turns(), 0
    for each in at.values():
        each.is_at(0)
    (seat, first), (other_seat, second), *rest = plan
    mover, other = at[seat], at[other_seat]

    mover.type("say good luck")
    for each in (other, eve):
        each.sees(f"{mover.name} ({seat}): good luck")

    # A private line: other players can't see that it exists.
    mover.type("fork idea")
    mover.sees(f"{seat}--idea @0")
    mover.type(*first)
    mover.sees(f"{seat}--idea @{len(first)}")
    assert "idea" not in other.says("lines", "k") + eve.says("lines", "k")
    mover.type("switch main")
    mover.is_at(0)

    # A takeback that is declined, and one that is accepted.
    for who, texts in plan[:2]:
        at[who].type(*texts)
        number += len(texts)
        for each in at.values():
            each.is_at(number)
    for request, answer in ((1, "decline"), (2, "accept")):
        mover.type(f"takeback {number}")
        other.sees(f"{mover.name} asks: accept {request}, decline {request}")
        other.type(answer)
        if answer == "decline":
            eve.sees(f"declined by {other_seat}")
    for each in at.values():
        each.is_at(0)

    # An order: the second turn is played as soon as the first is.
    other.type(f"order {second[0]}")
    other.sees("orders of")
    number = 0
    mover.type(*first)
    for each in at.values():
        each.is_at(len(first) + 1)
    assert "standing order" in eve.says("--json", "log", "k").replace("\\u0020", " ")
    number = len(first) + 1
    for who, texts in [(other_seat, second[1:]), *rest]:
        if texts:
            at[who].type(*texts)
            number += len(texts)
            at[who].is_at(number)
            following = other if who == seat else mover
            following.is_at(number)
    for each in at.values():
        assert re.search(r"has won|wins|over", each.table.wait(lambda text: f"main @{number} " in text))

    ben = at["zulu"]
    ben.says("export", "k/main", "--certificate", str(tmp_path / "k.cert"))
    for each in at.values():
        each.type("quit")
        assert each.table.wait_for_end() == 0
    assert server.end() == 0
    alone = {**environment(tmp_path / "alone", "memory:"), "NO_COLOR": "1"}
    process = subprocess.run(
        [sys.executable, "-m", "zimcli", "verify", str(tmp_path / "k.cert")], env=alone, capture_output=True, text=True
    )
    assert f"{number + 1} commits" in process.stdout, process.stderr
