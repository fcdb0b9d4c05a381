"""A hint at the table, by a key: the typed text stays, and Ctrl-C stops long thinking."""

from __future__ import annotations

from tests.cli.table.conftest import OpenTable, count_moves

F6 = "\x1b[17~"


def test_a_key_shows_the_best_turn_and_leaves_the_line(open_table: OpenTable, store: str) -> None:
    terminal = open_table(lines=40, columns=120)
    terminal.type("adore es" + F6)
    text = terminal.see("nothing was played")
    assert "chances: kilwa" in text
    assert "> adore es" in text
    assert count_moves(store) == 4


def test_ctrl_c_stops_thinking_and_leaves_the_line(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type("bot deep:nodes=100000000\r")
    terminal.type("adore esh")
    terminal.see("> adore esh")
    terminal.type("\x03")
    terminal.see("stopped: ")
    assert "> adore esh" in terminal.text
    terminal.type("u\r")
    terminal.see("main @5")


def test_the_hint_key_says_that_help_is_off(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type("new k2 players=2 help=no\r")
    terminal.see("k2 · main @0")
    terminal.type(F6)
    terminal.see("help is off in this game")
