"""The pictures of games without art and without a board."""

from xml.etree import ElementTree

import pytest

from tests.cli.herd import GAME, State
from zimcore.commits import Commit, Position
from zimcore.game import Board, Cell
from zimcore.picture import plain
from zimcore.picture.pieces import draw_piece, find_pieces, piece_text
from zimcore.picture.replay import replay_page
from zimcore.picture.sheet import draw_picture
from zimcore.service import open_service

RED, BLUE = "#b3261e", "#2456a6"


def herd_position(commit: Commit) -> Position:
    state = State(3, 2, 0, {"kilwa": 1, "zulu": 0}, {"a1": "kilwa", "c3": "zulu"})
    return Position("m", "main", commit, state, GAME)


@pytest.fixture(scope="module")
def commit() -> Commit:
    """Any commit."""
    return open_service("memory:").new("zimbabwe", {"players": "2", "seed": "1"}, name="m", by="anna").commit


def elements_named(svg: str, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{name}"))


def drawn_texts(svg: str) -> list[str]:
    return [element.text or "" for element in elements_named(svg, "text")]


def test_pieces_are_discs_with_their_letters_in_the_colours_of_their_owners(commit: Commit) -> None:
    svg = draw_picture(herd_position(commit))
    assert [disc.get("fill") for disc in elements_named(svg, "circle")][:2] == [RED, BLUE]
    assert {"K1", "Z1"} <= set(drawn_texts(svg))


def test_the_ground_is_squares_by_their_roles_and_its_signs_are_not_written_on_it(commit: Commit) -> None:
    svg = draw_picture(herd_position(commit))
    squares = [square.get("fill") for square in elements_named(svg, "rect") if square.get("width") == "44"]
    assert len(squares) == 9
    assert len(set(squares)) == 2, "land and water"
    assert "." not in drawn_texts(svg)


def test_the_legend_explains_the_letters(commit: Commit) -> None:
    assert any("K1  a house of Kilwa" in text for text in drawn_texts(draw_picture(herd_position(commit))))


def test_a_game_without_a_board_has_its_tables_and_no_frame_for_one(
    commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    svg_with_board = draw_picture(herd_position(commit))
    monkeypatch.setattr(GAME.display, "board", lambda _: None)
    svg = draw_picture(herd_position(commit))
    assert [text for text in drawn_texts(svg) if text in ("player", "kilwa", "zulu")] == ["player", "kilwa", "zulu"]
    assert len(elements_named(svg, "rect")) == 2, "the paper and its frame"
    assert (
        float(elements_named(svg, "svg")[0].get("height", 0))
        < float(elements_named(svg_with_board, "svg")[0].get("height", 0)) - 132
    )


def test_a_replay_without_a_board_has_an_empty_box_and_draws_nothing(
    commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GAME.display, "board", lambda _: None)
    page = replay_page([herd_position(commit)])
    assert '"box":""' in page
    assert '"parts":[]' in page
    assert '"cells":["kilwa","1","1"]' in page


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_no_element_has_an_opacity_which_would_need_a_layer(kind: str) -> None:
    position = open_service("memory:").new(kind, {"players": "2", "seed": "1"}, name="m", by="anna")
    svg = draw_picture(position)
    assert not any(element.get("opacity") for element in ElementTree.fromstring(svg).iter())


def test_ground_with_a_text_of_its_own_is_lettered() -> None:
    row = (Cell("a1", "7", "square"), Cell("b1", ".", "land"), Cell("c1", "7", "piece", "tower", "kilwa", 2))
    drawn_pieces = list(find_pieces(Board(("a", "b", "c"), ("1",), (row,)), {"kilwa": "red"}))
    assert [piece.cell.square for piece in drawn_pieces] == ["a1", "c1"]
    assert "<rect" not in draw_piece(drawn_pieces[0], plain)
    assert [piece_text(piece) for piece in drawn_pieces] == ["a1: 7", "tower of level 2 of Kilwa"]
