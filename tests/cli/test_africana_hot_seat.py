"""Two players at one keyboard: a hand is on the screen only after its player has pressed a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from zimcore.service import open_service

SEEN = "Italy, press Enter when you have seen it"
ITALY, FRANCE = "Italy, press Enter when nobody else can see", "France, press Enter when nobody else can see"


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Italy's hand is a joker and turquoise, France's a joker and orange."""
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    service.store.close()
    return store


def single_spaced(text: str) -> str:
    """A screen with single spaces."""
    return " ".join(text.split())


def sees(terminal: Terminal, words: str) -> str:
    """Reads until these words are on the screen, however they are spaced."""
    return single_spaced(terminal.wait(lambda text: words in single_spaced(text)))


def play(tmp_path: Path, store: str, *words: str) -> Terminal:
    return Terminal(tmp_path, "-m", "zimcli", "--store", store, *words, "play", "k", "--lines", lines=90, columns=120)


@pytest.fixture
def terminal(tmp_path: Path, store: str) -> Iterator[Terminal]:
    terminal = play(tmp_path, store)
    yield terminal
    terminal.child.close(force=True)


def test_a_hand_waits_for_its_player(terminal: Terminal) -> None:
    assert "turquoise" not in terminal.see(ITALY)
    terminal.type("\r")
    assert "france joker, 1 face down" in sees(terminal, "italy joker, turquoise")
    sees(terminal, "Italy to act >")


def test_the_next_player_finds_nothing_of_the_last_hand(terminal: Terminal) -> None:
    terminal.see(ITALY)
    terminal.type("\r")
    terminal.see("Italy to act >")
    terminal.type("draw\r")
    assert "italy draws" in sees(terminal, SEEN)
    terminal.type("\r")
    text = terminal.see(FRANCE)
    assert "draws" not in text
    assert "orange" not in text
    assert "turquoise" not in text
    terminal.type("\r")
    text = sees(terminal, "France to act >")
    assert "italy joker, 3 face down" in text
    assert "france joker, orange" in text


def test_it_is_not_among_the_lines_that_were_typed(terminal: Terminal) -> None:
    terminal.see(ITALY)
    terminal.type("\r")
    terminal.see("Italy to act >")
    terminal.type("try move cairo turquoise\r")
    terminal.see("nothing was played")
    terminal.type("draw\r")
    sees(terminal, SEEN)
    terminal.type("\r")
    terminal.see(FRANCE)
    terminal.type("\r")
    terminal.see("France to act >")
    terminal.type("\x1b[A\x1b[A")
    terminal.settle()
    assert "move cairo" not in terminal.text


def test_menus_offer_the_own_hand(terminal: Terminal) -> None:
    terminal.see(ITALY)
    terminal.type("\r")
    terminal.see("Italy to act >")
    terminal.type("move cairo ")
    terminal.wait(lambda text: "turquoise" in text.partition("Italy to act >")[2])


def test_one_who_plays_a_seat_is_not_asked(tmp_path: Path, store: str) -> None:
    terminal = play(tmp_path, store, "--as", "france")
    text = terminal.see("Italy to act >")
    assert "press Enter" not in text
    terminal.type("show\r")
    assert "italy joker, 1 face down" in sees(terminal, "france joker, orange")
    terminal.child.close(force=True)


def test_ctrl_d_before_the_next_player_leaves(terminal: Terminal) -> None:
    terminal.see(ITALY)
    terminal.type("\x04")
    assert terminal.wait_for_end() == 0
