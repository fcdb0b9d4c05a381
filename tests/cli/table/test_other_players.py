"""Other players move on the same store; signals, resizes and pastes come at any time: the table loses nothing."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.cli.table.conftest import OpenTable, count_moves
from zimcore.features.takebacks.actions import ask
from zimcore.features.takebacks.documents import NewRequest
from zimcore.service import Viewer, open_service

BELL = "\a"


def play_moves(store: str, *moves: str, game: str = "kilwa-7") -> None:
    service = open_service(store)
    for move in moves:
        service.play(game, move, by="bob")
    service.store.close()


def test_moves_of_others_appear_with_a_bell(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.wait_for_text("kilwa-7 · main @4")
    terminal.type_keys("build f")
    terminal.wait_for_text("> build f")
    play_moves(store, "adore eshu", "end")
    text = terminal.wait_for_text("main @6 · round 1 · Kilwa to act")
    assert "meanwhile:" in text
    assert "> build f" in text
    assert terminal.raw_output.count(BELL) == 1


def test_the_bell_rings_for_your_own_turn_only(open_table: OpenTable, store: str) -> None:
    terminal = open_table("kilwa-7", "--as", "kilwa")
    terminal.wait_for_text("main @4")
    play_moves(store, "adore eshu")
    terminal.wait_for_text("main @5")
    assert BELL not in terminal.raw_output
    play_moves(store, "end")
    terminal.wait_for_text("main @6")
    assert terminal.raw_output.count(BELL) == 1


def test_news_keep_a_player_who_looks_back_in_place(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("@2\r")
    terminal.wait_for_text("looking back from @4")
    play_moves(store, "adore eshu")
    assert "main @2 " in terminal.wait_for_text("looking back from @5").splitlines()[0]


def test_an_undo_by_another_player_is_shown(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.wait_for_text("main @4")
    service = open_service(store)
    service.undo("kilwa-7", by="bob")
    service.store.close()
    terminal.wait_for_text("the head was moved to @3")


def test_chat_and_requests_of_others_appear_on_the_screen(open_table: OpenTable, store: str) -> None:
    terminal = open_table("kilwa-7", "--as", "mutapa")
    terminal.wait_for_text("main @4")
    service = open_service(store)
    service.say("kilwa-7", "good luck", by="bob", viewer=Viewer("kilwa"))
    service.say("kilwa-7", "a note of bob's", by="bob", own=True, viewer=Viewer("kilwa"))
    assert "a note" not in terminal.wait_for_text("bob (kilwa): good luck")
    assert BELL not in terminal.raw_output
    (takeback,) = service.change(ask, NewRequest(2), "kilwa-7", by="bob", viewer=Viewer("kilwa")).requests
    terminal.wait_for_text(f"request {takeback.number}: bob (kilwa) asks to go back to @2")
    text = terminal.wait_for_text(f"bob asks: accept {takeback.number}, decline {takeback.number}")
    assert "@4 " in text
    assert terminal.raw_output.count(BELL) == 1
    terminal.type_keys(f"accept {takeback.number}\r")
    text = terminal.wait_for_text("main @2")
    assert "granted" in text
    assert "bob asks" not in text
    assert service.position("kilwa-7").commit.number == 2
    terminal.type_keys("say sorry\r")
    terminal.wait_for_text("sorry")
    assert [message.text for message in service.talk("kilwa-7", by="eve")] == ["good luck", "sorry"]
    service.store.close()


@pytest.mark.parametrize("signal_name", ["INT", "WINCH"])
def test_the_table_goes_on_after_a_signal(open_table: OpenTable, store: str, signal_name: str) -> None:
    terminal = open_table()
    terminal.wait_for_text("main @4")
    assert terminal.child.pid
    os.kill(terminal.child.pid, getattr(signal, f"SIG{signal_name}"))
    terminal.type_keys("adore eshu\r")
    terminal.wait_for_text("main @5")
    assert count_moves(store) == 5


def test_ctrl_c_clears_the_line_at_every_stage(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    paste = "\x1b[200~adore eshu\n"
    # Nothing, a menu, a word of it, a search, half a paste, the board, the log, the pager, a look back.
    for typed_keys in (
        "",
        "adore ",
        "adore e\t",
        "\x12ado",
        paste,
        "\x1bOQ",
        "\x1bOR\x1b[A",
        "log\r",
        "\x1b[5~",
        "adore esh",
    ):
        terminal.type_keys(typed_keys)
        terminal.wait_for_silence()
        terminal.type_keys("\x1b[201~\x03" if typed_keys is paste else "\x03")
        text = terminal.wait_for_silence()
        assert text.splitlines()[21].rstrip() == " >"
        assert "main @4" in text.splitlines()[0]
        assert "─ standings" in text
    assert count_moves(store) == 4
    terminal.type_keys("verify\r\x03")
    terminal.wait_for_silence()
    terminal.type_keys("\x03adore eshu\r")
    terminal.wait_for_text("main @5")


@pytest.mark.parametrize(("lines", "columns"), [(12, 60), (50, 140), (24, 30), (5, 9), (2, 2), (60, 200)])
def test_a_resize_keeps_what_is_typed(open_table: OpenTable, store: str, lines: int, columns: int) -> None:
    terminal = open_table()
    terminal.type_keys("adore es")
    terminal.wait_for_text("> adore es")
    terminal.resize(lines, columns)
    terminal.wait_for_silence()
    terminal.resize(24, 80)
    terminal.wait_for_text("> adore es")
    terminal.type_keys("hu\r")
    terminal.wait_for_text("main @5")
    assert count_moves(store) == 5


def test_pasted_lines_are_done_one_by_one_and_the_rest_stays_after_a_refusal(open_table: OpenTable, store: str) -> None:
    terminal = open_table()
    terminal.type_keys("\x1b[200~adore eshu\nadore gu\nend\x1b[201~")
    terminal.wait_for_text("end")
    terminal.type_keys("\r")
    terminal.wait_for_text("refused: ")
    terminal.wait_for_text("> end")
    assert count_moves(store) == 5


def test_settings_change_keys_and_colours(open_table: OpenTable, tmp_path: Path) -> None:
    (tmp_path / "zim").mkdir()
    (tmp_path / "zim" / "config.toml").write_text('theme = "plain"\n[table]\nhelp = "c-g, f1"\n')
    terminal = open_table()
    terminal.type_keys("\x07")
    assert "Ctrl-G or F1" in terminal.wait_for_text("Keys, by their names in the settings")
    assert {char.fg for row in terminal.screen.buffer.values() for char in row.values()} == {"default"}


def test_an_invalid_key_is_reported(open_table: OpenTable, tmp_path: Path, store: str) -> None:
    (tmp_path / "zim").mkdir()
    (tmp_path / "zim" / "config.toml").write_text('[table]\nhelp = "hyper-x"\n')
    terminal = open_table()
    assert "hyper-x" in terminal.text


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"LINES": "20", "COLUMNS": "60"}])
def test_small_and_dumb_terminals_get_the_prompt(open_table: OpenTable, variables: dict[str, str]) -> None:
    terminal = open_table(**variables)
    assert "kilwa-7 main @4 · round 1 · Mutapa to act >" in terminal.text
