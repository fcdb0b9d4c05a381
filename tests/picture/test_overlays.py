"""Overlays of a board: frames around whole pieces, arrows, and marks that hide nothing."""

from __future__ import annotations

import re
from itertools import combinations
from math import dist

import pytest

from zimcore.commits import Position
from zimcore.game import Arrow, Board, Cell, Overlay, Transfer
from zimcore.history.replay_states import states_after_commits
from zimcore.picture.arrows import PLATE_RADIUS, draw_arrows
from zimcore.picture.overlays import labelled_corners, last_move_frames, plate_width
from zimcore.picture.sheet import draw_picture
from zimcore.picture.squares import points_of_squares, squares_of_last_move
from zimcore.service import GameService
from zimcore.toolkit.outline import outline
from zimcore.toolkit.svg import SIDE


def make_cell(square: str, piece: str = "") -> Cell:
    return Cell(square, "x" if piece else ".", "craftsman" if piece else "land", piece=piece)


BOARD = Board(
    ("a", "b", "c"),
    ("1", "2"),
    (
        (make_cell("a1", "a1"), make_cell("b1", "a1"), make_cell("c1")),
        (make_cell("a2", "a1"), make_cell("b2", "a1"), make_cell("c2")),
    ),
)


def position_after_move(service: GameService, game: str, beginning: str) -> Position:
    """The first position after such a move."""
    log = service.log(game)
    for commit, state in states_after_commits(service.position(game).game, log):
        if commit.text.startswith(beginning):
            return Position(game, "main", commit, state, commit.game)
    raise AssertionError(beginning)


def test_the_frame_of_a_move_goes_around_the_whole_piece_and_each_by_itself() -> None:
    [_, frame] = last_move_frames(BOARD, {"b1", "c1"})
    assert outline({(0, 0), (1, 0), (0, 1), (1, 1)}, SIDE, 9) in frame
    assert outline({(2, 0)}, SIDE, 9) in frame
    assert frame.count("Z") == 2


def test_a_text_on_a_larger_piece_stands_in_its_upper_right_corner_once() -> None:
    marks = Overlay("", {"a1": "", "b2": "3", "c1": "2"})
    assert list(labelled_corners(BOARD, marks, points_of_squares(BOARD, marks.squares))) == [
        ((67.5, 1.5), "3"),
        ((88.5, 0.5), "2"),
    ]


def test_several_texts_on_a_piece_stand_on_their_own_squares() -> None:
    marks = Overlay("", {"a1": "1", "b2": "2"})
    assert list(labelled_corners(BOARD, marks, points_of_squares(BOARD, marks.squares))) == [
        ((0.5, 0.5), "1"),
        ((44.5, 44.5), "2"),
    ]


def test_a_text_stands_on_the_left_of_a_place_and_does_not_hide_its_name(service: GameService) -> None:
    position = service.position("africana@20")
    board, overlay = position.board, position.game.display.overlay(position.state, "reach", [])
    assert board
    places_of_texts = points_of_squares(board, overlay.squares)
    texts = list(labelled_corners(board, overlay, places_of_texts))
    assert texts
    for (left, top), text in texts:
        assert any(
            left + plate_width(text) == x * SIDE and y * SIDE < top < (y + 1) * SIDE
            for x, y in places_of_texts.values()
        )


def test_a_piece_beside_a_mark_is_drawn_smaller(service: GameService) -> None:
    position = service.position("zimbabwe@r9")
    for name, words in (("reach", ["l7"]), ("hubs", ["l7"])):
        overlay = position.game.display.overlay(position.state, name, words)
        assert overlay.squares["j4"]
        x, y = 9.5 * SIDE, 3.5 * SIDE
        assert f"translate({x + 5:g} {y + 5:g}) scale(0.78)" in draw_picture(position, overlay)
    assert "scale(0.78)" not in draw_picture(position)


def test_arrows_of_a_raise_lead_from_resources_over_craftsmen_to_the_monument(service: GameService) -> None:
    position = position_after_move(service, "zimbabwe", "raise g12 ivory_carver@k8/j4")
    assert position.arrows == (Arrow("j4", "k8"), Arrow("k8", "g12", "", "kilwa"))
    assert len(list(draw_arrows(position.board or BOARD, position.arrows, position.colours))) == 2
    drawing_with_arrows = draw_picture(position, None, squares_of_last_move(position, position.board))
    assert drawing_with_arrows.count("stroke-dasharray='1 5'".replace("'", '"')) == 1


def test_a_secondary_good_comes_from_a_primary_one(service: GameService) -> None:
    position = position_after_move(service, "zimbabwe", "raise g9 sculptor@f10/e11(wood_carver@f8/e5)")
    lines = position.arrows[:4]
    assert lines == (
        Arrow("e5", "f8"),
        Arrow("f8", "f10", "", "zulu"),
        Arrow("e11", "f10"),
        Arrow("f10", "g9", "", "zulu"),
    )


def test_a_raise_pays_the_players_whose_craftsmen_work_and_arrows_lead_to_them(service: GameService) -> None:
    transfers = service.position("zimbabwe@67").transfers
    assert transfers == (
        Transfer("zulu", "", 1, "cattle"),  # for a hub
        Transfer("zulu", "kilwa", 1, "cattle", Arrow("g9", "k8", "+1", "kilwa")),
        Transfer("zulu", "kilwa", 1, "cattle", Arrow("g9", "h8", "+1", "kilwa")),
        Transfer("zulu", "lozi", 1, "cattle", Arrow("g9", "j7", "+1", "lozi")),
    )
    assert service.position("zimbabwe@25").transfers == (), "cattle on one's own card stay one's own"
    assert service.position("zimbabwe@5").transfers == (Transfer("kilwa", "", 1, "cattle"),), "a gift is nobody's yet"
    assert service.position("africana@30").transfers == (Transfer("france", "", 5, "silver"),)


def test_no_name_of_an_arrow_covers_another(service: GameService) -> None:
    count = 0
    for number in range(1, len(service.log("zimbabwe"))):
        position = service.position(f"zimbabwe@{number}")
        payments = [transfer.arrow for transfer in position.transfers if transfer.arrow]
        drawing = "".join(draw_arrows(position.board or BOARD, payments, position.colours))
        plates = [(float(x), float(y)) for x, y in re.findall(r"translate\(([\d.-]+)[ ,]([\d.-]+)\)", drawing)]
        assert len(plates) == len(payments), "each once, near who is paid"
        count += len(plates)
        assert all(dist(first, second) > 2 * PLATE_RADIUS for first, second in combinations(plates, 2)), number
    assert count > 10


def test_moves_without_a_raise_have_no_arrows(service: GameService) -> None:
    assert service.position("zimbabwe@r1").arrows == ()


def test_steps_and_expeditions_of_africana_are_arrows(service: GameService) -> None:
    position = position_after_move(service, "africana", "move ")
    [step] = position.arrows
    assert step.seat == position.commit.seat
    assert step.end == position.state.places[step.seat]
    board = position.board
    assert board
    expeditions = position.state.map.expeditions
    assert [(arrow.text, arrow.start, arrow.end) for arrow in board.arrows] == [
        (str(space), expeditions[card].start, expeditions[card].target)
        for space, card in enumerate(position.state.spaces, 1)
    ]
    assert "&gt;" not in draw_picture(position), "no `>4` on a road"


@pytest.mark.parametrize("arrow", [Arrow("a1", "z9"), Arrow("a1", "b2")], ids=["off the board", "within a piece"])
def test_an_arrow_that_leads_nowhere_is_not_drawn(arrow: Arrow) -> None:
    assert list(draw_arrows(BOARD, [arrow], {})) == []
