"""Picking squares with the arrows and the mouse, and looking back along the log."""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

from tests.cli.table.conftest import OpenTable, count_moves
from tests.cli.table.in_process_table import in_process_table
from zimcli.table.model import Thought

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
F2, F3, PAGE_UP = "\x1bOQ", "\x1bOR", "\x1b[5~"


def screen_position(square: str) -> tuple[int, int]:
    """The column and row of a square of the small board on the screen."""
    return 3 + 3 * (ord(square[0]) - ord("a")), 1 + int(square[1:])


def test_a_click_shows_the_piece_on_a_square_and_its_reach(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.click(*screen_position("f8"))
    text = terminal.wait_for_text("─ f8 ")
    assert "craftsman wood carver" in text
    assert "Resources from f8" in text
    terminal.type_keys("\x1b")
    terminal.wait_until(lambda text: "─ f8 " not in text)


def test_a_click_names_the_square_in_the_line(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.type_keys("build ")
    terminal.wait_until(lambda text: "°" in text)
    terminal.click(*screen_position("l4"))
    terminal.wait_for_text("> build l4")


def test_a_click_after_a_word_is_the_next_word(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.type_keys("build")
    terminal.wait_for_text("> build")
    terminal.click(*screen_position("l4"))
    terminal.wait_for_text("> build l4")


def test_a_click_replaces_a_square_that_was_typed_alone(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.type_keys("l5")
    terminal.wait_for_text("> l5")
    terminal.click(*screen_position("l4"))
    terminal.wait_until(lambda text: bool(re.search(r"> \w+ .*l4", text)))
    assert "l5" not in next(line for line in terminal.text.splitlines() if line.startswith(" > "))


def test_a_question_mark_alone_explains_the_screen_and_goes_with_it(open_table: OpenTable) -> None:
    terminal = open_table("kilwa-7", "--as", "mutapa")
    terminal.type_keys("?")
    terminal.wait_until(lambda text: "> ?" in text and "─ keys · " in text)
    terminal.type_keys("\x1b")
    terminal.wait_until(lambda text: "> ?" not in text and "─ keys" not in text)
    terminal.click(*screen_position("c4"))
    terminal.wait_for_text("─ c4 ")


def test_where_an_answer_fills_the_foot_a_square_is_still_explained(open_table: OpenTable) -> None:
    terminal = open_table()
    terminal.type_keys("craft potter f4-f5\r")
    terminal.wait_for_text("refused: ")
    footer = terminal.wait_for_silence().splitlines()[-1]
    assert footer.strip()
    column, row = screen_position("c4")
    terminal.type_keys(f"\x1b[<35;{column + 1};{row + 1}M")
    terminal.wait_until(lambda text: text.splitlines()[-1].startswith(" c4 "))
    assert "refused: " in terminal.text
    terminal.type_keys("\r")
    terminal.type_keys("craft potter f4-f5\r")
    terminal.wait_until(lambda text: text.splitlines()[-1] == footer)


def test_a_click_on_a_word_of_the_menu_takes_it(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("adore ")
    terminal.wait_for_text("eshu")
    terminal.wait_for_silence()  # until the best words come first
    row = terminal.text.splitlines()[20]
    terminal.click(row.index("eshu"), 20)
    terminal.wait_for_text("> adore eshu")
    terminal.type_keys("\r")
    terminal.wait_for_text("@5")
    assert count_moves(store) == 5


def test_arrows_pick_a_square(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.type_keys("build ")
    terminal.type_keys(F2)
    square = re.findall(r"│─ ([a-r]\d+) ", terminal.wait_until(lambda text: bool(re.search(r"│─ [a-r]\d+ ", text))))[0]
    terminal.type_keys(RIGHT + UP)
    next_square = f"{chr(ord(square[0]) + 1)}{int(square[1:]) - 1}"
    terminal.wait_for_text(f"─ {next_square} ")
    terminal.type_keys("\r")
    terminal.wait_for_text(f"> build {next_square}")


def test_the_reach_of_a_square_is_drawn_over_the_board_and_hides_no_resource(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.click(*screen_position("j9"))
    terminal.wait_for_text("─ j9 ")
    rows_before = [row[3:57] for row in terminal.text.splitlines()[2:20]]
    terminal.type_keys(F2 + "o")
    terminal.wait_until(lambda text: "w0" in text)
    rows_after = [row[3:57] for row in terminal.text.splitlines()[2:20]]
    resource_cells = [
        (row_number, column)
        for row_number, row in enumerate(rows_before)
        for column in range(0, 54, 3)
        if row[column] in "wcid"
    ]
    assert len(resource_cells) > 15
    assert all(
        rows_after[row_number][column] == rows_before[row_number][column] for row_number, column in resource_cells
    )
    terminal.type_keys("\x1b")
    terminal.wait_until(lambda text: "w0" not in text)


def test_the_log_looks_back_and_escape_returns_to_the_head(open_table: OpenTable, store: str) -> None:
    terminal = open_table("demo")
    terminal.type_keys(F3 + UP)
    assert "main @103" in terminal.wait_for_text("looking back from @104").splitlines()[0]
    terminal.type_keys(UP)
    terminal.wait_until(lambda text: "main @102" in text.splitlines()[0])
    terminal.type_keys("\x1b")
    terminal.wait_until(lambda text: "main @104" in text.splitlines()[0])
    terminal.type_keys(PAGE_UP)
    terminal.wait_until(lambda text: "main @103" in text.splitlines()[0])
    terminal.type_keys("@12\r")
    terminal.wait_until(lambda text: "main @12 " in text.splitlines()[0])
    terminal.type_keys("end\r")
    terminal.wait_for_text("back at the head: Enter plays it there")
    assert "> end" in terminal.text
    assert count_moves(store, "demo") == 104


def test_a_click_on_the_log_looks_back_and_the_wheel_goes_on(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    row = next(index for index, line in enumerate(terminal.wait_for_text(" 102 ").splitlines()) if "│ 102 " in line)
    terminal.click(62, row)
    terminal.wait_until(lambda text: "main @102" in text.splitlines()[0])
    terminal.type_keys("\x1b[<64;10;10M")
    terminal.wait_until(lambda text: "main @101" in text.splitlines()[0])


def test_the_board_command_changes_the_board_of_the_table(open_table: OpenTable) -> None:
    terminal = open_table("demo")
    terminal.type_keys("board --owner\r")
    terminal.wait_for_text("owner")
    terminal.type_keys("board @12\r")
    terminal.wait_until(lambda text: "main @12 " in text.splitlines()[0])


def test_a_map_that_is_too_tall_can_be_scrolled(open_table: OpenTable) -> None:
    """The map says that there are more rows, and scrolls to the typed square."""
    terminal = open_table("k", "--as", "italy")
    text = terminal.wait_for_text("11 rows below: F2 or the wheel")
    assert ("Napoli o" in text, "Cape Town ov" in text) == (True, False)
    for _ in range(4):
        terminal.type_keys("\x1b[<65;20;10M")
    text = terminal.wait_for_text("11 rows above: F2 or the wheel")
    assert ("Napoli o" in text, "Cape Town ov" in text) == (False, True)
    terminal.type_keys("move cairo")
    terminal.wait_until(lambda text: "Cairo°tg" in text and "Cape Town ov" not in text)
    terminal.type_keys("\x15" + F2 + 9 * DOWN)
    terminal.wait_until(lambda text: "Cape Town ov" in text)
    terminal.click(25, 18)
    terminal.wait_for_text("─ cape_town ")


def test_the_cursor_begins_on_a_lit_square_and_says_where_nothing_can_be_done() -> None:
    with in_process_table("zimbabwe") as table:
        model = table.controller.model
        table.controls.key_board()
        lit_squares = table.controller.menu.highlighted_squares(untyped=True)
        assert 0 < len(lit_squares) < 12
        assert model.cursor in lit_squares
        assert "◇ °" in table.screen_text()
        table.controls.press_arrow(0, 1)
        assert model.cursor not in lit_squares
        asyncio.run(table.controls.offer_commands(model.cursor))
        assert f"nothing can be done on {model.cursor} now: try a lit square" in table.screen_text()
        table.controls.press_arrow(0, -1)
        assert "nothing can be done" not in table.screen_text()
    with in_process_table("africana", seat="italy") as table:
        table.controls.key_board()
        assert table.controller.model.cursor in table.controller.menu.highlighted_squares(untyped=True)


def test_enter_on_the_board_runs_the_typed_line_or_the_best_turn() -> None:
    with in_process_table("zimbabwe") as table:
        model, buffer = table.controller.model, table.controller.buffer
        table.controls.key_board()
        answer: Any = SimpleNamespace(hints=[SimpleNamespace(commands=["start f4"])], now={}, nodes=1)
        model.thought = Thought(model.head, answer, is_done=True)
        table.controls.key_take()
        assert (buffer.text, model.focus, model.cursor) == ("start f4", "line", "")
        buffer.reset()
        table.controls.key_board()
        buffer.insert_text("s")
        assert (model.focus, model.cursor != "") == ("line", True)


def test_the_effect_of_an_offered_command_is_shown_whole_below_the_line() -> None:
    with in_process_table("zimbabwe", ["start f4", "start a3", "bid 1", "pass"]) as table:
        asyncio.run(table.controls.offer_commands("d4"))
        offered_words, meaning = table.controller.menu.offered_words()[0]
        menu_text, _, text_below = table.screen_text().partition(f"\n > {offered_words}")
        assert f"{offered_words}  +1 VP" in menu_text
        assert f"{meaning}" not in menu_text
        assert f"{offered_words} {meaning}" in " ".join(text_below.split())


def test_a_click_on_a_key_at_the_foot_presses_it(open_table: OpenTable) -> None:
    terminal = open_table()
    footer = terminal.wait_for_silence().splitlines()
    terminal.click(footer[-1].index("F1"), len(footer) - 1)
    terminal.wait_for_text("─ keys · ")
