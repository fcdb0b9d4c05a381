"""The tutorial: without a terminal to its end; at a terminal step by step, with questions and undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.cli.conftest import Zim
from tests.cli.screen import Terminal
from zimcli.main import cli
from zimcore.games.registry import GAMES
from zimcore.service import open_service


@pytest.mark.parametrize("game", GAMES)
def test_every_step_of_every_tutorial_can_be_played(game: str, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.db"
    played = CliRunner().invoke(cli, ["--store", store, "tutorial", game])
    assert (played.exit_code, played.stderr) == (0, "")
    script = open_service(store).position(f"tutorial-{game}").game.texts.tutorial()
    for line in script.splitlines():
        assert line.removeprefix("#").strip() in played.stdout or line.startswith("new ")
    assert open_service(store).verify(f"tutorial-{game}").fault is None


def test_a_tutorial_that_was_left_is_taken_up_and_one_that_is_over_says_so(zim: Zim) -> None:
    full_result = zim("tutorial").stdout
    assert "\nYou are Kilwa, and there is a herd.\n" in full_result
    assert full_result.endswith("\nThat is all.\n")
    again = zim("tutorial").stdout
    assert again.startswith("\nHere we are again, after move 3.\n")
    assert again.endswith("\nThat is all.\n")
    zim("undo", "tutorial-herd", "2")
    assert "How do you stand?" in zim("tutorial").stdout
    zim("do", "tutorial-herd", "take 1")
    over = zim("tutorial")
    assert (over.exit_code, over.stderr.splitlines()[0]) == (2, "error: this tutorial is over")
    anew = zim("tutorial", "--again").stdout
    assert "herd-1 main @0" in anew
    assert anew.endswith("\nThat is all.\n")


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'games.db'}"


def begin_tutorial(store: str, home: Path) -> Terminal:
    return Terminal(home, "-m", "tests.cli.terminal", store, "tutorial", "--lines", lines=50)


def moves(store: str) -> int:
    from tests.cli.conftest import GAMES as HERD
    from zimcore.service import EventStore, GameService

    service = GameService(EventStore.open(store), games=HERD)
    with service.store:
        return service.position("tutorial-herd").commit.number


def test_one_types_what_is_named_looks_around_and_leaves(store: str, tmp_path: Path) -> None:
    terminal = begin_tutorial(store, tmp_path)
    terminal.see("just press Enter to have it typed for you")
    terminal.see("Take some of it.")
    terminal.see("type: take 2")
    terminal.see("Kilwa to act >")
    terminal.type("legal\r")
    terminal.see("take 3")
    terminal.type("take 9\r")
    terminal.see("not legal")
    terminal.see("R-HER-01")
    terminal.type("take 1\r")
    terminal.see("legal: ")
    terminal.type("undo\r")
    terminal.see("undo comes later; now type: take 2")
    terminal.type("\x03")  # not at a prompt yet: it is no reason to leave
    terminal.wait(lambda text: text.endswith(" to act >"))
    terminal.type("half a wo\x03")
    assert moves(store) == 0
    terminal.type("t 2\r")
    terminal.see("How do you stand?")
    terminal.see("type: show")
    assert moves(store) == 2, "Zulu's move was played as well"
    terminal.type("\x04")
    terminal.see("to resume: zim tutorial")
    assert terminal.wait_for_end() == 0
    again = begin_tutorial(store, tmp_path)
    again.see("Here we are again, after move 2.")
    again.see("type: show   or press Enter")
    again.type("\r")
    again.see("> show")
    again.see("Standings")
    again.see("type: build a1")
    again.type("\r")
    again.see("That is all.")
    assert again.wait_for_end() == 0
    assert moves(store) == 3
