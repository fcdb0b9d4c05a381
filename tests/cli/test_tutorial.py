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
    result = CliRunner().invoke(cli, ["--store", store, "tutorial", game])
    assert (result.exit_code, result.stderr) == (0, "")
    tutorial_text = open_service(store).position(f"tutorial-{game}").game.texts.tutorial()
    for line in tutorial_text.splitlines():
        assert line.removeprefix("#").strip() in result.stdout or line.startswith("new ")
    assert open_service(store).verify(f"tutorial-{game}").fault is None


def test_a_tutorial_that_was_left_is_resumed_and_one_that_is_over_says_so(zim: Zim) -> None:
    output = zim("tutorial").stdout
    assert "\nYou are Kilwa, and there is a herd.\n" in output
    assert output.endswith("\nThat is all.\n")
    resumed_output = zim("tutorial").stdout
    assert resumed_output.startswith("\nHere we are again, after move 3.\n")
    assert resumed_output.endswith("\nThat is all.\n")
    zim("undo", "tutorial-herd", "2")
    assert "How do you stand?" in zim("tutorial").stdout
    zim("do", "tutorial-herd", "take 1")
    refusal = zim("tutorial")
    assert (refusal.exit_code, refusal.stderr.splitlines()[0]) == (2, "error: this tutorial is over")
    new_output = zim("tutorial", "--again").stdout
    assert "herd-1 main @0" in new_output
    assert new_output.endswith("\nThat is all.\n")


def test_a_tutorial_whose_game_was_deleted_says_how_to_begin_again(zim: Zim) -> None:
    zim("tutorial")
    zim("delete", "tutorial-herd")
    hints = zim("tutorial").stderr.partition("try: ")[2].strip().split(" · ")
    assert hints[-1] == "zim tutorial --again"
    assert zim(*hints[-1].split()[1:]).exit_code == 0
    assert zim("new", "tutorial-herd").stderr.strip().endswith("· zim new tutorial-herd-1")


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'games.db'}"


def begin_tutorial(store: str, home: Path) -> Terminal:
    return Terminal(home, "-m", "tests.cli.terminal", store, "tutorial", "--lines", lines=50)


def asks_for_line(text: str) -> bool:
    """Whether the last prompt on a screen is empty. Below it there may already be the bar at the foot."""
    return text.rpartition(" to act >")[2].strip() in ("", "herd 7")


def count_moves(store: str) -> int:
    from tests.cli.conftest import TEST_GAMES
    from zimcore.service import EventStore, GameService

    service = GameService(EventStore.open(store), games=TEST_GAMES)
    with service.store:
        return service.position("tutorial-herd").commit.number


def test_the_player_types_the_named_command_looks_around_and_leaves(store: str, tmp_path: Path) -> None:
    terminal = begin_tutorial(store, tmp_path)
    terminal.wait_for_text("just press Enter to have it typed for you")
    terminal.wait_for_text("Take some of it.")
    terminal.wait_for_text("type: take 2")
    terminal.wait_for_text("Kilwa to act >")
    terminal.type_keys("legal\r")
    terminal.wait_for_text("take 3")
    terminal.type_keys("take 9\r")
    terminal.wait_for_text("not legal")
    terminal.wait_for_text("R-HER-01")
    terminal.type_keys("take 1\r")
    terminal.wait_for_text("legal: ")
    terminal.type_keys("undo\r")
    terminal.wait_for_text("undo comes later; now type: take 2")
    terminal.type_keys("\x03")  # Ctrl-C does not leave, even before the prompt is there
    terminal.wait_until(asks_for_line)
    terminal.type_keys("half a wo\x03")
    assert count_moves(store) == 0
    terminal.type_keys("t 2\r")
    terminal.wait_for_text("How do you stand?")
    terminal.wait_for_text("type: show")
    assert count_moves(store) == 2, "Zulu's move was played as well"
    terminal.wait_for_text("@2 · round 2 · Kilwa to act >")
    terminal.type_keys("\x04")  # at the prompt: between two lines the terminal itself would take it
    terminal.wait_for_text("to resume: zim tutorial")
    assert terminal.wait_for_end() == 0
    next_terminal = begin_tutorial(store, tmp_path)
    next_terminal.wait_for_text("Here we are again, after move 2.")
    next_terminal.wait_for_text("type: show   or press Enter")
    next_terminal.type_keys("\r")
    next_terminal.wait_for_text("> show")
    next_terminal.wait_for_text("Standings")
    next_terminal.wait_for_text("type: build a1")
    next_terminal.type_keys("\r")
    next_terminal.wait_for_text("That is all.")
    assert next_terminal.wait_for_end() == 0
    assert count_moves(store) == 3
