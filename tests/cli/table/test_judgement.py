"""The table shows the judgement of `hint`, inserts its turn into the line, and draws it."""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import OpenTable, count_moves
from tests.cli.table.in_process_table import in_process_table
from zimcli.table import controls
from zimcli.table.model import LineView, TableModel, Thought
from zimcore.analysis.hint import hint_answer
from zimcore.service import Viewer, open_service

F2, F7 = "\x1bOQ", "\x1b[18~"


def wait_for_judgement(terminal: Terminal) -> str:
    """The screen once the judgement is complete."""
    return terminal.wait_until(lambda text: bool(re.search(r"worth a look · [\d,]+ positions", text)))


def test_without_thinking_no_judgement_is_shown(open_table: OpenTable) -> None:
    assert "worth a look" not in open_table(lines=30, columns=100).wait_for_text("by what it brings")


def best_hint(store: str, game: str, seat: str = "") -> tuple[str, int]:
    """The best turn by `hint`, and its chance in percent."""
    service = open_service(store)
    try:
        hint = hint_answer(service.position(game, Viewer(seat)) if seat else service.position(game)).hints[0]
        return "; ".join(hint.commands), round(100 * hint.chance)
    finally:
        service.store.close()


def test_the_pane_says_what_a_hint_says(open_table: OpenTable, store: str) -> None:
    for game, seat in (("kilwa-7", ""), ("k", "italy")):
        turn, chance = best_hint(store, game, seat)
        terminal = open_table(game, *(("--as", seat) if seat else ()), lines=40, columns=200, thinking=True)
        text = wait_for_judgement(terminal)
        assert f"{chance} % {turn}" in text
        # The first turn below the bar, whose chances have a letter.
        first_turn = re.compile(r"│ ?(\d+) % ").search(text, text.index("worth a look"))
        assert first_turn
        assert first_turn[1] == str(chance)


def test_a_key_puts_the_best_turn_into_the_line_and_the_board_shows_it(open_table: OpenTable, store: str) -> None:
    turn, _ = best_hint(store, "kilwa-7")
    terminal = open_table(lines=30, columns=100, thinking=True)
    screen_before = wait_for_judgement(terminal)
    terminal.type_keys(F7)
    terminal.wait_for_text(f"> {turn}")
    screen_after = terminal.wait_until(lambda text: text.count("°") > screen_before.count("°"))
    assert screen_after.splitlines()[1:19] != screen_before.splitlines()[1:19]
    assert count_moves(store) == 4
    terminal.type_keys(F7)
    terminal.wait_until(lambda text: "\n > " in text and f"> {turn}" not in text)
    terminal.type_keys("\x03" + F7)
    terminal.wait_for_text(f"> {turn}")
    terminal.type_keys("\r")
    terminal.wait_until(lambda text: "main @4" not in text and f"> {turn}" not in text)
    assert count_moves(store) > 4


def test_only_the_best_turn_is_advised_and_only_where_it_is_on_the_screen(store: str) -> None:
    service = open_service(store)
    head = service.position("kilwa-7")
    answer = hint_answer(head)
    best_turn, second_turn = ("; ".join(hint.commands) for hint in answer.hints[:2])
    model = TableModel(LineView(head, ()))
    model.thought = Thought(head, answer)
    assert model.advised_commands(f" {best_turn}") == answer.hints[0].commands
    assert [*model.advised_commands(second_turn), *model.advised_commands("end")] == []
    model.earlier_position = service.position("kilwa-7@2")
    assert not model.advised_commands(best_turn)
    service.store.close()


def test_where_help_is_off_nothing_is_judged(open_table: OpenTable) -> None:
    terminal = open_table(lines=30, columns=100, thinking=True)
    terminal.type_keys("new k2 players=2 help=no\r")
    terminal.wait_for_text("k2 · main @0")
    text = terminal.wait_for_text("by what it brings")
    assert "worth a look" not in text
    terminal.type_keys(F2)
    terminal.wait_for_text("Enter commands")
    terminal.type_keys(F2)
    footer = terminal.wait_for_text("F1 keys")
    assert "hint" not in footer.splitlines()[-1]


def test_a_player_who_waits_sees_whose_turn_it_is(open_table: OpenTable) -> None:
    terminal = open_table("kilwa-7", "--as", "kilwa", lines=30, columns=100, thinking=True)
    text = terminal.wait_for_text("waiting for Mutapa")
    assert "you are Kilwa" in text
    assert "worth a look" not in text


def test_a_square_offers_what_can_be_done_there_and_enter_plays_it(open_table: OpenTable, store: str) -> None:
    terminal = open_table(lines=30, columns=100, thinking=True)
    terminal.wait_for_text("F1 keys")
    terminal.type_keys(F2)
    terminal.type_until("─ c7 ─", F2 + F2)  # the cursor begins in the middle until the advice is computed
    terminal.type_keys("\r")
    text = terminal.wait_until(lambda text: bool(re.search(r"> \w.*\bc7", text)))
    assert "+1 VP" in text
    assert count_moves(store) == 4
    terminal.type_keys("\r")
    terminal.wait_for_text("main @5")


def test_a_click_offers_a_command_and_a_click_on_its_menu_row_plays_it(open_table: OpenTable, store: str) -> None:
    terminal = open_table(lines=30, columns=100, thinking=True)
    text = terminal.wait_for_text("F1 keys")
    screen_rows = text.splitlines()
    board_row = next(index for index, line in enumerate(screen_rows) if line.lstrip().startswith("7 "))
    terminal.click(3 + 4 * 6 + 1, board_row)
    text = terminal.wait_until(lambda text: bool(re.search(r"> \w.* g7", text)))
    command = next(line for line in text.splitlines() if line.startswith(" > "))[3:].strip()
    menu_row = next(index for index, line in enumerate(text.splitlines()) if line.startswith(f" {command}"))
    terminal.click(3, menu_row)
    terminal.wait_for_text("main @5")


def test_the_key_inserts_no_turn_while_a_line_is_running(open_table: OpenTable) -> None:
    terminal = open_table(lines=30, columns=100, thinking=True)
    wait_for_judgement(terminal)
    terminal.type_keys("bot deep:nodes=100000000\r")
    terminal.wait_for_text("thinking for")
    terminal.type_keys(F7 + "x")
    terminal.wait_for_text("> x")
    terminal.type_keys("\x03")
    terminal.wait_for_text("stopped: ")


def test_the_key_waits_for_the_whole_judgement_and_inserts_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controls, "JUDGE_POLL_SECONDS", 0)
    with in_process_table("zimbabwe") as table:
        model, buffer = table.controller.model, table.controller.buffer
        model.is_judging = True

        async def press_keys() -> None:
            table.controls.key_take()
            table.controls.key_take()  # still the best turn, not the next best
            for thought in (None, judged_thought("start c1"), judged_thought("start f4", "start c1", is_done=True)):
                model.thought = thought
                for _ in range(20):
                    await asyncio.sleep(0)
                if not (thought and thought.is_done):
                    assert (buffer.text, table.controller.is_busy) == ("", False), "the key asks for no hint of its own"
                    assert "the best turn comes when the thinking is done" in table.screen_text()

        def judged_thought(*turns: str, is_done: bool = False) -> Thought:
            answer: Any = SimpleNamespace(hints=[SimpleNamespace(commands=[turn]) for turn in turns], now={}, nodes=1)
            return Thought(model.head, answer, is_done)

        asyncio.run(press_keys())
        assert buffer.text == "start f4"
        assert not model.answer


def test_the_key_says_so_where_a_move_is_on_its_way() -> None:
    with in_process_table("zimbabwe") as table:
        table.controller.pending_tasks = 1
        table.controls.key_take()
        assert "F7 has the best turn when it is your turn" in table.screen_text()
        table.controller.pending_tasks = 0
