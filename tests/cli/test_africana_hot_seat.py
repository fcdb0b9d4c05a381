"""Two players at one keyboard: a hand is on the screen only after its player has pressed a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from zimcore.service import open_service

SEEN_PROMPT = "Italy, press Enter when you have seen it"
ITALY_PROMPT, FRANCE_PROMPT = (
    "Italy, press Enter when nobody else can see",
    "France, press Enter when nobody else can see",
)


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Italy's hand is a joker and turquoise, France's a joker and orange."""
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    service.store.close()
    return store


def collapse_spaces(text: str) -> str:
    """A screen with single spaces."""
    return " ".join(text.split())


def wait_for_words(terminal: Terminal, words: str) -> str:
    """Reads until these words are on the screen, however they are spaced."""
    return collapse_spaces(terminal.wait_until(lambda text: words in collapse_spaces(text)))


def open_game(tmp_path: Path, store: str, *words: str) -> Terminal:
    return Terminal(tmp_path, "-m", "zimcli", "--store", store, *words, "play", "k", "--lines", lines=90, columns=120)


@pytest.fixture
def terminal(tmp_path: Path, store: str) -> Iterator[Terminal]:
    terminal = open_game(tmp_path, store)
    yield terminal
    terminal.child.close(force=True)


def test_a_hand_is_hidden_until_its_player_presses_enter(terminal: Terminal) -> None:
    assert "turquoise" not in terminal.wait_for_text(ITALY_PROMPT)
    terminal.type_keys("\r")
    assert "france joker, 1 face down" in wait_for_words(terminal, "italy joker, turquoise")
    wait_for_words(terminal, "Italy to act >")


def test_the_next_player_finds_nothing_of_the_last_hand(terminal: Terminal) -> None:
    terminal.wait_for_text(ITALY_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text("Italy to act >")
    terminal.type_keys("draw\r")
    assert "italy draws" in wait_for_words(terminal, SEEN_PROMPT)
    terminal.type_keys("\r")
    text = terminal.wait_for_text(FRANCE_PROMPT)
    assert "draws" not in text
    assert "orange" not in text
    assert "turquoise" not in text
    terminal.type_keys("\r")
    text = wait_for_words(terminal, "France to act >")
    assert "italy joker, 3 face down" in text
    assert "france joker, orange" in text


def test_the_input_history_omits_what_the_previous_player_typed(terminal: Terminal) -> None:
    terminal.wait_for_text(ITALY_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text("Italy to act >")
    terminal.type_keys("try move cairo turquoise\r")
    terminal.wait_for_text("nothing was played")
    terminal.type_keys("draw\r")
    wait_for_words(terminal, SEEN_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text(FRANCE_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text("France to act >")
    terminal.type_keys("\x1b[A\x1b[A")
    terminal.wait_for_silence()
    assert "move cairo" not in terminal.text


def test_menus_offer_the_player_s_own_hand(terminal: Terminal) -> None:
    terminal.wait_for_text(ITALY_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text("Italy to act >")
    terminal.type_keys("move cairo ")
    terminal.wait_until(lambda text: "turquoise" in text.partition("Italy to act >")[2])


def test_a_player_who_named_a_seat_is_not_asked(tmp_path: Path, store: str) -> None:
    terminal = open_game(tmp_path, store, "--as", "france")
    text = terminal.wait_for_text("Italy to act >")
    assert "press Enter" not in text
    terminal.type_keys("show\r")
    assert "italy joker, 1 face down" in wait_for_words(terminal, "france joker, orange")
    terminal.child.close(force=True)


def test_ctrl_d_at_the_hand_over_prompt_quits(terminal: Terminal) -> None:
    terminal.wait_for_text(ITALY_PROMPT)
    terminal.type_keys("\x04")
    assert terminal.wait_for_end() == 0
