"""R-MON: building monuments."""

import pytest

from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, turn_of
from tests.zimbabwe.kit import given
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Build
from zimcore.games.zimbabwe.events import ActionTaken, MonumentBuilt, VPScored

MAP = "....... ..W~..S ......."


@pytest.mark.rule(accepts="R-MON-01")
def test_r_mon_01_a_monument_of_level_1_costs_nothing_and_scores_1() -> None:
    answer = given(MAP, monument("zulu", "d1"), turn_of("kilwa")).when("build f1")
    answer.then(ActionTaken("kilwa", "build"), MonumentBuilt("kilwa", "f1"), VPScored("kilwa", 1, "monument f1"))
    assert answer.state.monuments["f1"].level == 1


@pytest.mark.rule(refuses="R-MON-01")
@pytest.mark.parametrize("square", ["c2", "d2", "g2", "a1"])
def test_r_mon_01_a_monument_stands_only_on_empty_land(square: str) -> None:
    position = given(MAP, craftsman("zulu", "wood_carver", "a1-b1"), turn_of("kilwa"))
    position.when(f"build {square}").refused("R-MON-01", because=f"{square}: not empty land")


@pytest.mark.rule(refuses="R-MON-01")
@pytest.mark.parametrize("owner", ["kilwa", "zulu"])
@pytest.mark.parametrize("square", ["d1", "e1", "f1", "d3", "f3", "f2", "e3"])
def test_r_mon_01_no_monument_stands_next_to_another(owner: str, square: str) -> None:
    position = given(MAP, monument(owner, "e2"), turn_of("kilwa"))
    position.when(f"build {square}").refused("R-MON-01", because="next to the monument on e2")


@pytest.mark.rule(accepts="R-MON-02")
def test_r_mon_02_obatalas_adorer_may_build_two() -> None:
    position = given(MAP, adored_god("kilwa", "obatala"), turn_of("kilwa"))
    position.when("build a1 c1").then(
        ActionTaken("kilwa", "build"),
        MonumentBuilt("kilwa", "a1"),
        VPScored("kilwa", 1, "monument a1"),
        MonumentBuilt("kilwa", "c1"),
        VPScored("kilwa", 1, "monument c1"),
    )
    position.when("build a1").then_among(MonumentBuilt("kilwa", "a1"))


@pytest.mark.rule(accepts="R-MON-02")
def test_r_mon_02_two_monuments_may_be_built_one_by_one() -> None:
    position = given(MAP, adored_god("kilwa", "obatala"), turn_of("kilwa"))
    answer_to_both, answer_to_first = position.when("build a1 c1"), position.when("build a1")
    answer_to_second = position.when("build a1", "build c1")
    answer_to_second.then(MonumentBuilt("kilwa", "c1"), VPScored("kilwa", 1, "monument c1"))
    assert [*answer_to_first.events, *answer_to_second.events] == list(answer_to_both.events)
    assert GAME.evolution.canonical(answer_to_second.state) == GAME.evolution.canonical(answer_to_both.state)


@pytest.mark.rule(refuses="R-MON-02 R-TURN-01 R-MON-01")
def test_r_mon_02_monuments_built_in_parts_are_not_more_nor_nearer() -> None:
    position = given(MAP, adored_god("kilwa", "obatala"), turn_of("kilwa"))
    position.when("build a1", "build c1 e1").refused("R-MON-02", because="may build 2 in one action, not 3")
    position.when("build a1", "build c1", "build e1").refused("R-TURN-01", because="kilwa has already built")
    position.when("build a1 c1", "build e1").refused("R-TURN-01", because="kilwa has already built")
    position.when("build a1", "build b2").refused("R-MON-01", because="b2 is next to the monument on a1")


@pytest.mark.rule(refuses="R-MON-02")
def test_r_mon_02_other_players_build_one_and_none_builds_three() -> None:
    obatala_facts = adored_god("kilwa", "obatala")
    given(MAP, turn_of("kilwa")).when("build a1 c1").refused("R-MON-02", because="may build 1 in one action, not 2")
    given(MAP, obatala_facts, turn_of("kilwa")).when("build a1 c1 e1").refused(
        "R-MON-02", because="build 2 in one action"
    )
    given(MAP, obatala_facts, turn_of("kilwa")).when(Build(())).refused("R-MON-02", because="at least one")
    given(MAP, obatala_facts, turn_of("zulu")).when("build a1 c1").refused("R-MON-02")


@pytest.mark.rule(accepts="R-MON-02", refuses="R-MON-01")
def test_r_mon_02_the_second_keeps_away_from_the_first_unless_nomads_were_paid() -> None:
    nomads_facts = [*hired_specialist("kilwa", "nomads"), *cattle(kilwa=2)]
    position = given(MAP, adored_god("kilwa", "obatala"), nomads_facts, turn_of("kilwa"))
    position.when("build a1 b2").refused("R-MON-01", because="b2 is next to the monument on a1")
    position.when("build a1 a1").refused("R-MON-01", because="on one square")
    position.when("use nomads", "build a1 b2").then_among(MonumentBuilt("kilwa", "b2"))
    position.when("use nomads", "build a1 a1").refused("R-MON-01", because="on one square")


@pytest.mark.rule(accepts="R-MON-03")
def test_r_mon_03_there_is_no_limit_on_monuments() -> None:
    eleven_monuments = [monument("kilwa", f"{column}1") for column in "acegikmoqsu"]
    answer = (
        given("." * 24, eleven_monuments, turn_of("kilwa")).when("build w1").then_among(MonumentBuilt("kilwa", "w1"))
    )
    assert len(answer.state.monuments) == 12
