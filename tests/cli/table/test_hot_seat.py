"""Two players at one keyboard and one table: each sees only their own hand, and the cards they have just drawn."""

from __future__ import annotations

from pathlib import Path

from tests.cli.screen import Terminal
from tests.cli.table.conftest import OpenTable
from zimcore.service import open_service

COVERED_PROMPT, SEEN_PROMPT = (
    "a click when nobody else can see the screen",
    "Space when you have seen what your move did",
)


def open_table_as_italy(open_table: OpenTable) -> Terminal:
    terminal = open_table("k", lines=40, columns=120)
    assert "turquoise" not in terminal.wait_for_text(COVERED_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text("joker, turquoise")
    return terminal


def test_a_player_sees_the_drawn_cards_before_the_screen_is_handed_over(open_table: OpenTable) -> None:
    terminal = open_table_as_italy(open_table)
    terminal.type_keys("draw\r")
    text = terminal.wait_for_text(SEEN_PROMPT)
    drawn_card = text.partition("draw  draws ")[2].split()[0].strip(",")
    assert drawn_card in ("magenta", "turquoise", "gray", "orange", "violet", "2")
    assert "orange" not in next(line for line in text.splitlines() if "france" in line and "joker" in line)
    terminal.type_keys("\r")
    text = terminal.wait_for_text(COVERED_PROMPT)
    assert not {"turquoise", "joker", "draws"} & set(text.replace(",", " ").split())
    terminal.type_keys("\r")
    text = terminal.wait_for_text("joker, orange")
    assert "joker, 3 face down" in text
    assert "draws 2 face down" in text


def test_the_next_player_finds_no_text_typed_or_read_by_the_last_one(open_table: OpenTable) -> None:
    terminal = open_table_as_italy(open_table)
    terminal.type_keys("try move cairo turquoise\r")
    terminal.wait_for_silence()
    terminal.type_keys("draw\r")
    terminal.wait_for_text(SEEN_PROMPT)
    terminal.type_keys("\r")
    terminal.wait_for_text(COVERED_PROMPT)
    for keys in ("\x1b[A", "\x1bOS", "\x1b[15~", "\x1b[5~", "\x1bOQ", "log", "\t"):
        terminal.type_keys(keys)
        text = terminal.wait_for_silence()
        assert "cairo" not in text
        assert "turquoise" not in text
    terminal.type_keys("\x15\r")
    terminal.wait_for_text("joker, orange")
    terminal.type_keys("\x1b[A")
    terminal.wait_for_silence()
    assert "move cairo turquoise" not in terminal.text


def test_a_closed_table_leaves_no_hand_on_the_screen(open_table: OpenTable) -> None:
    terminal = open_table_as_italy(open_table)
    terminal.type_keys("\x04")
    assert terminal.wait_for_end() == 0
    # All of it was on the alternate screen, which terminals discard.
    output_before, output_after = (
        terminal.raw_output.partition("\x1b[?1049h")[0],
        terminal.raw_output.rpartition("\x1b[?1049l")[2],
    )
    assert (
        terminal.raw_output.rindex("\x1b[?1049h")
        < terminal.raw_output.rindex("turquoise")
        < terminal.raw_output.rindex("\x1b[?1049l")
    )
    assert "turquoise" not in output_before + output_after


def test_a_player_who_named_a_seat_is_not_asked(open_table: OpenTable) -> None:
    terminal = open_table("k", "--as", "france", lines=40, columns=120)
    text = terminal.wait_for_text("joker, orange")
    assert COVERED_PROMPT not in text
    assert "joker, 1 face down" in text


def test_the_curtain_is_raised_by_space_and_by_a_click_too(open_table: OpenTable) -> None:
    terminal = open_table("k", lines=40, columns=120)
    terminal.wait_for_text(COVERED_PROMPT)
    terminal.type_keys("x")
    assert "joker" not in terminal.wait_for_silence(), "another key does not uncover the hand"
    terminal.type_keys("\x7f ")
    terminal.wait_for_text("joker, turquoise")
    terminal.type_keys("draw\r")
    terminal.wait_for_text(SEEN_PROMPT)
    terminal.type_keys(" ")
    terminal.wait_for_text(COVERED_PROMPT)
    terminal.type_keys("\x1b[<0;30;10M\x1b[<0;30;10m")
    terminal.wait_for_text("joker, orange")


def test_one_person_among_programs_does_not_hand_the_screen_over(
    open_table: OpenTable, store: str, tmp_path: Path
) -> None:
    service = open_service(store)
    service.new("africana", {"players": "2", "seed": "3"}, name="solo", by="anna", bots={"france": "quick"})
    service.store.close()
    text = open_table("solo", lines=40, columns=200).wait_for_text("you are Italy")
    assert "nobody else can see" not in text
    assert "joker, 1 face down" in text.partition("─ hands")[2]
    assert text.partition("─ hands")[2].count("face down") == 1  # your own hand is open, the program's is not
    prompt_terminal = Terminal(tmp_path, "-m", "zimcli", "--store", store, "play", "solo", "--lines")
    prompt_terminal.wait_for_text(">")
    prompt_terminal.type_keys("show\r")
    assert "nobody else can see" not in prompt_terminal.wait_for_output("joker, 1 face down")
    prompt_terminal.child.close(force=True)
