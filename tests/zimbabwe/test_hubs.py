"""R-HUB: monuments carry goods on, and each use of one costs 1."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, craftsman, monument, turn_of
from tests.zimbabwe.kit import Position, given, map_rows
from zimcore.games.zimbabwe.board import Board
from zimcore.games.zimbabwe.events import STOCK, ActionTaken, CattlePaid, GoodMade, MonumentRaised, VPScored


def count_hubs(map_: str, start: str, target: str, monuments: str = "", steps: int = 3) -> int | None:
    """The hubs from one square to another."""
    board = Board.from_rows(map_rows(map_))
    return board.hubs(board.square[start], board.square[target], steps, board.mask(monuments.split()))


@pytest.mark.rule(accepts="R-HUB-01")
@pytest.mark.parametrize(
    ("target", "monuments", "expected_hubs"),
    [
        ("d1", "", 0),
        ("e1", "", None),
        ("e1", "b1", 1),
        ("e1", "d1", 1),
        ("g1", "d1", 1),
        ("h1", "d1", None),
        ("h1", "d1 g1", 2),
        ("h1", "b1 c1 g1", None),
        ("h1", "b1 c1 d1 e1 f1 g1", 6),
    ],
)
def test_r_hub_01_the_least_chain_of_monuments_counts(target: str, monuments: str, expected_hubs: int | None) -> None:
    assert count_hubs("........", "a1", target, monuments) == expected_hubs


@pytest.mark.rule(accepts="R-HUB-02")
def test_r_hub_02_no_path_runs_through_a_monument_without_using_it() -> None:
    assert count_hubs("....... .......", "a1", "d1", "c1 c2") == 1
    assert count_hubs("....... ....... .......", "a1", "d2", "c1 c2") == 0, "the way round is 3 steps long too"


@pytest.mark.rule(accepts="R-HUB-02")
def test_r_hub_02_a_lake_leads_round_a_monument() -> None:
    assert count_hubs("...... ......", "a1", "d1", "b1 b2") == 1
    assert count_hubs("...... ~~~~~~", "a1", "d1", "b1") == 0


@pytest.mark.rule(accepts="R-HUB-02")
def test_r_hub_02_a_tile_may_leave_a_monument_on_its_own_square() -> None:
    assert count_hubs("....", "a1", "d1", "a1") == 0
    assert count_hubs("....", "a1", "d1", "a1 d1") == 0


def given_distant_potter(*facts: Facts) -> Position:
    """Kilwa is to raise h1; Zulu's potter on b1-c1 is 5 steps away, out of range unless a hub stands between."""
    potter = craftsman("zulu", "potter", "b1-c1", price=2)
    return given("C........", cattle(kilwa=9), potter, monument("kilwa", "h1"), facts, turn_of("kilwa"))


RAISE_LINE = "raise h1 potter@b1/a1"


@pytest.mark.rule(accepts="R-HUB-03")
@pytest.mark.parametrize("owner", ["kilwa", "zulu"])
def test_r_hub_03_any_players_monument_is_a_hub(owner: str) -> None:
    given_distant_potter().when(RAISE_LINE).refused("R-RAI-05", because="can't be reached")
    given_distant_potter(monument(owner, "f1")).when(RAISE_LINE).then_among(CattlePaid("kilwa", STOCK, 1, "hubs"))


@pytest.mark.rule(accepts="R-HUB-03")
def test_r_hub_03_the_monument_being_raised_is_a_hub_too() -> None:
    """From the sculptor the primary good comes over f1, which gets it, and over no other monument."""
    makers = [craftsman("zulu", "sculptor", "b1"), craftsman("zulu", "wood_carver", "i1-i2")]
    facts: Facts = [cattle(kilwa=9), makers, turn_of("kilwa")]
    position = given("W.......... ..........W", facts, monument("kilwa", "f1"))
    answer = position.when("raise f1 sculptor@b1/a1(wood_carver@i1/k2)")
    assert [event for event in answer.events if isinstance(event, CattlePaid) and event.reason == "hubs"] == [
        CattlePaid("kilwa", STOCK, 1, "hubs")
    ]
    other_position = given("W.......... ..........W", facts, monument("kilwa", "d1"))
    other_position.when("raise d1 sculptor@b1/a1(wood_carver@i1/k2)").refused(
        "R-RAI-05", because="wood_carver at i1 can't"
    )


@pytest.mark.rule(accepts="R-HUB-03")
def test_r_hub_03_chains_may_be_long() -> None:
    facts = [craftsman("zulu", "potter", "b1-c1"), monument("kilwa", "o1"), monument("kilwa", "f1")]
    facts += [monument("zulu", "i1"), monument("zulu", "l1")]
    position = given("C...............", cattle(kilwa=4), facts, turn_of("kilwa"))
    position.when("raise o1 potter@b1/a1").then_among(CattlePaid("kilwa", STOCK, 3, "hubs"))


@pytest.mark.rule(accepts="R-HUB-04")
def test_r_hub_04_the_monument_being_raised_is_paid_where_the_second_leg_passes_it() -> None:
    makers = [craftsman("zulu", "sculptor", "b1", price=3), craftsman("zulu", "wood_carver", "i1-i2", price=2)]
    position = given("W.......... ..........W", cattle(kilwa=6), makers, monument("kilwa", "f1"), turn_of("kilwa"))
    position.when("raise f1 sculptor@b1/a1(wood_carver@i1/k2)").then(
        ActionTaken("kilwa", "raise"),
        CattlePaid("kilwa", "zulu/sculptor", 3, "sculptor"),
        GoodMade("kilwa", "sculptor", "b1", "a1"),
        CattlePaid("kilwa", STOCK, 1, "hubs"),
        CattlePaid("kilwa", "zulu/wood_carver", 2, "wood_carver"),
        GoodMade("kilwa", "wood_carver", "i1", "k2"),
        MonumentRaised("kilwa", "f1", 2),
        VPScored("kilwa", 2, "monument f1"),
    )


@pytest.mark.rule(accepts="R-HUB-05")
def test_r_hub_05_a_hub_is_paid_for_each_good_that_uses_it() -> None:
    makers = [craftsman("zulu", "potter", "b1-c1"), craftsman("zulu", "ivory_carver", "b2")]
    monument_facts = [
        monument("kilwa", "h1", 2),
        monument("zulu", "f1"),
        monument("zulu", "f2"),
        monument("zulu", "f3"),
    ]
    position = given("C....... I....... ........", cattle(kilwa=4), makers, monument_facts, turn_of("kilwa"))
    hub_payment = CattlePaid("kilwa", STOCK, 1, "hubs")
    answer = position.when("raise h1 potter@b1/a1 ivory_carver@b2/a2").then_among(hub_payment, hub_payment)
    assert answer.state.cattle["kilwa"] == 0


@pytest.mark.rule(accepts="R-HUB-06")
def test_r_hub_06_the_fewest_hubs_are_used() -> None:
    position = given_distant_potter(monument("zulu", "g1"), monument("zulu", "e1"))
    position.when(RAISE_LINE).then_among(CattlePaid("kilwa", STOCK, 2, "hubs"))
    other_position = given(
        "C........ .........",
        cattle(kilwa=9),
        craftsman("zulu", "potter", "b1-c1"),
        [monument("kilwa", "h1"), monument("zulu", "g1"), monument("zulu", "e1")],
        turn_of("kilwa"),
    )
    other_position.when(RAISE_LINE).then_among(CattlePaid("kilwa", STOCK, 1, "hubs"))


@pytest.mark.rule(accepts="R-HUB-07")
def test_r_hub_07_hubs_do_not_lead_to_resources() -> None:
    position = given("......C", cattle(kilwa=2), monument("kilwa", "d1"), turn_of("kilwa"))
    position.when("craft potter a1-b1 price 1").refused("R-CRA-06")
    potter_and_monument = [craftsman("zulu", "potter", "b1-c1"), monument("kilwa", "f1")]
    position = given("C.......C", cattle(kilwa=2), potter_and_monument, turn_of("kilwa"))
    position.when("raise f1 potter@b1/i1").refused("R-RAI-05", because="no clay on i1 within 3 steps")


@pytest.mark.rule(accepts="R-HUB-08")
def test_r_hub_08_hubs_are_paid_to_the_stock() -> None:
    answer = given_distant_potter(monument("zulu", "f1")).when(RAISE_LINE)
    answer.then_among(CattlePaid("kilwa", STOCK, 1, "hubs"), CattlePaid("kilwa", "zulu/potter", 2, "potter"))


@pytest.mark.rule(accepts="R-HUB-08")
@pytest.mark.parametrize("adorer", ["kilwa", "zulu"])
def test_r_hub_08_hubs_are_paid_to_the_card_of_qamata_even_by_her_adorer(adorer: str) -> None:
    answer = given_distant_potter(monument("zulu", "f1"), adored_god(adorer, "qamata")).when(RAISE_LINE)
    answer.then_among(CattlePaid("kilwa", f"{adorer}/qamata", 1, "hubs"))


@pytest.mark.rule(accepts="R-HUB-09")
def test_r_hub_09_hubs_are_free_for_placing_a_secondary_craftsman() -> None:
    facts = [craftsman("zulu", "potter", "b1-b2"), monument("zulu", "e1"), monument("zulu", "h1")]
    position = given("C...........C C............", cattle(kilwa=4), facts, turn_of("kilwa"))
    answer = position.when("craft vessel_maker j1 price 1").then_among(CattlePaid("kilwa", STOCK, 4, "vessel_maker"))
    assert answer.state.cattle["kilwa"] == 0
