"""R-SPEC: hiring and using specialists."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import cattle, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given
from zimcore.game import Event
from zimcore.games.zimbabwe.commands import Hire, Use
from zimcore.games.zimbabwe.components import RESOURCES
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    CraftsmanPlaced,
    MonumentBuilt,
    ResourcePlaced,
    SpecialistHired,
    SpecialistUsed,
    VRChanged,
    WaterPlaced,
)

MAP = "....... ..W~... ..S...."
RICH_TURN = [*cattle(kilwa=9), *turn_of("kilwa")]


@pytest.mark.rule(accepts="R-SPEC-01 R-SPEC-02")
def test_r_spec_01_taking_a_specialist_pays_and_uses_it_in_one_step() -> None:
    answer = given(MAP, RICH_TURN).when("hire nomads")
    answer.then(
        SpecialistHired("kilwa", "nomads"),
        VRChanged("kilwa", 1, "nomads"),
        CattlePaid("kilwa", "kilwa/nomads", 2, "nomads"),
        SpecialistUsed("kilwa", "nomads"),
    )


@pytest.mark.rule(accepts="R-SPEC-01")
def test_r_spec_01_any_number_of_specialists_may_be_owned() -> None:
    facts = [
        *hired_specialist("kilwa", "nomads"),
        *hired_specialist("kilwa", "herd"),
        *hired_specialist("kilwa", "shaman"),
    ]
    answer = given(MAP, facts, RICH_TURN).when("hire builder")
    assert answer.state.specialists_of("kilwa") == ("nomads", "herd", "shaman", "builder")


@pytest.mark.rule(refuses="R-SPEC-01")
def test_r_spec_01_there_is_one_of_each_specialist() -> None:
    given(MAP, hired_specialist("zulu", "nomads"), RICH_TURN).when("hire nomads").refused(
        "R-SPEC-01", because="zulu has the nomads"
    )
    position = given(MAP, hired_specialist("kilwa", "nomads"), RICH_TURN)
    position.when("hire nomads").refused("R-SPEC-01", because="kilwa has the nomads")
    for command in (Hire("witch"), Use("witch")):
        given(MAP, RICH_TURN).when(command).refused("R-SPEC-01", because="witch is not in play")


@pytest.mark.rule(accepts="R-SPEC-02")
def test_r_spec_02_the_payment_comes_back_in_phase_iii_of_the_same_round() -> None:
    position = given(MAP, cattle(kilwa=3), hired_specialist("kilwa", "nomads"), turn_of("kilwa", "kilwa"))
    assert position.when("use nomads").state.cattle["kilwa"] == 1
    position.when("use nomads", "end").then_among(CattlePaid("kilwa/nomads", "kilwa", 2, "revenue"))


@pytest.mark.rule(refuses="R-SPEC-02")
@pytest.mark.parametrize(
    ("usage_line", "cost"),
    [("rain_ceremony a1-b1", 3), ("shaman wood a1", 2), ("builder", 2), ("herd 4", 4), ("nomads", 2)],
)
def test_r_spec_02_the_payment_has_to_be_at_hand(usage_line: str, cost: int) -> None:
    facts = [*hired_specialist("kilwa", usage_line.split()[0]), *cattle(kilwa=cost - 1), *turn_of("kilwa")]
    given(MAP, facts).when(f"use {usage_line}").refused(
        "R-SPEC-02", because=f"costs {cost} cattle and kilwa has {cost - 1}"
    )
    given(MAP, cattle(kilwa=cost - 1), turn_of("kilwa")).when(f"hire {usage_line}").refused("R-SPEC-02")


PLACED_TILES: list[Event] = [*(WaterPlaced("zulu", (f"{column}1", f"{column}2")) for column in "hijklmno")]
PLACED_TILES += [ResourcePlaced("zulu", "ivory", square) for square in ("p1", "q1", "r1")]


TURN_WITH_TILE_PLACERS = [*hired_specialist("kilwa", "rain_ceremony"), *hired_specialist("kilwa", "shaman"), *RICH_TURN]


@pytest.mark.rule(refuses="R-SPEC-03")
@pytest.mark.parametrize(("verb", "facts"), [("hire", RICH_TURN), ("use", TURN_WITH_TILE_PLACERS)])
def test_r_spec_03_without_tiles_left_there_is_nothing_to_use(verb: str, facts: Facts) -> None:
    position = given("." * 20 + " " + "." * 20, PLACED_TILES, facts)
    position.when(f"{verb} rain_ceremony a1-a2").refused("R-SPEC-03", because="no water tile is left")
    position.when(f"{verb} shaman ivory a1").refused("R-SPEC-03", because="no tile of ivory is left")
    position.when(f"{verb} shaman wood a1").then_among(ResourcePlaced("kilwa", "wood", "a1"))


@pytest.mark.rule(accepts="R-SPEC-03")
def test_r_spec_03_there_are_8_water_tiles_and_few_of_each_resource() -> None:
    position = given("." * 20 + " " + "." * 20, PLACED_TILES[1:8], PLACED_TILES[9:], RICH_TURN)
    assert (position.state.water_tiles, position.state.tiles["ivory"]) == (1, 1)
    assert position.when("hire rain_ceremony a1-a2").state.water_tiles == 0
    assert position.when("hire shaman ivory a1").state.tiles == {"wood": 6, "clay": 4, "ivory": 0, "diamonds": 3}


@pytest.mark.rule(accepts="R-SPEC-04")
@pytest.mark.parametrize("resource", RESOURCES)
def test_r_spec_04_the_shaman_places_any_resource_on_empty_land(resource: str) -> None:
    answer = (
        given(MAP, RICH_TURN).when(f"hire shaman {resource} a1").then_among(ResourcePlaced("kilwa", resource, "a1"))
    )
    assert "a1" in answer.state.board.names(answer.state.resources[resource])
    assert "a1" not in answer.state.board.names(answer.state.empty_land)


@pytest.mark.rule(refuses="R-SPEC-04")
@pytest.mark.parametrize("square", ["c2", "d2", "c3", "g1"])
def test_r_spec_04_a_resource_is_placed_on_empty_land_only(square: str) -> None:
    expected_reason = f"{square}: not empty land"
    position = given(MAP, monument("zulu", "g1"))
    position.after(RICH_TURN).when(f"hire shaman clay {square}").refused("R-SPEC-04", because=expected_reason)
    position.after(TURN_WITH_TILE_PLACERS).when(f"use shaman clay {square}").refused(
        "R-SPEC-04", because=expected_reason
    )


@pytest.mark.rule(refuses="R-SPEC-04")
def test_r_spec_04_one_resource_on_one_square_and_only_by_the_shaman() -> None:
    position = given(MAP, RICH_TURN)
    position.when("hire shaman wood a1-b1").refused("R-SPEC-04", because="name 1 square of empty land")
    command = Hire("shaman", resource="wood", squares=("a1", "a1"))
    position.when(command).refused("R-SPEC-04", because="name 1 square of empty land")
    position.when(Hire("shaman", squares=("a1",))).refused("R-SPEC-04", because="say which resource")
    position.when(Hire("nomads", resource="wood")).refused("R-SPEC-04", because="the nomads places no resource")


@pytest.mark.rule(accepts="R-SPEC-05")
@pytest.mark.parametrize("squares", ["f1-g1", "a1-a2", "b2-a2"])
def test_r_spec_05_rain_falls_on_two_squares_with_a_common_edge(squares: str) -> None:
    answer = given(MAP, RICH_TURN).when(f"hire rain_ceremony {squares}")
    answer.then_among(WaterPlaced("kilwa", tuple(squares.split("-"))))
    assert set(squares.split("-")) <= set(answer.state.board.names(answer.state.board.water & ~answer.state.empty_land))


@pytest.mark.rule(refuses="R-SPEC-05")
@pytest.mark.parametrize(
    ("squares", "reason"),
    [
        ("a1-b2", "no common edge"),
        ("a1-c1", "no common edge"),
        ("g1-a2", "no common edge"),
        ("a1-a1", "name 2 squares"),
        ("a1-b1-c1", "name 2 squares"),
        ("b2-c2", "c2: not empty land"),
        ("d1-d2", "d2: not empty land"),
        ("c3-d3", "c3: not empty land"),
    ],
)
def test_r_spec_05_rain_falls_nowhere_else(squares: str, reason: str) -> None:
    given(MAP, RICH_TURN).when(f"hire rain_ceremony {squares}").refused("R-SPEC-05", because=reason)
    given(MAP, TURN_WITH_TILE_PLACERS).when(f"use rain_ceremony {squares}").refused("R-SPEC-05", because=reason)


@pytest.mark.rule(refuses="R-SPEC-05")
def test_r_spec_05_a_specialist_that_places_nothing_names_no_squares() -> None:
    given(MAP, RICH_TURN).when(Hire("builder", squares=("a1",))).refused("R-SPEC-05", because="places nothing")


@pytest.mark.rule(accepts="R-SPEC-06")
@pytest.mark.parametrize(("paid_cattle", "added_cattle"), [(2, 1), (4, 2), (6, 3)])
def test_r_spec_06_the_herd_grows_by_half(paid_cattle: int, added_cattle: int) -> None:
    position = given(MAP, cattle(kilwa=6), hired_specialist("kilwa", "herd"), turn_of("kilwa", "kilwa"))
    position.when(f"use herd {paid_cattle}").then(
        CattlePaid("kilwa", "kilwa/herd", paid_cattle, "herd"),
        SpecialistUsed("kilwa", "herd"),
        CattlePaid(STOCK, "kilwa/herd", added_cattle, "herd"),
    )
    answer = position.when(f"use herd {paid_cattle}", "end")
    answer.then_among(CattlePaid("kilwa/herd", "kilwa", paid_cattle + added_cattle, "revenue"))


@pytest.mark.rule(refuses="R-SPEC-06")
@pytest.mark.parametrize("usage_line", ["herd", "herd 3", "herd 8", "herd 0"])
def test_r_spec_06_other_amounts_are_not_taken(usage_line: str) -> None:
    facts = hired_specialist("kilwa", usage_line.split()[0])
    given(MAP, facts, RICH_TURN).when(f"use {usage_line}").refused("R-SPEC-06", because="cattle, not")
    given(MAP, RICH_TURN).when(f"hire {usage_line}").refused("R-SPEC-06", because="takes 2, 4 or 6 cattle, not")


@pytest.mark.rule(refuses="R-SPEC-02")
@pytest.mark.parametrize("usage_line", ["builder 3", "nomads 4"])
def test_r_spec_02_another_amount_than_the_cost_is_not_taken(usage_line: str) -> None:
    facts = hired_specialist("kilwa", usage_line.split()[0])
    given(MAP, facts, RICH_TURN).when(f"use {usage_line}").refused("R-SPEC-02", because="takes 2 cattle, not")
    given(MAP, RICH_TURN).when(f"hire {usage_line}").refused("R-SPEC-02", because="takes 2 cattle, not")


@pytest.mark.rule(accepts="R-SPEC-07")
def test_r_spec_07_nomads_lift_zoning_for_this_turn_but_only_on_empty_land() -> None:
    position = given(MAP, monument("zulu", "f2"), hired_specialist("kilwa", "nomads"), RICH_TURN)
    position.when("build g3").refused("R-MON-01", because="next to the monument on f2")
    position.when("use nomads", "build g3").then_among(MonumentBuilt("kilwa", "g3"))
    position.when("use nomads", "build c2").refused("R-MON-01", because="not empty land")
    position.after(["use nomads", "end", turn_of("kilwa", round_number=2)]).when("build g3").refused("R-MON-01")


@pytest.mark.rule(accepts="R-SPEC-08")
def test_r_spec_08_the_builder_keeps_2_of_what_each_craftsman_costs() -> None:
    facts = [
        *hired_specialist("kilwa", "builder"),
        *technology("kilwa", "diamond_cutter"),
        *cattle(kilwa=12),
        *turn_of("kilwa"),
    ]
    position = given("D...C ..... .....", facts)
    position.when("use builder", "craft diamond_cutter b1").then_among(
        CattlePaid("kilwa", "kilwa/builder", 2, "diamond_cutter"),
        CattlePaid("kilwa", STOCK, 8, "diamond_cutter"),
        CraftsmanPlaced("kilwa", "diamond_cutter", ("b1", "c1", "b2", "c2")),
    )
    answer = position.when("use builder", "craft potter d1-d2 price 1")
    assert (answer.state.cattle["kilwa/builder"], answer.state.cattle[STOCK]) == (4, -12)
    position.when("craft potter d1-d2 price 1").then_among(CattlePaid("kilwa", STOCK, 2, "potter"))


@pytest.mark.rule(accepts="R-SPEC-08", refuses="R-CRA-05")
def test_r_spec_08_the_full_cost_must_be_at_hand_and_only_later_craftsmen_count() -> None:
    position = given("C....", hired_specialist("kilwa", "builder"), cattle(kilwa=3), turn_of("kilwa"))
    position.when("use builder", "craft potter b1-c1 price 1").refused("R-CRA-05")
    richer_position = position.after(cattle(kilwa=1))
    assert richer_position.when("craft potter b1-c1 price 1", "use builder").state.cattle["kilwa/builder"] == 2
