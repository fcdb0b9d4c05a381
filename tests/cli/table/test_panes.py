"""The panes next to the board: what fits, the bar of chances, and the map on your turn."""

from __future__ import annotations

import re

import pytest

from tests.cli.table.conftest import OpenTable
from tests.cli.table.in_process_table import in_process_table
from zimcli.render.board import NARROW_WIDTH, Size
from zimcli.session.lesson import Lesson, LessonStep
from zimcli.table.menu import MANY_HIGHLIGHTED
from zimcli.table.model import LineView, TableModel
from zimcli.table.panes import Pane, PaneRow, header, share_rows, side_panes, text_pages, title_line, upright_bar
from zimcore.candidates import advice
from zimcore.service import open_service


def make_pane(title: str, row_count: int, least_rows: int = 0, enough_rows: int = 0) -> Pane:
    return Pane(title, [PaneRow([(f"{title} {number}", "")]) for number in range(row_count)], least_rows, enough_rows)


def test_each_pane_gets_its_least_before_another_gets_more() -> None:
    advice_pane, table_pane, cards_pane = (
        make_pane("advice", 9, least_rows=3, enough_rows=5),
        make_pane("table", 6),
        make_pane("cards", 4),
    )
    rows_of_panes = [(pane.title, rows) for pane, rows in share_rows((), ([advice_pane, table_pane], [cards_pane]), 12)]
    assert rows_of_panes == [("advice", 4), ("table", 6)]
    rows_of_panes = [(pane.title, rows) for pane, rows in share_rows((), ([advice_pane, table_pane], [cards_pane]), 20)]
    assert rows_of_panes == [("advice", 7), ("table", 6), ("cards", 4)]


def test_panes_that_are_not_shown_are_named_with_their_key() -> None:
    assert title_line("log", 40, ["hands", "piles"], "F4")[0][0] == "─ log " + "─" * 15 + " F4: hands, piles ─"
    assert title_line("log", 24, ["hands", "adventures"], "F4")[0][0] == "─ log ──── F4: hands … ─"
    assert title_line("log", 22, ["adventures", "piles"], "F4")[0][0] == "─ log ───── F4: more ─"
    assert title_line("log", 16, ["adventures", "piles"], "F4")[0][0] == "─ log " + "─" * 10


@pytest.mark.parametrize("height", [3, 19, 40])
def test_the_bar_is_shared_out_by_the_chances(height: int) -> None:
    chances = {"kilwa": 0.5, "zulu": 0.25, "lozi": 0.25}
    bar = [*upright_bar(chances, dict.fromkeys(chances, "red"), height)]
    assert len(bar) == height
    if height == 40:
        assert "".join(letter for letter, _ in bar) == "K" + "│" * 19 + "Z" + "│" * 9 + "L" + "│" * 9
    assert {letter for letter, _ in upright_bar({}, {}, height)} == {"│"}


def separator_column(text: str, lines: int) -> str:
    """The column between the board and the panes."""
    separator_index = next(line.index("─ standings") - 1 for line in text.splitlines() if "─ standings" in line)
    return "".join(line[separator_index : separator_index + 1] for line in text.splitlines()[1:lines])


def test_the_bar_stands_beside_the_board_where_help_is_allowed(open_table: OpenTable) -> None:
    text = open_table("demo", lines=30, columns=100, thinking=True).wait_until(
        lambda text: bool(re.search(r"worth a look · [\d,]+ positions", text))
    )
    assert set(separator_column(text, 20)) == {"K", "M", "Z", "│"}


def test_the_bar_is_a_plain_line_without_thinking(open_table: OpenTable) -> None:
    assert set(separator_column(open_table("demo", lines=30, columns=100).wait_for_text("by what it brings"), 20)) == {
        "│"
    }


@pytest.mark.parametrize(("lines", "columns"), [(30, 100), (24, 80)])
def test_your_own_hand_is_always_in_view(open_table: OpenTable, lines: int, columns: int) -> None:
    terminal = open_table("k", "--as", "italy", lines=lines, columns=columns)
    terminal.wait_until(lambda text: "your cards: joker" in text and "turquoise" in text)
    terminal.type_keys("move cairo joker; end\r")
    terminal.wait_until(lambda text: "France to act" in text and "your cards: joker" in text)


def test_a_table_with_open_hands_shows_none_as_yours(open_table: OpenTable) -> None:
    assert "your cards" not in open_table("k", "--open", lines=30, columns=100).wait_for_text("─ this turn")
    assert "your cards" not in open_table("demo", "--as", "kilwa", lines=30, columns=100).wait_for_text("─ this turn")


def test_the_next_stops_on_a_map_are_lit_before_anything_is_typed(open_table: OpenTable) -> None:
    text = open_table("k", "--as", "italy", lines=30, columns=100).wait_for_text("Cairo°")
    assert re.findall(r"(\w+)°", text) == ["Tangier", "Tripoli", "Cairo"]
    assert all(word in text for word in ("─ expeditions ─", "Mozambique", "F4: "))
    assert "°" not in open_table("k", "--as", "france", lines=30, columns=100).wait_for_silence()  # it is Italy's turn


def make_model(kind: str, seats: int, *moves: str) -> TableModel:
    service = open_service("memory:")
    service.new(kind, {"players": str(seats), "seed": "5"}, name="g", by="anna")
    for move in moves:
        service.play("g", move, by="anna")
    position = service.position("g")
    advice(position)  # the panes show only advice that is computed
    return TableModel(LineView(position, service.log("g")))


def side_rows(model: TableModel, height: int, *, log: bool = True) -> list[str]:
    return ["".join(text for text, _ in row.line) for row in side_panes(model, 44, height, log=log, key="F4")]


def pane_titles(rows: list[str]) -> list[str]:
    return [row.split()[1] for row in rows if row.startswith("─ ")]


def test_a_lesson_leaves_room_for_everybody_s_standings() -> None:
    model = make_model("zimbabwe", 4)
    model.lesson = Lesson([LessonStep("how do the four of you stand? " * 30, "show")], "read on", "zim tutorial")
    rows = side_rows(model, 21)
    assert pane_titles(rows)[:2] == ["tutorial", "standings"]
    assert {row.split()[0] for row in rows if row.startswith(" ")} >= set(model.head.seats)


@pytest.mark.parametrize("room", [2, 4, 7])
def test_a_page_of_a_lesson_ends_with_a_sentence(room: int) -> None:
    text = "Kings raise monuments. What you build brings victory points (VP). You are Kilwa. " * 4
    pages = text_pages([text.strip(), "A last one."], 40, room)
    texts = [" ".join("".join(part for part, _ in line).strip() for line in page) for page in pages]
    assert " ".join(texts).split() == f"{text} A last one.".split()
    assert all(page.endswith(".") for page in texts)
    assert max(map(len, pages)) <= room


def test_a_sentence_may_fill_more_than_a_page() -> None:
    pages = text_pages(["Short. " + "word " * 40 + "end. Last."], 20, 3)
    assert max(map(len, pages)) == 3
    assert "".join(part for part, _ in pages[-1][-1]).strip().endswith("Last.")


def test_a_pane_that_was_asked_for_is_shown_though_it_has_to_be_cut() -> None:
    model = make_model("africana", 2)
    height = next(height for height in range(40) if "hands" in pane_titles(side_rows(model, height))) - 3
    assert "hands" not in pane_titles(side_rows(model, height))
    model.pane_key_presses = 1
    assert "hands" in pane_titles(side_rows(model, height))


def test_the_game_s_own_table_comes_before_the_log() -> None:
    model = make_model("africana", 2)
    height = next(height for height in range(40) if "expeditions" in pane_titles(side_rows(model, height, log=False)))
    assert "expeditions" in pane_titles(rows := side_rows(model, height))
    assert "log" not in pane_titles(rows)
    assert " F4: log, " in rows[[row.startswith("─ expeditions") for row in rows].index(True)]
    assert pane_titles(side_rows(model, height + 5))[-2:] == ["expeditions", "log"]
    model.pane_key_presses = 1
    assert "log" in pane_titles(side_rows(model, height))


def test_commands_are_not_offered_to_a_player_who_waits() -> None:
    model = make_model("zimbabwe", 2)
    model.view = model.view._replace(own_seats=model.head.to_move)
    assert "by" in pane_titles(side_rows(model, 24))
    model.view = model.view._replace(own_seats=())
    assert "by" not in pane_titles(side_rows(model, 24))


def test_of_many_squares_those_of_the_best_commands_light_up(open_table: OpenTable) -> None:
    terminal = open_table("kilwa-7", lines=30, columns=100)
    terminal.type_keys("craft potter ")
    text_before = terminal.wait_until(lambda text: 0 < text.count("°") <= 2 * MANY_HIGHLIGHTED)
    terminal.type_keys("d")
    terminal.wait_until(lambda text: "> craft potter d" in text and text.count("°") not in (0, text_before.count("°")))


def test_escape_and_another_game_bring_the_usual_panes_back() -> None:
    model = make_model("zimbabwe", 2)
    model.pane_key_presses = 2
    assert model.has_something_to_close
    model.close()
    assert (model.pane_key_presses, model.has_something_to_close) == (0, False)
    model.pane_key_presses = 2
    service = open_service("memory:")
    model.update_view(LineView(service.new("africana", {"players": "2"}, name="other", by="anna"), ()))
    assert model.pane_key_presses == 0


def test_the_legend_row_stays_above_a_map_that_is_too_tall() -> None:
    with in_process_table("africana", seat="italy") as table:
        rows = table.screen_text().splitlines()
        assert rows[1].startswith(" m magenta  t turquoise  g gray  o orange  v violet ")
        assert sum("9 rows below: F2 or the wheel" in row for row in rows) == 1
        assert table.controller.screen.scroll_board(99)
        table.controller.redraw()
        rows = table.screen_text().splitlines()
        assert "Cape Town" in "".join(rows)
        assert sum("9 rows above: F2 or the wheel" in row for row in rows) == 1
        assert not table.controller.screen.scroll_board(1)


def test_a_legend_begins_with_what_is_on_the_board() -> None:
    moves = ["start f4", "start a3", "bid 1", "pass", "craft wood_carver d4-d5 price 2"]
    with in_process_table("zimbabwe", moves) as table:
        signs = [sign for sign, _ in table.controller.screen.signs(Size(NARROW_WIDTH))]
        assert signs.index("WC") < signs.index("PO")
        assert signs.index("d") < signs.index("WC") < signs.index("w•")


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_what_a_program_does_is_shown_however_long_its_text_grows(width: int) -> None:
    model = make_model("zimbabwe", 2)
    model.busy_text = "deep:nodes=100000000 is thinking for mutapa 448,229 of 100,000,000"
    text = "".join(header_text for header_text, _ in header(model, width))
    assert len(text) == width
    assert text.startswith(" g")
    assert "deep:nodes=100000000 is " in text
