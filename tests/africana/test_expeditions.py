"""A-JOIN and A-EXP: joining and ending expeditions."""

import pytest

from tests.africana.kit import explorers_at, given, hand, joins, pile, silver, with_fields
from zimcore.game import NotationError
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import EndExpedition, Join
from zimcore.games.africana.events import (
    BANK,
    ActionChosen,
    CardsDrawn,
    ExpeditionEnded,
    ExpeditionJoined,
    ExpeditionLaid,
    ExplorerMoved,
    SilverPaid,
)
from zimcore.games.africana.notation.commands import SYNTAX

AT_ASWAN = given(explorers_at(italy="aswan"))
"""A01 starts here, on space 1, whose bonus is 1 silver."""


@pytest.mark.rule(accepts="A-JOIN-01")
def test_a_join_01_an_expedition_is_joined_at_any_moment_of_the_move() -> None:
    AT_ASWAN.when("join A01").then(
        ActionChosen("italy", "move"),
        ExpeditionJoined("italy", "A01", 1),
        SilverPaid(BANK, "italy", 1, "joining bonus"),
    )
    answer = given(explorers_at(italy="jidda"), hand(italy="gray magenta")).when(
        "move aswan gray", "join A01", "move jidda joker"
    )
    answer.then_among(ExplorerMoved("italy", "aswan", "jidda", "joker"))


@pytest.mark.rule(refuses="A-JOIN-01")
def test_a_join_01_only_a_face_up_expedition_is_joined_at_its_start() -> None:
    given().when("join A01").refused("A-JOIN-01", because="A01 starts at Aswan, and italy's explorer is at Napoli")
    AT_ASWAN.when("join B04").refused("A-JOIN-01", because="does not lie on an expedition space")


@pytest.mark.parametrize("verb", ["join", "end"])
def test_an_unknown_expedition_is_refused_with_the_syntax_of_its_command(verb: str) -> None:
    with pytest.raises(NotationError, match="no such expedition") as error:
        GAME.notation.parse(f"{verb} X99", given().state)
    assert error.value.hints == (SYNTAX[verb],)


@pytest.mark.rule(accepts="A-JOIN-02")
def test_a_join_02_all_expeditions_that_start_there_can_be_joined() -> None:
    position = given(explorers_at(italy="aswan"), spaces="A01 A02 B04 A04 A05")
    answer = position.when("join A01", "join B04")
    assert answer.state.markers == {"A01": ("italy",), "B04": ("italy",)}
    assert answer.state.markers_left("italy") == 2


@pytest.mark.rule(refuses="A-JOIN-02")
def test_a_join_02_an_expedition_is_joined_once_and_with_a_free_marker() -> None:
    AT_ASWAN.when("join A01", "join A01").refused("A-JOIN-02", because="has joined A01 already")
    position = given(explorers_at(italy="aswan"), joins("italy", "A02", "A03", "A04", "A05"))
    position.when("join A01").refused("A-JOIN-02", because="all 4 markers of italy")


@pytest.mark.rule(accepts="A-JOIN-03 A-JOIN-04 AMB-17")
def test_a_join_04_every_joiner_gets_the_bonus_of_the_space() -> None:
    answer = given(explorers_at(italy="aswan"), joins("france", "A01")).when("join A01")
    answer.then_among(SilverPaid(BANK, "italy", 1, "joining bonus"))
    assert answer.state.markers["A01"] == ("france", "italy")


@pytest.mark.rule(accepts="A-JOIN-04 AMB-04")
def test_a_join_04_a_travel_card_comes_from_the_top_of_the_pile() -> None:
    given(explorers_at(italy="timbuktu"), pile("gray", "violet")).when("join A02").then_among(
        ExpeditionJoined("italy", "A02", 2), CardsDrawn("italy", ("violet",))
    )


@pytest.mark.rule(accepts="A-JOIN-05")
def test_a_join_05_a_marker_that_comes_back_serves_at_once() -> None:
    position = given(explorers_at(italy="mozambique"), spaces="A01 A02 A03 A04 B09")
    position = position.after(joins("italy", "A01", "A02", "A03", "A04"))
    position.when("end A01", "join B09").then_among(ExpeditionJoined("italy", "B09", 5))


@pytest.mark.rule(accepts="A-EXP-01 AMB-01 AMB-03")
def test_a_exp_01_an_expedition_ends_at_its_target_even_before_a_step() -> None:
    position = given(explorers_at(italy="mozambique"), joins("italy", "A01"))
    position.when("end A01").then(
        ActionChosen("italy", "move"), ExpeditionEnded("italy", "A01", 1), SilverPaid(BANK, "italy", 6, "A01")
    )


@pytest.mark.rule(accepts="A-EXP-01 AMB-02")
def test_a_exp_01_ending_is_not_compulsory() -> None:
    answer = given(explorers_at(italy="mozambique"), joins("italy", "A01")).when("end")
    assert answer.state.markers == {"A01": ("italy",)}


@pytest.mark.rule(refuses="A-EXP-01")
def test_a_exp_01_no_expedition_ends_elsewhere_or_without_a_marker() -> None:
    given(joins("italy", "A01")).when("end A01").refused("A-EXP-01", because="A01 ends at Mozambique")
    position = given(explorers_at(italy="mozambique"), joins("france", "A01"))
    position.when("end A01").refused("A-EXP-01", because="italy has not joined A01")


@pytest.mark.rule(accepts="A-EXP-02 A-EXP-03")
def test_a_exp_02_only_the_ender_is_paid_and_all_markers_go_home() -> None:
    answer = given(explorers_at(italy="mozambique"), joins("italy", "A01"), joins("france", "A01")).when("end A01")
    assert answer.state.silver == {BANK: -6, "italy": 6, "france": 0}
    assert answer.state.finished == {"italy": ("A01",), "france": ()}
    assert [answer.state.markers_left(seat) for seat in ("italy", "france")] == [4, 4]


@pytest.mark.rule(accepts="A-EXP-04")
def test_a_exp_04_the_space_stays_empty_until_the_turn_ends() -> None:
    position = given(explorers_at(italy="mozambique"), joins("italy", "A01"))
    assert position.when("end A01").state.spaces[0] == ""
    position.when("end A01", "end").then_among(ExpeditionLaid("A10", 1))


@pytest.mark.rule(accepts="A-EXP-05")
def test_a_exp_05_an_expedition_is_joined_and_ended_in_one_action() -> None:
    position = given(explorers_at(italy="khartoum"), hand(italy="magenta"))
    answer = position.when("join A03", "move aswan magenta", "move cairo joker", "end A03")
    answer.then_among(ExpeditionEnded("italy", "A03", 3))
    assert answer.state.silver["italy"] == 2 + 4


@pytest.mark.rule(accepts="A-EXP-06", refuses="A-EXP-06")
def test_a_exp_06_an_ended_expedition_is_gone() -> None:
    position = given(
        explorers_at(italy="mozambique", france="mozambique"), joins("italy", "A01"), joins("france", "A01")
    )
    position.when("end A01", "end A01").refused("A-EXP-06", because="does not lie on an expedition space")
    position.when("end A01", "end", "end A01").refused("A-EXP-06")
    with_fields(position, places={"italy": "aswan", "france": "aswan"}).when("join A01").refused("A-JOIN-02")


@pytest.mark.rule(accepts="A-ADV-04")
def test_a_adv_04_the_order_at_one_location_is_free() -> None:
    position = given(silver(italy=0), explorers_at(italy="jidda"), spaces="A07 C04 A03 A04 A05").after(
        joins("italy", "A07")
    )
    for texts in (("end A07", "join C04"), ("join C04", "end A07")):
        assert position.when(*texts).state.silver["italy"] == 6


@pytest.mark.rule(refuses="A-COMP-04")
def test_a_comp_04_an_expedition_that_does_not_exist_is_neither_joined_nor_ended() -> None:
    for command in (Join("A99"), EndExpedition("A99")):
        given().when(command).refused("A-COMP-04", because="A99 is not an expedition")
