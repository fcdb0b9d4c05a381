"""Whole screens at four sizes: both games, a menu with lit squares, other themes.

`--snapshot-update` writes them again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from tests.cli.table.conftest import OpenTable

SCREENS = Path(__file__).parent / "screens"
SIZES = [(80, 24), (100, 30), (120, 40), (200, 60)]


def check_screen(terminal: Terminal, name: str, request: pytest.FixtureRequest) -> None:
    """Waits for the screen that is stored under a name."""
    file = SCREENS / f"{name}.txt"
    if request.config.getoption("update_snapshots"):
        for _ in range(8):
            terminal.wait_for_silence()
        terminal.wait_until(lambda text: "thinking, " not in text)
        SCREENS.mkdir(exist_ok=True)
        file.write_text(terminal.text + "\n")
    expected = file.read_text().rstrip("\n")
    terminal.wait_until(lambda text: text == expected)


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_screen_of_the_great_zimbabwe(
    open_table: OpenTable, request: pytest.FixtureRequest, columns: int, lines: int
) -> None:
    terminal = open_table("demo", columns=columns, lines=lines, thinking=True)
    terminal.type_keys("craft ")
    check_screen(terminal, f"zimbabwe-{columns}x{lines}", request)


@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_screen_of_africana(open_table: OpenTable, request: pytest.FixtureRequest, columns: int, lines: int) -> None:
    terminal = open_table("k", "--as", "italy", columns=columns, lines=lines, thinking=True)
    terminal.type_keys("move ")
    check_screen(terminal, f"africana-{columns}x{lines}", request)


def test_screen_of_the_bidding(open_table: OpenTable, request: pytest.FixtureRequest) -> None:
    terminal = open_table("demo")
    terminal.type_keys("@r8\r")
    terminal.wait_for_text("main @95")
    terminal.type_keys("craft ")
    check_screen(terminal, "bidding-80x24", request)


def test_screen_in_plain_characters(open_table: OpenTable, request: pytest.FixtureRequest) -> None:
    terminal = open_table("demo", "--ascii", thinking=True)
    assert terminal.wait_for_silence().isascii()
    terminal.type_keys("craft ")
    check_screen(terminal, "ascii-80x24", request)


@pytest.mark.parametrize("game", ["demo", "k"])
def test_nothing_is_wider_than_its_pane_and_no_word_is_cut(open_table: OpenTable, game: str) -> None:
    words = {"demo": "Mutapa standings kilwa mutapa zulu lozi", "k": "Italy standings italy france"}[game].split()
    for columns, lines in [*SIZES, (60, 20), (90, 26), (133, 33)]:
        text = open_table(game, "--open", columns=columns, lines=lines).wait_for_silence()
        assert max(map(len, text.splitlines())) <= columns
        if columns >= 80:
            assert set(words) <= set(text.replace("▸", " ").split())


def test_each_theme_has_its_colours(open_table: OpenTable, tmp_path: Path) -> None:
    (tmp_path / "zim").mkdir()
    colours = set[str]()
    for theme in ("dark", "light", "colour-blind", "plain"):
        (tmp_path / "zim" / "config.toml").write_text(f'theme = "{theme}"\n')
        terminal = open_table("demo", COLORTERM="truecolor")
        terminal.wait_for_text("─ log ")
        row = next(index for index, line in enumerate(terminal.text.splitlines()) if "│ kilwa" in line)
        colours.add(terminal.screen.buffer[row][terminal.text.splitlines()[row].index("kilwa")].bg)
    assert colours == {"b3261e", "d55e00", "default"}


def test_without_colour_everything_has_a_mark(open_table: OpenTable) -> None:
    terminal = open_table("demo", NO_COLOR="1")
    terminal.type_keys("build ")
    text = terminal.wait_until(lambda text: "°" in text)
    assert "▸mutapa" in text
    assert {char.fg for row in terminal.screen.buffer.values() for char in row.values()} == {"default"}


def test_monuments_of_two_empires_with_one_initial_differ_in_three_columns() -> None:
    from zimcli.render.board import Drawing, Size
    from zimcli.render.spans import line_text
    from zimcore.game import Board, Cell

    cells = (
        Cell("a1", "Mu1", "monument", "1", "mutapa", marks=1),
        Cell("b1", "Ma1", "monument", "1", "mapungubwe", marks=1),
    )
    colours = {"kilwa": "red", "mutapa": "yellow", "mapungubwe": "white"}
    board = Board(("a", "b"), ("1",), (cells,))
    assert [line_text(line) for line in Drawing(board, colours, size=Size(3)).lines()][1] == "1 M1 A1"
