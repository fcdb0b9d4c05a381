"""R-CRA: placing craftsmen. What they need within range is in test_craftsmen_supply.py."""

import pytest

from tests.zimbabwe.facts import cattle, craftsman, monument, technology, tile, turn_of
from tests.zimbabwe.kit import given
from zimcore.games.zimbabwe.commands import PlaceCraftsman
from zimcore.games.zimbabwe.components import CRAFTSMEN
from zimcore.games.zimbabwe.events import (
    STOCK,
    ActionTaken,
    CattlePaid,
    CraftsmanPlaced,
    PriceSet,
    TechnologyTaken,
    VPScored,
    VRChanged,
)
from zimcore.toolkit.words import an

RICH_TURN = [*cattle(kilwa=20), *turn_of("kilwa")]
CLAY_AT_BOTH_ENDS = "C......... .......... .........C"
"""A clay at each end, too far apart for one potter."""


@pytest.mark.rule(accepts="R-CRA-01")
def test_r_cra_01_any_number_of_craftsmen_is_placed_in_one_action() -> None:
    first_line, second_line = "craft potter b1-c1 price 2", "craft potter i3-i2"
    given(CLAY_AT_BOTH_ENDS, RICH_TURN).when(first_line).then(
        ActionTaken("kilwa", "craft"),
        TechnologyTaken("kilwa", "potter", 1, 3),
        VRChanged("kilwa", 3, "potter"),
        PriceSet("kilwa", "potter", 2),
        CattlePaid("kilwa", STOCK, 2, "potter"),
        CraftsmanPlaced("kilwa", "potter", ("b1", "c1")),
        VPScored("kilwa", 1, "potter"),
    )
    given(CLAY_AT_BOTH_ENDS, RICH_TURN).when(first_line, second_line).then(
        CattlePaid("kilwa", STOCK, 2, "potter"),
        CraftsmanPlaced("kilwa", "potter", ("i2", "i3")),
        VPScored("kilwa", 1, "potter"),
    )


@pytest.mark.rule(accepts="R-CRA-01", refuses="R-CRA-04 R-CRA-06")
def test_r_cra_01_each_craftsman_is_checked_on_the_board_after_those_before() -> None:
    position = given(CLAY_AT_BOTH_ENDS + " I.........", RICH_TURN)
    position.when("craft potter a2-b2 price 1", "craft potter b1-c1").refused("R-CRA-06")
    position.when("craft potter a2-a3 price 1", "craft ivory_carver a2 price 1").refused("R-CRA-04")


@pytest.mark.rule(accepts="R-CRA-02")
def test_r_cra_02_the_second_card_counts_more() -> None:
    position = given(CLAY_AT_BOTH_ENDS, technology("zulu", "potter"), RICH_TURN)
    position.when("craft potter b1-c1 price 2").then_among(
        TechnologyTaken("kilwa", "potter", 2, 4), VRChanged("kilwa", 4, "potter")
    )


@pytest.mark.rule(accepts="R-CRA-02")
def test_r_cra_02_an_owner_of_the_technology_takes_no_other_card() -> None:
    position = given(CLAY_AT_BOTH_ENDS, technology("kilwa", "potter"), RICH_TURN)
    position.when("craft potter b1-c1").then_among(CraftsmanPlaced("kilwa", "potter", ("b1", "c1"))).then_no(
        TechnologyTaken, VRChanged, PriceSet
    )


@pytest.mark.rule(refuses="R-CRA-02")
def test_r_cra_02_with_both_cards_gone_there_is_none_to_take() -> None:
    taken_potter_cards = [*technology("zulu", "potter"), *technology("mutapa", "potter", card_number=2)]
    position = given(CLAY_AT_BOTH_ENDS, taken_potter_cards, RICH_TURN, seats="kilwa zulu mutapa")
    position.when("craft potter b1-c1 price 1").refused("R-CRA-02", because="taken, by zulu and mutapa")
    position.when(PlaceCraftsman("smith", ("b1",), 1)).refused("R-CRA-02", because="no craftsman called smith")


@pytest.mark.rule(accepts="R-CRA-03", refuses="R-CRA-03")
def test_r_cra_03_there_are_3_tiles_of_a_type_for_all_players() -> None:
    map_ = "C.......C.......C.......C " + 2 * ("." * 25 + " ")
    two_potters = [
        craftsman("zulu", "potter", "a2-b2"),
        technology("kilwa", "potter", card_number=2),
        tile("kilwa", "potter", "i2-j2"),
    ]
    position = given(map_, two_potters, RICH_TURN)
    position.when("craft potter q2-r2").then_among(CraftsmanPlaced("kilwa", "potter", ("q2", "r2")))
    position.when("craft potter q2-r2", "craft potter x2-y2").refused("R-CRA-03", because="all 3 tiles")


@pytest.mark.rule(accepts="R-CRA-04")
@pytest.mark.parametrize("squares", [("b1", "c1"), ("c1", "b1"), ("b1", "b2"), ("b2", "c2")])
def test_r_cra_04_small_tiles_lie_either_way(squares: tuple[str, ...]) -> None:
    answer = given(CLAY_AT_BOTH_ENDS, RICH_TURN).when(PlaceCraftsman("potter", squares, 1))
    answer.then_among(CraftsmanPlaced("kilwa", "potter", tuple(sorted(squares))))


@pytest.mark.rule(refuses="R-CRA-04")
@pytest.mark.parametrize("squares", ["b1", "b1-b1", "b1-d1", "b1-c2", "c2-b1", "b1-c1-d1", "b1-c1-c1", "b1-c1-b2-c2"])
def test_r_cra_04_other_forms_are_no_tile(squares: str) -> None:
    command = PlaceCraftsman("potter", tuple(squares.split("-")), 1)
    given(CLAY_AT_BOTH_ENDS, RICH_TURN).when(command).refused("R-CRA-04", because="the potter covers 1x2 squares")


@pytest.mark.rule(refuses="R-CRA-04")
@pytest.mark.parametrize("squares", ["b2-c2", "b2-b3", "a2-b2", "b1-c1", "b3-c3"])
def test_r_cra_04_all_squares_are_empty_land(squares: str) -> None:
    position = given("C.S.. .~.W. .....", monument("zulu", "a2"), craftsman("zulu", "wood_carver", "c3-d3"), RICH_TURN)
    position.when(f"craft potter {squares} price 1").refused("R-CRA-04", because="not empty land")


NEEDED_CRAFTSMEN = {
    "vessel_maker": craftsman("zulu", "potter", "e1-e2"),
    "sculptor": craftsman("zulu", "wood_carver", "e1-e2"),
    "throne_maker": craftsman("zulu", "ivory_carver", "e1"),
}


@pytest.mark.rule(accepts="R-CRA-05", refuses="R-CRA-05")
@pytest.mark.parametrize("type_", CRAFTSMEN)
def test_r_cra_05_the_full_cost_is_paid(type_: str) -> None:
    cost = CRAFTSMEN[type_].cost
    line = f"craft {type_} {'b2' if CRAFTSMEN[type_].size == (2, 2) else 'b2-b3'} price 1"
    position = given("CIWD.. ...... ......", NEEDED_CRAFTSMEN.get(type_, []), turn_of("kilwa"))
    position.after(cattle(kilwa=cost)).when(line).then_among(CattlePaid("kilwa", STOCK, cost, type_))
    answer = position.after(cattle(kilwa=cost - 1)).when(line)
    answer.refused("R-CRA-05", because=f"{an(type_)} costs {cost} cattle and kilwa has {cost - 1}")


@pytest.mark.rule(accepts="R-CRA-10")
def test_r_cra_10_craftsmen_score_at_once() -> None:
    position = given("D...C ..... .....", cattle(kilwa=12), turn_of("kilwa"))
    answer_to_cutter = position.when("craft diamond_cutter b1 price 1").then_among(
        VPScored("kilwa", 3, "diamond_cutter")
    )
    assert answer_to_cutter.state.vp["kilwa"] == 3
    answer_to_both = position.when("craft diamond_cutter b1 price 1", "craft potter d1-d2 price 1")
    assert answer_to_both.state.vp["kilwa"] == 4


@pytest.mark.rule(refuses="R-CRA-04")
@pytest.mark.parametrize("type_", ["potter", "vessel_maker"])
def test_r_cra_04_a_craftsman_without_squares_is_no_tile(type_: str) -> None:
    """A program may send it: no tile means nothing is out of range."""
    facts = [craftsman("zulu", "potter", "b1-c1"), cattle(kilwa=9)]
    position = given("C.......... ...........", facts, turn_of("kilwa"))
    position.when(PlaceCraftsman(type_, (), 1)).refused("R-CRA-04", because="not none")
