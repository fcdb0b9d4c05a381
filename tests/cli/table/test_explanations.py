"""The table explains itself: headings of tables, signs of the board and squares, pointed at or asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.table.conftest import OpenTable
from zimcli.render.problems import problem_lines, with_hints_first
from zimcli.table.panes import Explain, Headings, legend, table_rows
from zimcore.documents.problems import Problem, Reason
from zimcore.service import open_service

F1 = "\x1bOP"


def mouse_move_over(text: str, words: str, offset: int = 0) -> str:
    """The keys by which a terminal reports the mouse over these words, `offset` columns to the right."""
    row = next(row for row, line in enumerate(text.splitlines()) if words in line)
    return f"\x1b[<35;{text.splitlines()[row].index(words) + offset + 1};{row + 1}M"


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_each_heading_of_the_standings_and_the_table_beside_them_is_explained(kind: str) -> None:
    service = open_service("memory:")
    service.new(kind, {"players": "2", "seed": "3"}, name="g", by="anna")
    position = service.position("g")
    headings = position.game.display.HEADINGS
    for table in position.tables[:2]:
        assert {heading for heading in table.heads if heading not in headings} <= {"player", "VR", "card"}
        headings_action = table_rows(table, position, 120)[0].action
        assert isinstance(headings_action, Headings)
        assert any(isinstance(headings_action.meaning_at(column), Explain) for column in range(60))
    assert all(meaning == meaning.strip() and meaning[-1] != "." for meaning in headings.values())


def test_pointing_at_a_heading_square_or_title_explains_it(open_table: OpenTable) -> None:
    terminal = open_table("demo", lines=30, columns=100)
    text = terminal.wait_for_text("─ standings")
    terminal.type_keys(mouse_move_over(text, "VR to go"))
    terminal.wait_for_text(" VR: victory requirement")
    terminal.type_keys(mouse_move_over(text, "VR to go", 4))
    terminal.wait_for_text(" to go: the victory points that you still need")
    terminal.type_keys(mouse_move_over(text, "─ this turn", 3))
    terminal.wait_for_text(" what your turn has done")
    terminal.type_keys(mouse_move_over(text, " 6 K1", 3))
    terminal.wait_for_text(" a6 monument 1  kilwa")
    terminal.type_keys(mouse_move_over(text, "@r8.mutapa"))
    terminal.wait_for_text(" F1 keys")


def test_an_explanation_stays_after_a_click_or_a_question(open_table: OpenTable) -> None:
    terminal = open_table("demo", lines=30, columns=100)
    click = mouse_move_over(terminal.wait_for_text("─ standings"), "VR to go").replace("<35", "<0")
    terminal.type_keys(click + click.replace("M", "m"))
    terminal.wait_for_text("VR: victory requirement")
    terminal.type_keys("?income\r")
    terminal.wait_for_text("income: At the end of a round")


def test_the_legend_is_under_the_board_among_the_panes_and_with_the_keys(open_table: OpenTable) -> None:
    text = open_table("demo", lines=30, columns=100).wait_for_text("≈ water")
    assert "i ivory" in text
    terminal = open_table("k", "--as", "italy", lines=42, columns=200)
    terminal.wait_for_text("equator")
    terminal.type_keys(F1)
    for _ in range(3):
        terminal.type_keys("\x1b[6~")
    terminal.wait_for_text("who has joined the expedition")


def test_a_legend_takes_as_many_rows_as_it_needs() -> None:
    entries = [("w", "wood"), ("c", "clay"), ("PO", "potter")]
    row_texts: Any = ["".join(text for text, _ in row.line) for row in legend(entries, 16)]
    assert row_texts == [" w wood  c clay ", " PO potter "]
    assert legend([], 16) == []


def test_a_question_mark_belongs_to_what_is_said(open_table: OpenTable) -> None:
    terminal = open_table("demo", lines=30, columns=100)
    terminal.type_keys("say shall we go on?\r")
    terminal.wait_for_text("shall we go on?")


def test_the_hints_of_an_error_come_first_where_there_is_no_room_for_all_of_it() -> None:
    problem = Problem("refused", "bid 9", 1, (Reason("a bid is too much", "R-1"), Reason("so it is", "R-2")), ("pass",))
    blocks = with_hints_first([*problem_lines(problem)])
    assert ["".join(text for text, _ in block) for block in blocks if isinstance(block, list)] == [
        "refused: bid 9",
        "  try: pass",
        "  R-1  a bid is too much",
        "  R-2  so it is",
    ]
