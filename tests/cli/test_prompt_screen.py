"""The screen at the prompt: the prompt itself, the menu with its hints, the foot, after a resize, after Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import count_moves
from zimcore.service import open_service


@pytest.fixture
def store(tmp_path: Path) -> str:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new("zimbabwe", {"players": "2", "seed": "1"}, name="kilwa-7", by="anna")
    for move in ("start f4", "start a3", "bid 1", "pass"):
        service.play("kilwa-7", move, by="anna")
    service.store.close()
    return store


@pytest.fixture
def terminal(store: str, tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path, "-m", "zimcli", "--store", store, "play", "kilwa-7", "--lines")
    terminal.wait_for_text("kilwa-7 main @4 · round 1 · Mutapa to act >")
    yield terminal
    terminal.child.close(force=True)


def test_the_foot_shows_the_standings(terminal: Terminal) -> None:
    assert terminal.wait_for_text("mutapa 1/").splitlines()[-1].strip().startswith("kilwa 1/")


def test_the_menu_offers_legal_commands_with_their_effects(terminal: Terminal) -> None:
    terminal.type_keys("adore ")
    text = terminal.wait_for_text("tsui_goab")
    assert "eshu" in text
    assert "+4 VR" in text
    terminal.type_keys("qa")
    terminal.wait_until(lambda text: "eshu" not in text)
    terminal.type_keys("\t")
    terminal.wait_for_text("> adore qamata")


def test_a_question_mark_explains_and_keeps_what_is_typed(terminal: Terminal) -> None:
    terminal.type_keys("hire herd ?")
    terminal.wait_for_text("\nhire herd 2\n")
    terminal.wait_for_text("> hire herd")
    terminal.type_keys("\x15adore eshu?")
    terminal.wait_for_text("legal: mutapa: adore eshu")
    terminal.wait_for_text("> adore eshu")


def test_a_suggestion_comes_from_the_history(terminal: Terminal) -> None:
    terminal.type_keys("legal adore --count\r")
    terminal.wait_for_text("\n8\n")
    terminal.type_keys("legal ad")
    terminal.wait_until(lambda text: text.count("legal adore --count") == 2)
    terminal.type_keys("\x1b[C\r")  # the right arrow takes it
    terminal.wait_until(lambda text: text.count("\n8\n") == 2)


@pytest.mark.parametrize(("lines", "columns"), [(12, 60), (50, 140), (24, 30)])
def test_a_resize_keeps_what_is_typed(terminal: Terminal, store: str, lines: int, columns: int) -> None:
    terminal.type_keys("adore es")
    terminal.wait_for_text("adore es")
    terminal.resize(lines, columns)
    terminal.wait_for_silence()
    terminal.type_keys("hu\r")
    terminal.wait_until(lambda text: "@5" in text.replace("\n", ""))
    assert count_moves(store) == 5


def test_ctrl_c_clears_the_line_at_every_stage(terminal: Terminal, store: str) -> None:
    for typed_keys in (
        "",
        "adore ",
        "adore es\t",
        "\x12ado",
        "\x1b[200~adore eshu\n",
    ):  # a menu, a search, half a paste
        terminal.type_keys(typed_keys)
        terminal.wait_for_silence()
        terminal.type_keys("\x1b[201~\x03" if "200~" in typed_keys else "\x03")
        terminal.wait_for_silence()
    assert count_moves(store) == 4
    terminal.type_keys("adore eshu\r")
    terminal.wait_for_text("@5")
    terminal.type_keys("\x04")
    assert terminal.wait_for_end() == 0
    assert count_moves(store) == 5


def test_vi_keys_edit_the_line(store: str, tmp_path: Path) -> None:
    config_folder = tmp_path / "zim"
    config_folder.mkdir()
    (config_folder / "config.toml").write_text('keys = "vi"\ncomplete_while_typing = false\n')
    terminal = Terminal(tmp_path, "-m", "zimcli", "--store", store, "play", "kilwa-7", "--lines")
    terminal.wait_for_text("Mutapa to act >")
    terminal.type_keys("adore qamata\x1b")
    terminal.wait_for_silence()
    terminal.type_keys("bcweshu\r")
    terminal.wait_for_text("@5")
    assert open_service(store).position("kilwa-7").commit.text == "adore eshu"
    terminal.child.close(force=True)


def test_unreadable_settings_are_reported_and_do_no_harm(store: str, tmp_path: Path) -> None:
    config_folder = tmp_path / "zim"
    config_folder.mkdir()
    (config_folder / "config.toml").write_text('keys = "wordstar"\n')
    terminal = Terminal(tmp_path, "-m", "zimcli", "--store", store, "play", "kilwa-7", "--lines")
    assert "keys is emacs or vi" in terminal.wait_for_text("Mutapa to act >")
    terminal.child.close(force=True)
