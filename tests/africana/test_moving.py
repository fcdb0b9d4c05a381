"""A-MOVE and A-RECOL: steps along the routes, and what they are paid with."""

import pytest

from tests.africana.kit import explorers_at, given, hand, owns, silver, with_fields
from zimcore.games.africana.commands import Move
from zimcore.games.africana.events import (
    BANK,
    ActionChosen,
    ActionEnded,
    ExplorerMoved,
    SilverPaid,
    TableCleared,
)


@pytest.mark.rule(accepts="A-MOVE-01")
def test_a_move_01_a_step_is_paid_with_a_symbol_of_the_destination() -> None:
    position = given(hand(italy="turquoise gray"))
    for card in ("turquoise", "gray"):
        answer = position.when(f"move cairo {card}")
        answer.then(ActionChosen("italy", "move"), ExplorerMoved("italy", "napoli", "cairo", card))
        assert answer.state.table == (card,)


@pytest.mark.rule(refuses="A-MOVE-01")
def test_a_move_01_a_step_goes_only_along_a_route() -> None:
    for place in ("Lagos", "Ujiji"):
        position = given().when(f"move {place.lower()} joker")
        position.refused("A-MOVE-01", because=f"no route joins Napoli and {place}")
    given().when("move napoli joker").refused("A-MOVE-01")


@pytest.mark.rule(accepts="A-MOVE-02")
def test_a_move_02_a_move_has_as_many_steps_as_there_are_cards() -> None:
    position = given(hand(italy="gray orange turquoise"), explorers_at(france="cairo"))
    answer = position.when("move cairo gray", "move napoli orange", "move cairo turquoise", "move aswan joker")
    assert answer.state.places == {"italy": "aswan", "france": "cairo"}
    assert answer.state.hands["italy"] == ()


@pytest.mark.rule(refuses="A-MOVE-02")
def test_a_move_02_without_a_card_there_is_no_step() -> None:
    given().when("move cairo gray").refused("A-MOVE-02", because="italy has no gray card")


@pytest.mark.rule(accepts="A-MOVE-03")
def test_a_move_03_the_joker_is_any_card_and_an_assistant_one_of_its_colour() -> None:
    given().when("move cairo joker").then_among(ExplorerMoved("italy", "napoli", "cairo", "joker"))
    answer = given(owns("italy", "N13"), explorers_at(italy="luanda")).when(
        "end N13", "move victoria_falls gray_assistant"
    )
    answer.then_among(ExplorerMoved("italy", "luanda", "victoria_falls", "gray_assistant"))


@pytest.mark.rule(refuses="A-MOVE-03")
def test_a_move_03_any_other_card_does_not_fit() -> None:
    position = given(hand(italy="violet"))
    position.when("move cairo violet").refused("A-MOVE-03", because="Cairo takes turquoise or gray, not violet")
    position = given(owns("italy", "N13"), explorers_at(italy="luanda"))
    position.when("end N13", "move leopoldville gray_assistant").refused("A-MOVE-03")


@pytest.mark.rule(accepts="A-MOVE-04 A-MOVE-05")
def test_a_move_04_at_the_end_travel_cards_are_discarded_and_the_others_come_back() -> None:
    position = given(hand(italy="gray"), owns("italy", "N13"), explorers_at(italy="luanda"))
    answer = position.when(
        "end N13", "move victoria_falls gray_assistant", "move ujiji gray", "move leopoldville j", "end"
    )
    answer.then_among(TableCleared("italy", ("gray",), ("gray_assistant", "joker")), ActionEnded("italy"))
    assert answer.state.hands["italy"] == ("gray_assistant", "joker")
    assert answer.state.discards == ("gray",)
    assert answer.state.table == ()


@pytest.mark.rule(accepts="AMB-08", refuses="A-MOVE-04")
def test_a_move_04_a_card_on_the_table_pays_for_no_other_step() -> None:
    given().when("move cairo joker", "move napoli joker").refused("A-MOVE-04", because="lies on the table")
    answer = given(hand(italy="gray ?")).when("move cairo gray", "move aswan gray")
    answer.refused("A-MOVE-04", because="whether italy has another gray card is hidden")


@pytest.mark.rule(accepts="A-MOVE-06 AMB-09")
def test_a_move_06_cards_and_silver_won_can_be_used_at_once() -> None:
    position = given(silver(italy=4), hand(italy="gray"), explorers_at(italy="aswan"), spaces="A01 A02 A03 A04 A05")
    position = with_fields(position, spaces=("A01", "", "", "", ""))
    position.when("move jidda gray recoloured").refused("A-RECOL-01", because="costs 5 silver and italy has 4")
    position.when("join A01", "move jidda gray recoloured").then_among(SilverPaid("italy", BANK, 5, "recolouring"))


@pytest.mark.rule(accepts="A-RECOL-01 AMB-20")
def test_a_recol_01_each_card_can_be_recoloured_for_5_silver() -> None:
    position = given(silver(italy=10), hand(italy="violet magenta"))
    answer = position.when("move cairo violet recoloured", "move napoli magenta rec", "end")
    answer.then_among(TableCleared("italy", ("violet", "magenta"), ()))
    assert answer.state.silver["italy"] == 0


@pytest.mark.rule(accepts="A-RECOL-01")
def test_a_recol_01_a_recoloured_assistant_returns_in_its_own_colour() -> None:
    position = given(silver(italy=5), owns("italy", "N13"), explorers_at(italy="luanda"))
    answer = position.when("end N13", "move leopoldville gray_assistant recoloured", "end")
    assert answer.state.hands["italy"] == ("gray_assistant", "joker")


@pytest.mark.rule(refuses="A-RECOL-01")
def test_a_recol_01_is_refused_without_the_silver() -> None:
    position = given(silver(italy=9), hand(italy="violet magenta"))
    position.when("move cairo violet recoloured", "move napoli magenta recoloured").refused("A-RECOL-01")


@pytest.mark.rule(accepts="A-RECOL-02", refuses="A-RECOL-02")
def test_a_recol_02_a_card_that_pays_as_it_is_is_not_recoloured() -> None:
    position = given(silver(italy=5), hand(italy="gray violet"))
    position.when("move cairo joker recoloured").refused("A-RECOL-02", because="as it is")
    position.when("move cairo gray recoloured").refused("A-RECOL-02")
    assert "move cairo violet recoloured" in position.game.rules.legal(position.state, "italy").texts("move")


def test_all_rules_that_a_move_breaks_are_named() -> None:
    given().when(Move("lagos", "violet")).refused("A-MOVE-01", "A-MOVE-02", "A-MOVE-03")
    given(explorers_at(italy="cairo")).when(Move("lagos", "gray", True)).refused(
        "A-MOVE-01", "A-MOVE-02", "A-RECOL-01", "A-RECOL-02"
    )
