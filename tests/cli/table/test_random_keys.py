"""Random keys: no key, click, paste or resize breaks the table or leaves half a write."""

from __future__ import annotations

from random import Random

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import OpenTable
from zimcore.service import open_service

GAME_KEYS = (
    "adore eshu\r",
    "end\r",
    "build ",
    "craft potter ",
    "bid 1\r",
    "pass\r",
    "undo\r",
    "redo\r",
    "log\r",
    "board --owner\r",
)
LINE_KEYS = (
    "try end\r",
    "@2\r",
    "@r1\r",
    "legal\r",
    "help\r",
    "frob\r",
    "'\r",
    "config\r",
    "lines\r",
    "draw\r",
    "move cairo ",
    "\r",
)
EDITING_KEYS = (
    "\t",
    "\x1b[Z",
    "\x1b",
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[5~",
    "\x1b[6~",
    "\x03",
    "\x12",
    "\x15",
    "\x17",
    "\x7f",
)
OTHER_KEYS = (
    "\x1bOP",
    "\x1bOQ",
    "\x1bOR",
    "\x1bOS",
    "\x1b[15~",
    "?",
    "o",
    " ",
    "a",
    "r",
    ";",
    "\x00",
    "é",
    "象",
    "\x1bx",
    "\x07",
)
PAUSE_BEFORE_KEY = 0.05
"""Seconds before each key: without a pause, Ctrl-C may interrupt a line that asks in the terminal itself."""
PASTES = ("\x1b[200~build a1\nend\x1b[201~", "\x1b[200~\x1b[201~")


def random_key(rng: Random) -> str:
    """A random key; some are likelier than others."""
    if rng.random() < 0.15:
        column, row, button = rng.randint(1, 130), rng.randint(1, 45), rng.choice((0, 2, 64, 65))
        return f"\x1b[<{button};{column};{row}M" + (f"\x1b[<{button};{column};{row}m" if button < 64 else "")
    return rng.choice(rng.choice((GAME_KEYS, LINE_KEYS, EDITING_KEYS, EDITING_KEYS, OTHER_KEYS, PASTES)))


@pytest.mark.parametrize(("game", "seed"), [("kilwa-7", 1), ("kilwa-7", 2), ("k", 3), ("demo", 4)])
def test_random_keys_break_nothing(open_table: OpenTable, store: str, game: str, seed: int) -> None:
    rng = Random(seed)
    terminal = open_table(game, lines=30, columns=100)
    terminal.child.delaybeforesend = PAUSE_BEFORE_KEY
    for _ in range(120):
        terminal.type_keys(random_key(rng))
        if rng.random() < 0.06:
            terminal.resize(rng.choice((2, 10, 24, 40)), rng.choice((3, 40, 80, 130)))
        if rng.random() < 0.3:
            terminal.read_output()
            check_screen(terminal)
    terminal.resize(30, 100)
    terminal.type_keys("\x1b[201~\x03\x03")
    terminal.wait_for_silence()
    check_screen(terminal)
    terminal.type_keys("\x03\x03\x04")
    assert terminal.wait_for_end() == 0
    service = open_service(store)
    for line in service.lines(game):
        assert service.verify(f"{game}/{line.name}").fault is None


def check_screen(terminal: Terminal) -> None:
    """Checks that the screen shows no traceback and no bug."""
    assert "Traceback" not in terminal.raw_output
    assert "this is a bug" not in terminal.raw_output
