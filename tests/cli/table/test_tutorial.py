"""The tutorial at the table: a pane for each step, to the end if you only press Enter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import OpenTable, WholeFrameTerminal, count_moves
from zimcli.session.lesson import lesson_steps
from zimcore.games.registry import GAMES, game

StartTutorial = Callable[..., Terminal]


@pytest.fixture
def own_store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'own.db'}"


@pytest.fixture
def start_tutorial(own_store: str, tmp_path: Path) -> Iterator[StartTutorial]:
    """A function that begins a tutorial, or resumes it."""
    terminals: list[Terminal] = []

    def begin_tutorial(*words: str, columns: int = 80, lines: int = 24) -> Terminal:
        terminal = WholeFrameTerminal(
            tmp_path, "-m", "zimcli", "--store", own_store, "tutorial", *words, columns=columns, lines=lines
        )
        terminals.append(terminal)
        terminal.wait_for_text("─ tutorial ")
        return terminal

    yield begin_tutorial
    for terminal in terminals:
        terminal.child.close(force=True)


def press_enter_until(terminal: Terminal, words: str) -> str:
    """Presses Enter until these words appear. Moves of others take several frames: waits for the last before Enter."""
    while words not in terminal.wait_for_silence():
        terminal.type_keys("\r")
        terminal.wait_until(lambda text, text_before=terminal.text: text != text_before)  # type: ignore[misc]
    return terminal.text


@pytest.mark.parametrize("kind", GAMES)
def test_enter_alone_leads_through_a_first_round(start_tutorial: StartTutorial, own_store: str, kind: str) -> None:
    terminal, steps = start_tutorial(kind), [*lesson_steps(game(kind).texts.tutorial())]
    begins_own_game = any(step.begins_own_game for step in steps)
    press_enter_until(terminal, "type: new" if begins_own_game else "Escape closes this")
    steps = [step for step in steps if step.is_move and not step.begins_tutorial]
    assert count_moves(own_store, f"tutorial-{kind}") == len(steps)
    assert "bug" not in terminal.text
    if begins_own_game:  # one key to a game against a program
        terminal.type_keys("\r")
        terminal.wait_for_text(f"{kind}-1 · main @0")
        return
    terminal.type_keys("\x1b")
    terminal.wait_until(lambda text: "─ tutorial" not in text)
    terminal.type_keys("undo\r")
    terminal.wait_for_text(f"@{len(steps) - 1} ")


def test_the_player_types_the_named_command_and_may_look_around(start_tutorial: StartTutorial, own_store: str) -> None:
    terminal = start_tutorial()
    press_enter_until(terminal, "type: board")
    terminal.type_keys("undo\r")
    terminal.wait_for_text("undo comes later; now type: board")
    terminal.type_keys("help hubs\r")
    terminal.wait_for_text("─ help hubs ")
    terminal.type_keys("\x1bboard\r")
    terminal.wait_for_text("◇ start area")
    press_enter_until(terminal, "type: start g12")
    terminal.type_keys("start a1\r")
    terminal.wait_for_text("R-SET")
    assert count_moves(own_store, "tutorial-zimbabwe") == 3
    terminal.type_keys("sta g12\r")
    terminal.wait_for_text("@4 ")
    assert count_moves(own_store, "tutorial-zimbabwe") == 4


def test_a_tutorial_is_left_and_resumed(start_tutorial: StartTutorial, own_store: str) -> None:
    terminal = start_tutorial()
    press_enter_until(terminal, "type: start g12")
    terminal.type_keys("\r")
    terminal.wait_for_text("@4 ")
    terminal.type_keys("\x04")
    assert terminal.wait_for_end() == 0
    assert "to resume: zim tutorial" in terminal.raw_output
    terminal = start_tutorial()
    assert "Here we are again," in terminal.text
    press_enter_until(terminal, "type: hint --preview")
    assert count_moves(own_store, "tutorial-zimbabwe") == 4


@pytest.mark.parametrize("leaving_line", ["play k", "play k; nonsense"])
def test_the_tutorial_opens_no_hand_of_the_game_at_the_table(open_table: OpenTable, leaving_line: str) -> None:
    terminal = open_table("k", "--as", "italy", columns=120, lines=40)
    terminal.wait_for_text("joker, 1 face down")
    terminal.type_keys("tutorial africana\r")
    terminal.wait_for_text("─ tutorial ")
    assert "face down" not in press_enter_until(terminal, "type: show")
    press_enter_until(terminal, "Escape closes this")
    terminal.type_keys(f"{leaving_line}\r")
    text = terminal.wait_for_text("joker, 1 face down")
    assert "─ tutorial" not in text
