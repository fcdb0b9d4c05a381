"""A hint at the table, by a key: the typed text stays, and Ctrl-C stops long thinking."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from tests.cli.table.conftest import OpenTable, count_moves
from tests.cli.table.in_process_table import in_process_table

F6 = "\x1b[17~"


def test_a_key_shows_the_best_turn_and_leaves_the_line(open_table: OpenTable, store: str) -> None:
    terminal = open_table(lines=40, columns=120)
    terminal.type_keys("adore es" + F6)
    text = terminal.wait_for_text("nothing was played")
    assert "chances: kilwa" in text
    assert "> adore es" in text
    assert count_moves(store) == 4


def test_ctrl_c_stops_thinking_and_leaves_the_line(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("bot deep:nodes=100000000\r")
    terminal.type_keys("adore esh")
    terminal.wait_for_text("> adore esh")
    terminal.type_keys("\x03")
    terminal.wait_for_text("stopped: ")
    assert "> adore esh" in terminal.text
    terminal.type_keys("u\r")
    terminal.wait_for_text("main @5")


def test_the_hint_key_says_that_help_is_off(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("new k2 players=2 help=no\r")
    terminal.wait_for_text("k2 · main @0")
    terminal.type_keys(F6)
    terminal.wait_for_text("help is off in this game")


@pytest.mark.parametrize("is_in_the_same_read", [True, False])
def test_ctrl_c_stops_a_line_that_waits_for_its_turn(
    monkeypatch: pytest.MonkeyPatch, is_in_the_same_read: bool
) -> None:
    with in_process_table("zimbabwe", ("start f4", "start a3", "bid 1", "pass")) as table:
        controller, is_free, tasks = table.controller, Event(), list[asyncio.Task[None]]()
        monkeypatch.setattr(
            controller.app, "create_background_task", lambda task: tasks.append(asyncio.create_task(task))
        )

        async def press_ctrl_c() -> None:
            controller.service_thread.executor.submit(is_free.wait)  # it reads news of others, say
            controller.start_task(controller.run_lines(["bot deep:nodes=200"]))
            if not is_in_the_same_read:
                await asyncio.sleep(0.05)
            table.controls.key_clear()
            is_free.set()
            await tasks[0]

        asyncio.run(press_ctrl_c())
        assert "stopped: " in table.screen_text()
        assert controller.model.head.commit.number == 4, "and nothing was played"
        assert not controller.is_busy


def test_what_others_do_is_no_line_to_stop() -> None:
    with in_process_table("zimbabwe") as table:
        thread = table.controller.service_thread
        thread.stop()
        thread.executor.submit(thread.report_progress, "a note about a move of others").result()
        assert thread.stop_requested, "the request is for the line that waits"
