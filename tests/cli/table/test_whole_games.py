"""A whole game of each kind, played at the table by keys alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import WholeFrameTerminal
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcore.games import africana, zimbabwe
from zimcore.service import open_service

COVERED_PROMPT, SEEN_PROMPT = (
    "a click when nobody else can see the screen >",
    "Space when you have seen what your move did >",
)


def parse_demo(text: str) -> tuple[dict[str, str], list[str]]:
    """The options and the moves of a demonstration, up to its end."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    options_line, *move_lines = [line for line in lines if line]
    moves = []
    for line in move_lines:
        if line.split()[0] in ("undo", "goto", "fork", "compare"):
            break
        if line.split()[0] not in ENTRIES_BY_NAME:
            moves.append(line)
    return dict(word.split("=") for word in options_line.split() if "=" in word), moves


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: str(game.name))
def test_a_whole_game_is_played_to_its_end(game: object, tmp_path: Path) -> None:
    options, moves = parse_demo(game.texts.demo())  # type: ignore[attr-defined]
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new(game.name, options, name="whole", by="anna")  # type: ignore[attr-defined]
    terminal = WholeFrameTerminal(tmp_path, "-m", "zimcli", "--store", store, "play", "whole", columns=100)
    for move_number, move in enumerate(moves, 1):
        screen_text = wait_for_prompt(terminal)
        while COVERED_PROMPT in screen_text or SEEN_PROMPT in screen_text:  # the next player comes to the keyboard
            terminal.type_keys("\r")
            screen_text = wait_for_prompt(
                terminal, absent_words=COVERED_PROMPT if COVERED_PROMPT in screen_text else SEEN_PROMPT
            )
        terminal.type_keys(f"{move}\r")
        # Zim asks before a move wastes something: the line stays, and Enter confirms.
        if f"@{move_number} " not in terminal.wait_until(partial(is_answered, f"@{move_number} ")):
            terminal.type_keys("\r")
            terminal.wait_for_text(f"@{move_number} ")
    head = service.position("whole")
    assert head.outcome.over
    assert head.commit.number == len(moves)
    assert "bug" not in terminal.text
    terminal.child.close(force=True)


def wait_for_prompt(terminal: Terminal, absent_words: str = "\0") -> str:
    """The screen, once the input line is empty and some words are gone from it."""
    return terminal.wait_until(lambda text: is_waiting(text) and absent_words not in text)


def is_answered(place: str, text: str) -> bool:
    """Whether a move was played, or Zim asks about it."""
    return place in text or "sure?" in text


def is_waiting(text: str) -> bool:
    """Whether the input line is empty."""
    return any(line.rstrip().endswith(" >") for line in text.splitlines()[-8:])
