"""Typing at the table: the board stays, the menu is above the line, answers are below it."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import OpenTable, count_moves
from tests.cli.table.in_process_table import in_process_table
from tests.picture.conftest import demo_options_and_moves
from zimcore.games import zimbabwe
from zimcore.service import open_service


def test_a_turn_is_played_and_the_board_stays(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    text = terminal.wait_for_text("kilwa-7 · main @4 · round 1 · Mutapa to act")
    assert "─ standings" in text
    assert "▸ god none yet" in text
    terminal.type_keys("adore eshu\r")
    text = terminal.wait_for_text("@5")
    assert "✓ god eshu" in text
    terminal.wait_for_text("adore eshu  +4 VR")
    terminal.type_keys("end\r")
    terminal.wait_for_text("sure? end")  # the action of the turn would be wasted; Enter confirms
    terminal.wait_for_text("Enter again does it > end")
    terminal.type_keys("\r")
    text = terminal.wait_for_text("Kilwa to act")
    assert text.splitlines()[1].split()[:3] == ["a", "b", "c"]
    assert count_moves(store) == 6


def test_a_refusal_stands_under_the_line_with_its_reasons(open_table: OpenTable, store: str) -> None:
    terminal = open_table(lines=30, columns=100)
    terminal.type_keys("craft potter f4-f5\r")
    text = terminal.wait_for_text("refused: ")
    assert "R-CRA-" in text.partition("refused: ")[2]
    assert text.splitlines()[1].split()[:3] == ["a", "b", "c"]
    assert count_moves(store) == 4


def test_the_menu_stands_over_the_line_and_its_squares_light_up(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.type_keys("build ")
    text = terminal.wait_until(lambda text: "°" in text)
    menu_row, input_row = text.splitlines()[20:22]
    assert input_row.strip() == "> build"
    lit_squares = [
        (row, column)
        for row, input_row in enumerate(text.splitlines()[2:20], 1)
        for column in range(18)
        if input_row[3 * column + 5] == "°"
    ]
    squares = {f"{'abcdefghijklmnopqr'[column]}{row}" for row, column in lit_squares}
    assert set(menu_row.split()[:5]) <= squares


def test_tab_takes_a_word_and_tries_the_next(open_table: OpenTable) -> None:
    terminal = open_table()
    terminal.type_keys("ado\t")
    terminal.wait_for_text("> adore")
    terminal.type_keys("q\t")
    terminal.wait_for_text("> adore qamata")
    terminal.type_keys("\x03adore \t\t\x1b[Z\r")
    terminal.wait_for_text("@5")


@pytest.mark.parametrize("typed_line", ["log", "show", "rules R-BID", "help raise", "legal", "story", "stats"])
def test_long_answers_are_read_over_the_panes_and_escape_closes_them(open_table: OpenTable, typed_line: str) -> None:
    terminal = open_table()
    terminal.type_keys(f"{typed_line}\r")
    assert f"─ {typed_line} " in terminal.wait_for_text("Escape closes")
    terminal.type_keys("\x1b")
    terminal.wait_for_text("─ standings")


@pytest.mark.parametrize(("lines", "columns"), [(30, 100), (24, 80)])
def test_the_board_stays_in_view_when_programs_answer_a_move(
    open_table: OpenTable, store: str, lines: int, columns: int
) -> None:
    options = {"players": "kilwa,zulu,lozi", "seed": "1"}
    service = open_service(store)
    service.new("zimbabwe", options, name="b", by="anna", bots={"zulu": "quick", "lozi": "quick"})
    service.store.close()
    terminal = open_table("b", lines=lines, columns=columns)
    terminal.type_keys("start i7\r")
    text = terminal.wait_for_text("Kilwa to bid")
    assert "Escape closes" not in text
    assert "─ standings" in text
    text_below = text.partition(" >")[2]
    if lines > 24:
        assert re.search(r"\d (zulu|lozi) (bid|pass)", text), "the log shows the last moves"
        assert "F1 keys" in text_below
    else:
        assert "bid" in text_below.splitlines()[-2], "the last move is shown"
        assert "more: F5" in text_below
    terminal.type_keys("\x1b[15~")
    assert "start i7 · Escape closes" in terminal.wait_for_text("Escape closes")


def test_a_move_that_the_log_shows_whole_is_not_repeated_below_the_line() -> None:
    opening = ["start f4", "start a3", "bid 1", "pass"]
    with in_process_table("zimbabwe", opening) as table:
        table.run_line("build d7")
        text = table.screen_text()
        assert text.count("build d7  +1 VP") == 1
        assert "F1 keys" in text.splitlines()[-1]
    with in_process_table("zimbabwe", opening) as table:
        table.run_line("craft wood_carver d4-d5 price 2")
        log_text, _, text_below = table.screen_text().partition("\n >\n")
        assert "craft wood_carver d4-d5 price 2  +3 …" in log_text
        assert "craft wood_carver d4-d5 price 2  +3 VR, -2 cattle, +1 VP" in text_below
    with in_process_table("zimbabwe", opening, columns=60, lines=24) as table:  # too narrow for a log
        table.run_line("build d7")
        assert "build d7  +1 VP" in table.screen_text().partition("\n >\n")[2]


def test_the_help_of_a_command_is_shown_from_its_beginning() -> None:
    with in_process_table("zimbabwe") as table:
        table.run_line("fork --help")
        assert "Usage: fork" in table.screen_text().splitlines()[2]


def test_quit_and_ctrl_d_leave_the_table(open_table: OpenTable) -> None:
    terminal = open_table()
    terminal.type_keys("quit\r")
    assert terminal.wait_for_end() == 0
    terminal = open_table()
    terminal.type_keys("\x04")
    assert terminal.wait_for_end() == 0


def test_positions_and_lines_are_offered(open_table: OpenTable) -> None:
    terminal = open_table()
    terminal.type_keys("goto @r")
    assert "@r1" in terminal.wait_until(lambda text: "> goto @r" in text and "@r1.mutapa" in text.splitlines()[20])
    terminal.type_keys("\x15switch m")
    terminal.wait_until(lambda text: text.splitlines()[20].split()[:1] == ["main"])


@pytest.mark.parametrize("clearing_keys", ["\x1b", "\x03", "\x7f", "log\x15"])
def test_new_text_replaces_the_line_that_was_asked_about(open_table: OpenTable, store: str, clearing_keys: str) -> None:
    """Zim asks about the same line again when it is typed anew."""
    terminal = open_table()
    for keys in ("", clearing_keys):
        terminal.type_keys(keys)
        terminal.wait_until(lambda text: text.splitlines()[21] == " >")
        terminal.type_keys("end\r")
        terminal.wait_for_text("Enter again does it > end")
        assert count_moves(store) == 4
    terminal.type_keys("b")
    terminal.wait_until(lambda text: text.splitlines()[21] == " > b")
    terminal.type_keys("\x15end\r")
    terminal.wait_for_text("Enter again does it > end")
    terminal.type_keys("\x1b[200~adore eshu\x1b[201~\r")
    terminal.wait_for_text("@5")
    assert count_moves(store) == 5


def test_a_line_typed_twice_is_played(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("end\r")
    terminal.wait_for_text("Enter again does it > end")
    terminal.type_keys("end\r")
    terminal.wait_for_text("Kilwa to act")
    assert count_moves(store) == 5


def test_the_line_that_was_asked_about_can_be_extended(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("end\r")
    terminal.wait_for_text("Enter again does it > end")
    terminal.type_keys("\x1b[H")
    terminal.wait_for_text(" > end")
    terminal.type_keys("adore eshu; \r")
    terminal.wait_for_text("@5")
    assert count_moves(store) == 5


def test_deleting_the_game_closes_the_table(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("delete\r")
    assert terminal.wait_for_end() == 0
    assert "is deleted; its moves stay in the store" in terminal.raw_output.rpartition("\x1b[?1049l")[2]
    terminal = open_table("demo")
    terminal.type_keys("delete kilwa-7 --back\r")
    terminal.wait_for_text("kilwa-7 is listed again")
    assert count_moves(store) == 4


def test_keys_as_a_word_shows_the_keys() -> None:
    with in_process_table("zimbabwe") as table:
        asyncio.run(table.controller.run_lines(["keys"]))
        assert "─ keys" in table.screen_text()
        assert not table.controller.model.answer


def test_the_move_that_ended_the_game_is_shown_again(open_table: OpenTable, store: str) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    service = open_service(store)
    service.new("zimbabwe", options, name="last", by="anna")
    for move in moves[:-1]:
        service.play("last", move, by="anna")
    service.store.close()
    terminal = open_table("last", lines=30, columns=100)
    terminal.type_keys("end\r")
    terminal.wait_for_text("─ game over ─")
    terminal.type_keys("\x1b[15~")
    assert "─ end · Escape closes" in terminal.wait_for_text("Escape closes")


def test_ctrl_z_suspends_and_fg_resumes(tmp_path: Path, store: str) -> None:
    shell = Terminal(tmp_path, "-c", "import os; os.execvp('bash', ['bash', '--norc', '-i'])", PS1="shell> ")
    shell.wait_for_text("shell>")
    shell.type_keys(f"{shlex.quote(sys.executable)} -m zimcli --store {store} play kilwa-7\r")
    shell.wait_for_text("Mutapa to act")
    shell.type_keys("adore es\x1a")
    assert "─ standings" not in shell.wait_for_text("Stopped").partition("Stopped")[2]
    shell.type_keys("fg\r")
    shell.wait_until(lambda text: "> adore es" in text and "─ standings" in text)
    shell.child.close(force=True)


@pytest.mark.parametrize(("lines", "columns"), [(24, 80), (30, 100), (45, 160)])
def test_the_line_stays_on_its_row_whatever_is_offered(open_table: OpenTable, lines: int, columns: int) -> None:
    terminal = open_table(lines=lines, columns=columns)
    terminal.wait_for_text("F1 keys")
    line_rows = set[int]()
    for typed_text in ("b", "build ", "craft potter ", "hire herd 2", "nonsense ", "raise"):
        terminal.type_keys(typed_text)
        screen_text = terminal.wait_for_text(f"> {typed_text.strip()}")
        line_rows.add(
            next(
                index
                for index, line in enumerate(screen_text.splitlines())
                if line.startswith(f" > {typed_text.strip()}")
            )
        )
        terminal.type_keys("\x15")
        terminal.wait_until(lambda screen_text: "\n >" in screen_text and not re.search(r"\n > \S", screen_text))
    assert len(line_rows) == 1


def test_a_line_longer_than_the_screen_is_shown_whole_and_the_board_stays(open_table: OpenTable) -> None:
    terminal = open_table("demo", lines=30, columns=100)
    board_rows = terminal.text.splitlines()[1:19]
    long_line = "; ".join(f"craft potter {column}{number}" for column in "abc" for number in (1, 2, 3))
    terminal.type_keys(long_line)
    text = terminal.wait_until(lambda text: "> craft potter a1; " in text and "c3" in text)
    rows = text.splitlines()
    line_row = next(number for number, row in enumerate(rows) if row.startswith(" > craft"))
    assert (rows[line_row] + rows[line_row + 1]).strip(" >") == long_line
    assert [row[:4] for row in rows[1:19]] == [row[:4] for row in board_rows]


def test_few_words_of_the_menu_have_the_width_of_the_screen_for_their_meanings(open_table: OpenTable) -> None:
    terminal = open_table(lines=30, columns=100)
    terminal.type_keys("undo\r")
    text = terminal.wait_until(lambda text: "\n pass  turn" in text)
    row = next(row for row in text.splitlines() if row.startswith(" pass  "))
    assert "from the plaques" in row
    assert "…" not in row
