"""A whole game of each kind, played at the table by keys alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import WholeFrames
from zimcli.registry import BY_NAME
from zimcore.games import africana, zimbabwe
from zimcore.service import open_service

COVERED, SEEN = "a click when nobody else can see the screen >", "Space when you have seen it >"


def script(text: str) -> tuple[dict[str, str], list[str]]:
    """The options and the moves of a demonstration, up to its end."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    begun, *rest = [line for line in lines if line]
    moves = []
    for line in rest:
        if line.split()[0] in ("undo", "goto", "fork", "compare"):
            break
        if line.split()[0] not in BY_NAME:
            moves.append(line)
    return dict(word.split("=") for word in begun.split() if "=" in word), moves


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: str(game.name))
def test_it_is_played_to_its_end(game: object, tmp_path: Path) -> None:
    options, moves = script(game.texts.demo())  # type: ignore[attr-defined]
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new(game.name, options, name="whole", by="anna")  # type: ignore[attr-defined]
    terminal = WholeFrames(tmp_path, "-m", "zimcli", "--store", store, "play", "whole", columns=100)
    for number, move in enumerate(moves, 1):
        sat = sits(terminal)
        while COVERED in sat or SEEN in sat:  # the next player comes to the keyboard
            terminal.type("\r")
            sat = sits(terminal, without=COVERED if COVERED in sat else SEEN)
        terminal.type(f"{move}\r")
        # What throws something away is asked about: the line stays, and Enter says that it is meant.
        if f"@{number} " not in terminal.wait(partial(is_answered, f"@{number} ")):
            terminal.type("\r")
            terminal.see(f"@{number} ")
    head = service.position("whole")
    assert head.outcome.over
    assert head.commit.number == len(moves)
    assert "bug" not in terminal.text
    terminal.child.close(force=True)


def sits(terminal: Terminal, without: str = "\0") -> str:
    """The screen as soon as the input line is empty and waits."""
    return terminal.wait(lambda text: is_waiting(text) and without not in text)


def is_answered(place: str, text: str) -> bool:
    """Whether a move was played, or is asked about."""
    return place in text or "sure?" in text


def is_waiting(text: str) -> bool:
    """Whether the line has nothing on it."""
    return any(line.rstrip().endswith(" >") for line in text.splitlines()[-8:])
