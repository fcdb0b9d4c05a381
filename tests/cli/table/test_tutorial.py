"""The tutorial at the table: a pane for each step, to the end if you only press Enter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import Sit, WholeFrames
from zimcli.lesson import lesson_steps
from zimcore.games.registry import GAMES, game
from zimcore.service import open_service

Begin = Callable[..., Terminal]


@pytest.fixture
def own(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'own.db'}"


@pytest.fixture
def begin(own: str, tmp_path: Path) -> Iterator[Begin]:
    """Begins a tutorial, or goes on with it."""
    terminals: list[Terminal] = []

    def begin_tutorial(*words: str, columns: int = 80, lines: int = 24) -> Terminal:
        terminal = WholeFrames(
            tmp_path, "-m", "zimcli", "--store", own, "tutorial", *words, columns=columns, lines=lines
        )
        terminals.append(terminal)
        terminal.see("─ tutorial ")
        return terminal

    yield begin_tutorial
    for terminal in terminals:
        terminal.child.close(force=True)


def moves(store: str, name: str = "tutorial-zimbabwe") -> int:
    service = open_service(store)
    with service.store:
        return service.position(name).commit.number


def read_on(terminal: Terminal, words: str) -> str:
    """Reads page after page until these words are there. Others' moves are several frames: Enter waits for the last."""
    while words not in terminal.settle():
        terminal.type("\r")
        terminal.wait(lambda text, before=terminal.text: text != before)  # type: ignore[misc]
    return terminal.text


@pytest.mark.parametrize("kind", GAMES)
def test_enter_alone_leads_through_a_first_round(begin: Begin, own: str, kind: str) -> None:
    terminal, steps = begin(kind), [*lesson_steps(game(kind).texts.tutorial())]
    leads_on = any(step.begins_own_game for step in steps)
    read_on(terminal, "type: new" if leads_on else "Escape closes this")
    steps = [step for step in steps if step.is_move and not step.begins]
    assert moves(own, f"tutorial-{kind}") == len(steps)
    assert "bug" not in terminal.text
    if leads_on:  # one key to a game against a program
        terminal.type("\r")
        terminal.see(f"{kind}-1 · main @0")
        return
    terminal.type("\x1b")
    terminal.wait(lambda text: "─ tutorial" not in text)
    terminal.type("undo\r")
    terminal.see(f"@{len(steps) - 1} ")


def test_one_types_what_is_named_and_looks_around(begin: Begin, own: str) -> None:
    terminal = begin()
    read_on(terminal, "type: board")
    terminal.type("undo\r")
    terminal.see("undo comes later; now type: board")
    terminal.type("help hubs\r")
    terminal.see("─ help hubs ")
    terminal.type("\x1bboard\r")
    terminal.see("◇ start area")
    read_on(terminal, "type: start g12")
    terminal.type("start a1\r")
    terminal.see("R-SET")
    assert moves(own) == 3
    terminal.type("sta g12\r")
    terminal.see("@4 ")
    assert moves(own) == 4


def test_it_is_left_and_taken_up_again(begin: Begin, own: str) -> None:
    terminal = begin()
    read_on(terminal, "type: start g12")
    terminal.type("\r")
    terminal.see("@4 ")
    terminal.type("\x04")
    assert terminal.wait_for_end() == 0
    assert "to resume: zim tutorial" in terminal.raw
    terminal = begin()
    assert "Here we are again," in terminal.text
    read_on(terminal, "type: preview")
    assert moves(own) == 4


def test_the_tutorial_opens_no_hand_of_the_game_at_the_table(sit: Sit) -> None:
    terminal = sit("k", "--as", "italy", columns=120, lines=40)
    terminal.see("joker, 1 face down")
    terminal.type("tutorial africana\r")
    terminal.see("─ tutorial ")
    assert "face down" not in read_on(terminal, "type: show")
    read_on(terminal, "Escape closes this")
    terminal.type("play k\r")
    text = terminal.see("joker, 1 face down")
    assert "─ tutorial" not in text
