"""R-RAI: raising monuments with ritual goods. Hubs are in test_hubs.py."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, craftsman, monument, technology, turn_of, used_markers
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Supply
from zimcore.games.zimbabwe.components import CONSTANTS
from zimcore.games.zimbabwe.events import ActionTaken, CattlePaid, GoodMade, MonumentRaised, VPScored
from zimcore.games.zimbabwe.legal import legal_raises
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.rules.rituals import price_for

TEN_COLUMNS = "CCI....... CC........ .........."
"""Clay on a1, b1, a2 and b2, ivory on c1."""
POTTER = craftsman("zulu", "potter", "c2-d2", price=2)
CARVER = craftsman("zulu", "ivory_carver", "e1", price=3)


def given_raise(*facts: Facts) -> Position:
    """Kilwa, who has a monument on g1, can raise it with goods of Zulu's potter (2 cattle) and ivory carver (3)."""
    return given(TEN_COLUMNS, cattle(kilwa=20), POTTER, CARVER, facts, turn_of("kilwa"))


@pytest.mark.rule(accepts="R-RAI-01 R-RAI-05")
def test_r_rai_01_own_monuments_rise_by_one_level_each_in_the_order_named() -> None:
    position = given_raise(monument("kilwa", "g1"), monument("kilwa", "g3"))
    position.when("raise g3 potter@c2/a1; g1 ivory_carver@e1/c1").then(
        ActionTaken("kilwa", "raise"),
        CattlePaid("kilwa", "zulu/potter", 2, "potter"),
        GoodMade("kilwa", "potter", "c2", "a1"),
        MonumentRaised("kilwa", "g3", 2),
        VPScored("kilwa", 2, "monument g3"),
        CattlePaid("kilwa", "zulu/ivory_carver", 3, "ivory_carver"),
        GoodMade("kilwa", "ivory_carver", "e1", "c1"),
        MonumentRaised("kilwa", "g1", 2),
        VPScored("kilwa", 2, "monument g1"),
    )


@pytest.mark.rule(accepts="R-RAI-01 R-TURN-04")
def test_r_rai_01_monuments_may_be_raised_one_by_one() -> None:
    position = given_raise(monument("kilwa", "g1"), monument("kilwa", "g3"))
    answer_to_both = position.when("raise g3 potter@c2/a1; g1 ivory_carver@e1/c1")
    first_line, second_line = "raise g3 potter@c2/a1", "raise g1 ivory_carver@e1/c1"
    answer = position.when(first_line, second_line).then_no(ActionTaken)
    assert [*position.when(first_line).events, *answer.events] == list(answer_to_both.events)
    assert GAME.evolution.canonical(answer.state) == GAME.evolution.canonical(answer_to_both.state)


@pytest.mark.rule(refuses="R-TURN-01")
def test_r_turn_01_a_monument_built_in_a_turn_is_not_raised_in_it() -> None:
    position = given_raise(monument("kilwa", "g1"))
    position.when("build g3", "raise g3 potter@c2/a1").refused("R-TURN-01")


@pytest.mark.rule(accepts="R-RAI-08")
def test_r_rai_08_a_good_counts_1_while_its_price_has_still_to_be_set() -> None:
    state = given_raise(technology("zulu", "potter", price=0)).state
    (potter,) = state.craftsmen_of_type("potter")
    assert price_for(state, "kilwa", potter) == 1


@pytest.mark.rule(refuses="R-RAI-01 R-RAI-07 R-RAI-10")
def test_r_rai_01_raised_in_parts_each_monument_rises_once() -> None:
    position = given(TEN_COLUMNS, POTTER, CARVER, cattle(kilwa=4), turn_of("kilwa"))
    position = position.after([monument("kilwa", "g1"), monument("kilwa", "g3")])
    first_line = "raise g1 potter@c2/a1"
    answer = position.when(first_line, "raise g1 potter@c2/a2 ivory_carver@e1/c1")
    answer.refused("R-RAI-01", "R-RAI-10", because="has raised g1 in this turn")
    position.when(first_line, "raise g1").refused("R-RAI-01", because="has raised g1 in this turn")
    position.when(first_line, "raise g3 potter@c2/a1").refused("R-RAI-07", because="a1 is used up in this round")
    position.when(first_line, "raise g3 ivory_carver@e1/c1").refused(
        "R-RAI-10", because="cost 3 cattle and kilwa has 2"
    )
    position.when(first_line, "raise g3").then_among(GoodMade("kilwa", "potter", "c2", "b1"))


@pytest.mark.rule(accepts="R-RAI-01")
def test_r_rai_01_a_raised_monument_is_not_planned_for_in_that_turn() -> None:
    position = given_raise(monument("kilwa", "g1"), monument("kilwa", "g3"))
    state_after_raise = position.when("raise g1").state
    assert [format_command(command).split()[:2] for command in legal_raises(state_after_raise)] == [["raise", "g3"]]
    assert Planner(state_after_raise, "kilwa").growing_monuments() == ["g3"]
    state_after_turn = position.when("raise g1", "end").state
    assert Planner(state_after_turn, "kilwa").growing_monuments() == ["g1", "g3"]


@pytest.mark.rule(refuses="R-RAI-01")
def test_r_rai_01_only_own_monuments_rise_once_a_turn_to_level_5() -> None:
    position = given_raise(monument("kilwa", "g1"), monument("zulu", "g3"))
    position.when("raise g3 potter@c2/a1").refused("R-RAI-01", because="kilwa has no monument on g3")
    position.when("raise j3 potter@c2/a1").refused("R-RAI-01", because="kilwa has no monument on j3")
    position.when("raise g1 potter@c2/a1; g1 potter@c2/a1").refused("R-RAI-01", because="once in a turn")
    position.when(Raise(())).refused("R-RAI-01", because="name a monument")
    goods = " ".join(f"potter@c2/{clay}" for clay in ("a1", "a2", "b1", "b2")) + " ivory_carver@e1/c1"
    position_at_level_5 = given_raise(monument("kilwa", "g1", level=5), adored_god("kilwa", "tsui_goab"))
    position_at_level_5.when(f"raise g1 {goods}").refused("R-RAI-01", because="g1 has level 5, the highest")


@pytest.mark.rule(accepts="R-RAI-02")
def test_r_rai_02_from_level_2_a_monument_takes_2_goods() -> None:
    position = given_raise(monument("kilwa", "g1", level=2))
    position.when("raise g1 potter@c2/b2 ivory_carver@e1/c1").then_among(MonumentRaised("kilwa", "g1", 3))


@pytest.mark.rule(refuses="R-RAI-02")
@pytest.mark.parametrize("goods", ["potter@c2/b2", "potter@c2/a1 potter@c2/a2 ivory_carver@e1/c1"])
def test_r_rai_02_a_raise_takes_exactly_its_number_of_goods(goods: str) -> None:
    position = given_raise(monument("kilwa", "g1", level=2), adored_god("kilwa", "tsui_goab"))
    position.when(f"raise g1 {goods}").refused("R-RAI-02", because="takes 2 ritual goods, not")


@pytest.mark.rule(accepts="R-RAI-03", refuses="R-RAI-03")
def test_r_rai_03_goods_differ_unless_tsui_goab_is_adored() -> None:
    line = "raise g1 potter@c2/a1 potter@c2/b2"
    position = given_raise(monument("kilwa", "g1", level=2))
    position.when(line).refused("R-RAI-03", because="2 goods of the potter")
    position.when("adore tsui_goab", line).then_among(
        GoodMade("kilwa", "potter", "c2", "a1"), GoodMade("kilwa", "potter", "c2", "b2")
    )


@pytest.mark.rule(accepts="R-RAI-03")
def test_r_rai_03_two_raises_may_use_the_same_type() -> None:
    position = given_raise(monument("kilwa", "g1"), monument("kilwa", "g3"))
    position.when("raise g1 potter@c2/a1; g3 potter@c2/a2").then_among(MonumentRaised("kilwa", "g3", 2))


VESSEL_MAKER = craftsman("zulu", "vessel_maker", "e3", price=1)
FOUR_ROWS = TEN_COLUMNS + " .........."


@pytest.mark.rule(accepts="R-RAI-04", refuses="R-RAI-04")
def test_r_rai_04_a_primary_good_is_only_an_input_once_its_secondary_stands() -> None:
    for god_facts in ([], adored_god("kilwa", "tsui_goab")):
        facts: Facts = [cattle(kilwa=9), POTTER, VESSEL_MAKER, monument("kilwa", "g2"), god_facts, turn_of("kilwa")]
        position = given(FOUR_ROWS, facts)
        position.when("raise g2 potter@c2/a1").refused("R-RAI-04", because="as a vessel_maker is on the board")
        position.when("raise g2 vessel_maker@e3/b2(potter@c2/a1)").then_among(MonumentRaised("kilwa", "g2", 2))


@pytest.mark.rule(accepts="R-RAI-04")
def test_r_rai_04_until_then_a_primary_good_counts() -> None:
    given_raise(monument("kilwa", "g1")).when("raise g1 potter@c2/a1").then_among(MonumentRaised("kilwa", "g1", 2))


@pytest.mark.rule(refuses="R-RAI-05")
@pytest.mark.parametrize(
    ("good", "reason"),
    [
        ("potter@d2/a1", "no potter at d2"),
        ("ivory_carver@c2/c1", "no ivory_carver at c2"),
        ("potter@c2/c1", "no clay on c1 within 3 steps"),
        ("potter@c2/j1", "no clay on j1 within 3 steps"),
        ("ivory_carver@e1/c2", "no ivory on c2 within 3 steps"),
    ],
)
def test_r_rai_05_the_craftsman_and_the_resource_are_there(good: str, reason: str) -> None:
    given_raise(monument("kilwa", "g1")).when(f"raise g1 {good}").refused("R-RAI-05", because=reason)


@pytest.mark.rule(refuses="R-RAI-05")
def test_r_rai_05_the_craftsman_and_the_resource_are_in_range() -> None:
    given_raise(monument("kilwa", "h1")).when("raise h1 potter@c2/a1").refused(
        "R-RAI-05", because="can't be reached for h1"
    )
    position_with_far_clay = given(
        "C....... ........", cattle(kilwa=9), craftsman("zulu", "potter", "e1-e2"), monument("kilwa", "g1")
    )
    position_with_far_clay.after(turn_of("kilwa")).when("raise g1 potter@e1/a1").refused(
        "R-RAI-05", because="no clay on a1 within 3"
    )


@pytest.mark.rule(accepts="R-RAI-06")
def test_r_rai_06_a_secondary_good_pays_and_uses_up_for_both_craftsmen() -> None:
    position = given(FOUR_ROWS, cattle(kilwa=3), POTTER, VESSEL_MAKER, monument("kilwa", "g2"), turn_of("kilwa"))
    position.when("raise g2 vessel_maker@e3/b2(potter@c2/a1)").then(
        ActionTaken("kilwa", "raise"),
        CattlePaid("kilwa", "zulu/vessel_maker", 1, "vessel_maker"),
        GoodMade("kilwa", "vessel_maker", "e3", "b2"),
        CattlePaid("kilwa", "zulu/potter", 2, "potter"),
        GoodMade("kilwa", "potter", "c2", "a1"),
        MonumentRaised("kilwa", "g2", 2),
        VPScored("kilwa", 2, "monument g2"),
    )


@pytest.mark.rule(accepts="R-RAI-06")
def test_r_rai_06_the_player_chooses_the_primary_of_any_owner() -> None:
    potter_of_mutapa = craftsman("mutapa", "potter", "h3-h4", price=3, card=2)
    facts: Facts = [cattle(kilwa=9), POTTER, potter_of_mutapa, VESSEL_MAKER, monument("kilwa", "g2"), turn_of("kilwa")]
    position = given("CCI....... CC.......C .......... ..........", facts, seats="kilwa zulu mutapa")
    position.when("raise g2 vessel_maker@e3/b2(potter@h3/j2)").then_among(
        CattlePaid("kilwa", "mutapa/potter", 3, "potter"), GoodMade("kilwa", "potter", "h3", "j2")
    )


@pytest.mark.rule(refuses="R-RAI-06")
@pytest.mark.parametrize(
    ("good", "reason"),
    [
        ("vessel_maker@e3/b2", "good of a potter, and none is named"),
        ("vessel_maker@e3/b2(ivory_carver@e1/c1)", "good of a potter, not of an ivory_carver"),
        ("ivory_carver@e1/c1(potter@c2/a1)", "an ivory_carver does not work on another craftsman's good"),
    ],
)
def test_r_rai_06_the_primary_good_is_of_the_right_type(good: str, reason: str) -> None:
    facts: Facts = [cattle(kilwa=9), POTTER, CARVER, VESSEL_MAKER, monument("kilwa", "g3"), turn_of("kilwa")]
    given(FOUR_ROWS, facts).when(f"raise g3 {good}").refused("R-RAI-06", because=reason)


@pytest.mark.rule(refuses="R-GEO-01")
@pytest.mark.parametrize("good", ["vessel_maker@e3/b2(potter@c2/z9)", "vessel_maker@z9/b2(potter@c2/a1)"])
def test_r_geo_01_a_good_comes_from_squares_of_the_board(good: str) -> None:
    facts: Facts = [cattle(kilwa=9), POTTER, VESSEL_MAKER, monument("kilwa", "g3"), turn_of("kilwa")]
    given(FOUR_ROWS, facts).when(f"raise g3 {good}").refused("R-GEO-01", because="there is no square z9")


@pytest.mark.rule(refuses="R-RAI-06")
@pytest.mark.parametrize("second", ["vessel_maker@e3/b2", "; g1 vessel_maker@e3/b2"])
def test_r_rai_06_the_second_good_of_a_raise_needs_its_primary_good_too(second: str) -> None:
    level = 1 if ";" in second else 2
    facts: Facts = [cattle(kilwa=9), POTTER, CARVER, VESSEL_MAKER, monument("kilwa", "g3", level), turn_of("kilwa")]
    position = given(FOUR_ROWS, facts, monument("kilwa", "g1"))
    position.when(f"raise g3 ivory_carver@e1/c1 {second}".replace(" ;", ";")).refused(
        "R-RAI-06", because="good of a potter, and none is named"
    )


@pytest.mark.rule(accepts="R-RAI-11")
@pytest.mark.parametrize(("level", "points"), [(1, 2), (2, 4), (3, 6), (4, 8)])
def test_r_rai_11_higher_levels_score_more(level: int, points: int) -> None:
    goods = " ".join(f"potter@c2/{clay}" for clay in ("a1", "a2", "b1", "b2")[:level])
    answer = given_raise(monument("kilwa", "g1", level), adored_god("kilwa", "tsui_goab")).when(f"raise g1 {goods}")
    answer.then_among(MonumentRaised("kilwa", "g1", level + 1), VPScored("kilwa", points, "monument g1"))
    assert answer.state.vp["kilwa"] == CONSTANTS.level_vp[level + 1]


def test_a_raise_with_unknown_craftsmen_is_refused() -> None:
    unknown_craftsmen = Raise((Ritual("g1", (Good(Supply("smith", "c2", "a1"), Supply("smith", "c2", "a1")),)),))
    given_raise(monument("kilwa", "g1"), technology("kilwa", "potter", card_number=2), used_markers("a1")).when(
        unknown_craftsmen
    ).refused("R-RAI-05", "R-RAI-06", "R-RAI-07")
