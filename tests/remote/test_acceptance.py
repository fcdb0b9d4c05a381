"""A whole game by links, at three tables: two play it, one watches, with talk, takebacks, an order and a private idea.

The players type the moves of two programs: a finished game of fifty commands. It wastes no turn, as a table would ask
about that.
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
from tests.cli.table.conftest import WholeFrameTerminal
from tests.server.server_process import Process, environment, run_zim, running_server
from zimcore.bots.bot_match import play_configured_bots
from zimcore.bots.registry import parse_bot
from zimcore.game import Seat
from zimcore.games.registry import game
from zimcore.service import open_service
from zimcore.service.records.memberships import GameHosted

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
        self.run_command("join", link)
        self.table: Terminal = WholeFrameTerminal(
            self.folder, "-m", "zimcli", "play", "k", lines=30, columns=120, **self.environment()
        )

    def environment(self) -> dict[str, Any]:
        settings = {"ZIM_BY": self.name, "NO_COLOR": "1", "XDG_DATA_HOME": str(self.folder / "data")}
        return {**environment(self.folder, self.server.url), **settings}

    def run_command(self, *words: str) -> str:
        """The output of a command."""
        command = [sys.executable, "-m", "zimcli", *words]
        process = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def type(self, *lines: str) -> None:
        """Types at the table: several lines as they are pasted."""
        self.table.type_keys(f"\x1b[200~{chr(10).join(lines)}\x1b[201~\r")

    def wait_for(self, words: str) -> str:
        """Waits until these words are on the screen of the table."""
        return self.table.wait_for_text(words)

    def wait_for_move(self, number: int) -> None:
        """Waits until the match is at move `number`."""
        self.wait_for(f"k · main @{number} ")


def invite_by_links(server: Process, folder: Path) -> dict[str, str]:
    """The links that the host gives to each role."""
    token = run_zim(folder, "serve", "token", "hanna").strip()
    run_zim(folder, "join", f"{server.url}/join#{token}", store=server.url)
    return {
        role: run_zim(folder, "invite", "k", role, store=server.url).strip() for role in ("kilwa", "zulu", "spectator")
    }


def program_turns() -> list[tuple[Seat, list[str]]]:
    """The turns of a game between two programs: seat and commands of each."""
    zimbabwe = game("zimbabwe")
    match = play_configured_bots(zimbabwe, [parse_bot("quick")] * 2, OPTIONS, SEED)
    moves = [(seat, zimbabwe.notation.format(command)) for seat, command in match.moves]
    return [(seat, [text for _, text in turn_moves]) for seat, turn_moves in groupby(moves, key=lambda move: move[0])]


def test_two_players_play_a_whole_game_by_links_and_a_third_watches(server: Process, tmp_path: Path) -> None:
    seat_links = invite_by_links(server, tmp_path)
    names = {"kilwa": "anna", "zulu": "ben", "spectator": "eve"}
    people = {role: Person(server, tmp_path, name, seat_links[role]) for role, name in names.items()}
    eve, turns, number = people["spectator"], program_turns(), 0
    for person in people.values():
        person.wait_for_move(0)
    (seat, first_moves), (other_seat, second_moves), *later_turns = turns
    mover, opponent = people[seat], people[other_seat]

    mover.type("say good luck")
    for person in (opponent, eve):
        person.wait_for(f"{mover.name} ({seat}): good luck")

    # A private line: other players can't see that it exists.
    mover.type("fork idea")
    mover.wait_for(f"{seat}--idea @0")
    mover.type(*first_moves)
    mover.wait_for(f"{seat}--idea @{len(first_moves)}")
    assert "idea" not in opponent.run_command("lines", "k") + eve.run_command("lines", "k")
    mover.type("switch main")
    mover.wait_for_move(0)

    # A takeback that is declined, and one that is accepted.
    for role, texts in turns[:2]:
        people[role].type(*texts)
        number += len(texts)
        for person in people.values():
            person.wait_for_move(number)
    for request, answer in ((1, "decline"), (2, "accept")):
        mover.type(f"takeback {number}")
        opponent.wait_for(f"{mover.name} asks: accept {request}, decline {request}")
        opponent.type(answer)
        if answer == "decline":
            eve.wait_for(f"declined by {other_seat}")
    for person in people.values():
        person.wait_for_move(0)

    # An order: the second turn is played as soon as the first is.
    opponent.type(f"order {second_moves[0]}")
    opponent.wait_for("orders of")
    number = 0
    mover.type(*first_moves)
    for person in people.values():
        person.wait_for_move(len(first_moves) + 1)
    assert "standing order" in eve.run_command("--json", "log", "k").replace("\\u0020", " ")
    number = len(first_moves) + 1
    for role, texts in [(other_seat, second_moves[1:]), *later_turns]:
        if texts:
            people[role].type(*texts)
            number += len(texts)
            people[role].wait_for_move(number)
            next_person = opponent if role == seat else mover
            next_person.wait_for_move(number)
    for person in people.values():
        assert re.search(r"has won|wins|over", person.table.wait_until(lambda text: f"main @{number} " in text))

    ben = people["zulu"]
    ben.run_command("export", "k/main", "--certificate", str(tmp_path / "k.cert"))
    for person in people.values():
        person.type("quit")
        assert person.table.wait_for_end() == 0
    assert server.end() == 0
    verifier_environment = {**environment(tmp_path / "alone", "memory:"), "NO_COLOR": "1"}
    process = subprocess.run(
        [sys.executable, "-m", "zimcli", "verify", str(tmp_path / "k.cert")],
        env=verifier_environment,
        capture_output=True,
        text=True,
    )
    assert f"{number + 1} commits" in process.stdout, process.stderr
