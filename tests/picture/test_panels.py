"""The panels next to the board: tracks, plaques and cards; in light, in dark, and as a PNG."""

from __future__ import annotations

import re
from itertools import product
from xml.etree import ElementTree

import msgspec
import pytest

from zimcore.game import Panel, Seat
from zimcore.games import africana, zimbabwe
from zimcore.games.africana.art.coast import AFRICA, OTHER_LANDS, ground, is_inside
from zimcore.games.africana.box import box
from zimcore.games.zimbabwe.art.panels import GOLD_COLOURS, RIGHT_WIDTH, TRACK_X
from zimcore.games.zimbabwe.art.panels import player_row as track_row
from zimcore.picture.palette import dark_mode_style
from zimcore.picture.png import to_png
from zimcore.picture.replay import replay_page
from zimcore.picture.sheet import draw_panels, draw_picture
from zimcore.service import GameService, Viewer, open_service

SEATS: tuple[Seat, ...] = ("kilwa", "mutapa", "zulu", "lozi")


def panel_titled(service: GameService, place: str, title: str, viewer: Viewer | None = None) -> Panel:
    panels = draw_panels(service.position(place, viewer or Viewer(None)), 792)
    return next(candidate for candidate in panels if candidate.title.startswith(title))


def drawn_texts(drawing: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(f"<g>{drawing}</g>").iter("text")]


def test_the_track_has_vp_vr_and_cattle_of_all_seats_in_the_order_of_play(service: GameService) -> None:
    state = service.position("zimbabwe@r9").state
    panel_texts = drawn_texts(panel_titled(service, "zimbabwe@r9", "Victory points").drawing)
    rows = [panel_texts[panel_texts.index(seat) - 1 :] for seat in state.order or state.queue]
    for number, (seat, row) in enumerate(zip(state.order or state.queue, rows, strict=True), 1):
        figures = [str(value) for value in (state.vp[seat], state.vr[seat], state.cattle[seat])]
        assert row[:5] == [f"{number}.", seat, *figures]


def test_the_flag_of_a_requirement_never_covers_the_number_of_the_points(service: GameService) -> None:
    state, width, digit_width = service.position("zimbabwe@r9").state, 792, 10
    seat = state.seats[0]
    for vp, vr in product(range(46), range(10, 46)):
        altered_state = msgspec.structs.replace(state, vp={**state.vp, seat: vp}, vr={**state.vr, seat: vr})
        drawing = "".join(
            track_row(altered_state, seat, 1, {seat: GOLD_COLOURS}, (width - TRACK_X - RIGHT_WIDTH) / 45, width)
        )
        root = ElementTree.fromstring(f"<g>{drawing}</g>")
        (points_text,) = (
            element for element in root.iter("text") if element.get("font-size") == "16" and element.text == str(vp)
        )
        (flag_path,) = (path for element in root.iter("path") if "h30v18" in (path := element.get("d", "")))
        flag_x = float(flag_path[1:].split()[0])
        points_end_x = float(points_text.get("x", "")) + (
            digit_width * len(str(vp)) if points_text.get("text-anchor") == "start" else 0
        )
        assert points_end_x <= flag_x or points_end_x - digit_width * len(str(vp)) >= flag_x + 30, (vp, vr)


def test_plaques_show_the_cattle_that_lie_on_them_while_kings_are_generous(service: GameService) -> None:
    position = next(
        candidate
        for number in range(40, 80)
        if (candidate := service.position(f"zimbabwe@{number}")).state.cattle_given
        and candidate.state.phase == "bidding"
    )
    panel_texts = drawn_texts(panel_titled(service, f"zimbabwe@{position.commit.number}", "Generosity").drawing)
    for plaque in position.state.plaques:
        assert panel_texts[panel_texts.index(plaque) + 1] == str(position.state.cattle.get(f"plaque/{plaque}", 0))
    titles = [drawn_panel.title for drawn_panel in draw_panels(service.position("zimbabwe@r9.zulu"), 792)]
    assert not any(title.startswith("Generosity") for title in titles)


def test_every_technology_is_a_card_with_its_price_and_vr(service: GameService) -> None:
    position = service.position("zimbabwe@r9")
    panel_texts = drawn_texts(panel_titled(service, "zimbabwe@r9", "Cards").drawing)
    for card, technology in position.state.technologies.items():
        name = card.partition("/")[2].replace("_", " ")
        assert [name, f"{technology.vr:+} VR", str(technology.price)] in [
            panel_texts[index : index + 3] for index in range(len(panel_texts))
        ]
    assert "engai" in panel_texts


def test_available_gods_leave_out_those_that_are_adored(service: GameService) -> None:
    state = service.position("zimbabwe@r9").state
    panel_texts = drawn_texts(panel_titled(service, "zimbabwe@r9", "Available").drawing)
    assert {god: f"{god} {vr:+}" in panel_texts for god, vr in state.setup.gods.items()} == {
        god: not state.adorer_of(god) for god in state.setup.gods
    }


@pytest.mark.parametrize("viewer", [Viewer(None), Viewer("italy"), Viewer("")], ids=str)
def test_a_hand_shows_no_more_than_its_viewer_may_see(
    service: GameService, viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zimcore.games.africana.secrets.OPENS_AT_END", False)
    visible_position = service.position("africana@20", viewer)
    drawings = "".join(drawn_panel.drawing for drawn_panel in draw_panels(visible_position, 792))
    hidden_count = sum(hand.count("?") for hand in visible_position.state.hands.values())
    assert drawings.count('fill="#7a4a22"') == hidden_count
    assert bool(hidden_count) == (viewer != Viewer(None))


def test_expeditions_are_cards_with_their_start_and_target(service: GameService) -> None:
    state = service.position("africana@20").state
    text = " ".join(drawn_texts(panel_titled(service, "africana@20", "Expeditions").drawing))
    for card in filter(None, state.spaces):
        expedition = state.map.expeditions[card]
        assert f"{state.map.title(expedition.start)} to {state.map.title(expedition.target)}" in text


@pytest.mark.parametrize("place", ["zimbabwe@0", "zimbabwe@r9", "zimbabwe", "africana@0", "africana@r9", "africana"])
def test_no_panel_is_higher_or_wider_than_it_says(service: GameService, place: str) -> None:
    for width in (528, 792):
        position = service.position(place)
        styles = dict.fromkeys(position.seats, ("#000000", "#ffffff"))
        art = position.game.art
        assert art
        for drawn_panel in art.panels(position.state, styles, width):
            root = ElementTree.fromstring(f"<g>{drawn_panel.drawing}</g>")
            for group in root.iter("g"):
                x, y = map(float, re.findall(r"-?[\d.]+", group.get("transform", "translate(0 0)"))[:2])
                assert x + 0.1 >= 0, drawn_panel.title
                assert x <= width, drawn_panel.title
                assert y <= drawn_panel.height, drawn_panel.title


def test_pages_follow_dark_mode_and_a_png_is_light(service: GameService) -> None:
    pytest.importorskip("resvg_py")
    svg = draw_picture(service.position("zimbabwe@3"))
    assert dark_mode_style() in svg
    assert to_png(svg) == to_png(svg.replace(dark_mode_style(), ""))


def test_every_location_of_our_box_lies_on_land() -> None:
    for location in box().locations:
        center = (location.at[0] + 0.5, location.at[1] + 0.5)
        assert any(is_inside(shore, center) for shore in (AFRICA, *OTHER_LANDS)), location.name
    assert not is_inside(AFRICA, (2.5, 20.5)), "the Atlantic"


def test_a_custom_map_has_no_coast(service: GameService) -> None:
    board = service.position("africana").board
    assert board
    assert list(ground(board))
    top_row, *rows = board.cells
    board_of_custom_map = msgspec.structs.replace(board, cells=(*rows, *[top_row] * 3))
    assert list(ground(board_of_custom_map)) == []


@pytest.mark.parametrize(("kind", "seats"), [("zimbabwe", "kilwa:Ann,zulu:Bob"), ("africana", "italy:Ann,france:Bob")])
def test_names_of_players_stand_beside_their_seats(kind: str, seats: str) -> None:
    position = open_service("memory:").new(kind, {"players": seats, "seed": "1"}, name="m", by="anna")
    first_label, second_label = (seat.replace(":", " (") + ")" for seat in seats.split(","))
    svg = draw_picture(position)
    assert f">{first_label}</text>" in svg
    assert f">{second_label}</text>" in svg
    assert f'"name":"{first_label}"' in replay_page([position])


def test_no_panels_are_drawn_before_set_up() -> None:
    for game in (zimbabwe.GAME, africana.GAME):
        assert game.art
        assert game.art.panels(game.evolution.initial(), {}, 500) == (), "nothing before set-up"
