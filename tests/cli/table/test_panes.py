"""What the panes beside the board have room for, the bar of chances, and a map at one's turn."""

from __future__ import annotations

import re

import pytest

from tests.cli.table.conftest import Sit
from zimcli.table.panes import Pane, PaneRow, shared_out, title_line, upright_bar


def pane(title: str, rows: int, least: int = 0, enough: int = 0) -> Pane:
    return Pane(title, [PaneRow([(f"{title} {at}", "")]) for at in range(rows)], least, enough)


def test_each_pane_gets_its_least_before_another_gets_more() -> None:
    advice, table, cards = pane("advice", 9, least=3, enough=5), pane("table", 6), pane("cards", 4)
    kept = [(each.title, rows) for each, rows in shared_out((), ([advice, table], [cards]), 12)]
    assert kept == [("advice", 4), ("table", 6)]
    kept = [(each.title, rows) for each, rows in shared_out((), ([advice, table], [cards]), 20)]
    assert kept == [("advice", 7), ("table", 6), ("cards", 4)]


def test_panes_that_are_not_shown_are_named_with_their_key() -> None:
    assert title_line("log", 40, ["hands", "piles"], "F4")[0][0] == "─ log " + "─" * 15 + " F4: hands, piles ─"
    assert title_line("log", 24, ["hands", "adventures"], "F4")[0][0] == "─ log ──── F4: hands … ─"
    assert title_line("log", 22, ["adventures", "piles"], "F4")[0][0] == "─ log " + "─" * 16


@pytest.mark.parametrize("height", [3, 19, 40])
def test_the_bar_is_shared_out_by_the_chances(height: int) -> None:
    chances = {"kilwa": 0.5, "zulu": 0.25, "lozi": 0.25}
    bar = [*upright_bar(chances, dict.fromkeys(chances, "red"), height)]
    assert len(bar) == height
    if height == 40:
        assert "".join(letter for letter, _ in bar) == "K" + "│" * 19 + "Z" + "│" * 9 + "L" + "│" * 9
    assert {letter for letter, _ in upright_bar({}, {}, height)} == {"│"}


def column(text: str, lines: int) -> str:
    """What stands between the board and the panes."""
    at = next(line.index("─ standings") - 1 for line in text.splitlines() if "─ standings" in line)
    return "".join(line[at : at + 1] for line in text.splitlines()[1:lines])


def test_the_bar_stands_beside_the_board_where_one_may_be_helped(sit: Sit) -> None:
    text = sit("demo", lines=30, columns=100, thinking=True).wait(
        lambda text: bool(re.search(r"worth a look · [\d,]+ positions", text))
    )
    assert set(column(text, 20)) == {"K", "M", "Z", "│"}


def test_it_is_a_plain_line_for_who_wants_no_thinking(sit: Sit) -> None:
    assert set(column(sit("demo", lines=30, columns=100).see("by what it brings"), 20)) == {"│"}


@pytest.mark.parametrize(("lines", "columns"), [(30, 100), (24, 80)])
def test_your_own_hand_is_always_in_view(sit: Sit, lines: int, columns: int) -> None:
    terminal = sit("k", "--as", "italy", lines=lines, columns=columns)
    terminal.wait(lambda text: "your cards: joker" in text and "turquoise" in text)
    terminal.type("move cairo joker; end\r")
    terminal.wait(lambda text: "France to act" in text and "your cards: joker" in text)


def test_where_all_hands_are_open_none_is_yours(sit: Sit) -> None:
    assert "your cards" not in sit("k", "--open", lines=30, columns=100).see("─ this turn")
    assert "your cards" not in sit("demo", "--as", "kilwa", lines=30, columns=100).see("─ this turn")


def test_the_next_stops_on_a_map_are_lit_before_anything_is_typed(sit: Sit) -> None:
    text = sit("k", "--as", "italy", lines=30, columns=100).see("Cairo°")
    assert re.findall(r"(\w+)°", text) == ["Tangier", "Tripoli", "Cairo"]
    assert all(word in text for word in ("─ expeditions ─", "Mozambique", "F4: "))
    assert "°" not in sit("k", "--as", "france", lines=30, columns=100).settle()  # it is Italy's turn
