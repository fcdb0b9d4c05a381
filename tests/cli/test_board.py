"""The board has the same characters plain and in colour, in at most 80 columns."""

import io

import pytest
from rich.console import Console
from rich.text import Text
from syrupy.assertion import SnapshotAssertion

from zimcli.render.board import Drawing, Size
from zimcli.render.spans import Line, line_text, to_ascii
from zimcore.game import Board, Cell

COLOURS = {"kilwa": "red", "zulu": "green"}
BOARD_ROWS = ("o . ~ ~", ". K K w", "z K K .", "z Z . -")


def make_cell(square: str, sign: str, text: str) -> Cell:
    match sign:
        case "~":
            return Cell(square, "~", "water")
        case "-":
            return Cell(square, "", "void")
        case "o":
            return Cell(square, "o", "start")
        case "w":
            return Cell(square, "w*", "resource", "wood", marks=1)
        case "K":
            return Cell(square, text, "craftsman", "sculptor", "kilwa", piece="b2")
        case "z":
            return Cell(square, "WC" if square == "a3" else "Zu", "craftsman", "wood_carver", "zulu", piece="a3")
        case "Z":
            return Cell(square, "Zu2", "monument", "2", "zulu", 2)
    return Cell(square, ".", "land")


@pytest.fixture
def board() -> Board:
    texts = iter(("SC", "Ki", "", ""))
    cells = tuple(
        tuple(
            make_cell(f"{column}{number}", sign, next(texts) if sign == "K" else "")
            for column, sign in zip("abcd", row.split(), strict=True)
        )
        for number, row in enumerate(BOARD_ROWS, 1)
    )
    legend = ((".", "land"), ("~", "water"), ("o", "start area"), ("w*", "used wood"), ("Zu2", "a monument"))
    return Board(tuple("abcd"), tuple("1234"), cells, legend)


def plain_text(lines: list[Line]) -> str:
    return "\n".join(map(line_text, lines))


def test_board_with_glyphs(board: Board, snapshot: SnapshotAssertion) -> None:
    assert plain_text(list(Drawing(board, COLOURS).lines())) == snapshot


def test_board_in_ascii(board: Board, snapshot: SnapshotAssertion) -> None:
    lines = to_ascii(plain_text(list(Drawing(board, COLOURS, has_glyphs=False).lines())))
    assert lines.isascii()
    assert lines == snapshot


def test_colour_changes_no_character(board: Board) -> None:
    lines = list(Drawing(board, COLOURS).lines())
    stream = io.StringIO()
    for line in lines:
        Console(file=stream, force_terminal=True, color_system="truecolor", width=200).print(Text.assemble(*line))
    printed_lines = [Text.from_ansi(line).plain.rstrip() for line in stream.getvalue().splitlines()]
    assert "\n".join(printed_lines) == plain_text(lines)


def test_owners_have_their_colours(board: Board) -> None:
    styles = {text.strip(): style for line in Drawing(board, COLOURS).lines() for text, style in line}
    assert styles["WC"] == "bold #fdfaf3 on #227d2b"
    assert "#b3261e" in styles["SC─"]


def test_board_with_an_overlay_and_the_last_move(board: Board, snapshot: SnapshotAssertion) -> None:
    overlay = {"b1": "1", "b2": "", "c3": "2", "d2": ""}
    assert plain_text(list(Drawing(board, COLOURS, overlay=overlay, last_squares=["b4", "c3"]).lines())) == snapshot


def test_an_overlay_fades_what_it_does_not_mark(board: Board) -> None:
    styles = {
        text.strip(): style for line in Drawing(board, COLOURS, overlay={"b1": "1"}).lines() for text, style in line
    }
    assert styles["1"] == "bold #1d1a16 on #ffd84d"
    assert "#b3261e" not in styles["SC─"]


@pytest.mark.parametrize("size", [Size(3), Size(6, 2)], ids=["narrow", "wide"])
def test_board_in_other_sizes(board: Board, size: Size, snapshot: SnapshotAssertion) -> None:
    assert plain_text(list(Drawing(board, COLOURS, size=size).lines())) == snapshot


def test_18_board_columns_fit_into_80_characters() -> None:
    columns = tuple("abcdefghijklmnopqr")
    rows = tuple(str(number) for number in range(1, 19))
    cells = tuple(tuple(Cell(f"{column}{row}", ".", "land") for column in columns) for row in rows)
    legend = tuple((letter * 3, "something with a long name") for letter in columns)
    lines = list(Drawing(Board(columns, rows, cells, legend), {}).lines())
    assert max(len(line_text(line)) for line in lines) <= 80


def test_a_square_shows_its_text_and_the_letter_of_its_owner() -> None:
    row = (
        Cell("a1", "7", "square"),
        Cell("b1", "7", "square", "", "kilwa"),
        Cell("c1", "12", "piece", "tower", "zulu"),
        Cell("d1", "Z3", "piece", "tower", "zulu"),
        Cell("e1", "3", "land"),
        Cell("f1", "", "void"),
    )
    drawing = Drawing(Board(tuple("abcdef"), ("1",), (row,)), COLOURS, last_squares=["b1"])
    assert plain_text(list(drawing.lines())).splitlines() == [
        "   a   b   c   d   e   f",
        "1  7   K7◂Z12  Z3  3",
        "",
        "  K Kilwa   Z Zulu",
        "  ◂ the last move",
    ]


def test_pieces_that_a_game_names_itself_have_levels_and_used_markers() -> None:
    row = (Cell("a1", "Z", "tower", "2", "zulu", 2), Cell("b1", "w", "heap", "wood", marks=1))
    drawing = Drawing(Board(("a", "b"), ("1",), (row,)), COLOURS, size=Size(6, 2))
    assert plain_text(list(drawing.lines())).splitlines()[-1] == "    ▲▲    •"
