"""R-SET: how play begins. R-VR: the victory requirement and the order of its markers."""

import pytest

from tests.zimbabwe.facts import adores, cattle, craftsman, has, technology, turn_of
from tests.zimbabwe.game_test_kit import Position, given
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import SetUp
from zimcore.games.zimbabwe.components import BOX, CRAFTSMEN, GODS, SPECIALISTS
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    GameSetUp,
    GodAdored,
    MonumentBuilt,
    RoundBegun,
    TechnologyRebated,
    VPScored,
    VRChanged,
)
from zimcore.games.zimbabwe.rules.craftsmen import next_card, technology_vr
from zimcore.games.zimbabwe.rules.setup import rotate_tile

BEFORE = Position(GAME.evolution.initial())
STARTS = "S.S.S ....."
THREE = "kilwa zulu mutapa"


@pytest.mark.rule(accepts="R-SET-01")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r_set_01_map_gods_specialists_and_cattle_are_dealt(players: int) -> None:
    dealt, *paid = BEFORE.when(SetUp(7, (("players", str(players)),))).events
    assert isinstance(dealt, GameSetUp)
    assert len(dealt.seats) == players
    assert len(dealt.gods) == 8
    assert dealt.gods.items() <= {name: god.vr for name, god in GODS.items()}.items()
    assert dealt.specialists == {name: specialist.vr for name, specialist in SPECIALISTS.items()}
    assert paid == [CattlePaid(STOCK, seat, 3, "set-up") for seat in dealt.seats]


@pytest.mark.rule(accepts="R-SET-01")
def test_r_set_01_gods_and_map_are_random() -> None:
    dealt = [BEFORE.when(SetUp(seed, (("players", "5"),))).state.setup for seed in range(60)]
    assert {god for each in dealt for god in each.gods} == set(GODS), "each god can be among the 8"
    assert len({tuple(each.gods) for each in dealt}) > 40
    assert all(each.tiles[4][0] == 0 for each in dealt), "the start tile lies in the middle"
    for slot in (0, 1, 2, 3, 5, 6, 7, 8):
        assert {each.tiles[slot][0] for each in dealt} == set(range(1, len(BOX.tiles)))
        assert {each.tiles[slot][1] for each in dealt} == {0, 1, 2, 3}, "in any rotation"
    # What lies on a slot is what the tile shows, turned.
    for each in dealt:
        for slot, (tile, turns) in enumerate(each.tiles):
            left, top = slot % 3 * 6, slot // 3 * 6
            laid = tuple(row[left : left + 6] for row in each.rows[top : top + 6])
            assert laid == rotate_tile(BOX.tiles[tile].rows, turns)


@pytest.mark.rule(accepts="R-SET-01")
@pytest.mark.parametrize("type_", CRAFTSMEN)
def test_r_set_01_the_cheaper_card_of_a_technology_lies_on_top(type_: str) -> None:
    start = BEFORE.when(SetUp(7)).state
    first, second = CRAFTSMEN[type_].vr
    assert first < second
    assert (next_card(start, type_), technology_vr(start, "kilwa", type_)) == (1, first)
    taken = Position(start).after(technology("zulu", type_)).state
    assert (next_card(taken, type_), technology_vr(taken, "kilwa", type_)) == (2, second)


@pytest.mark.rule(refuses="R-SET-01")
def test_r_set_01_the_game_is_for_2_to_5_players() -> None:
    BEFORE.when(SetUp(7, (("players", "6"),))).refused("R-SET-01", because="from 2 to 5")
    BEFORE.when(SetUp(7, (("players", "zulu"),))).refused("R-SET-01", because="for 2 to 5")


@pytest.mark.rule(refuses="R-SET-01")
def test_r_set_01_a_game_is_set_up_once() -> None:
    given(STARTS).when(SetUp(7)).refused("R-SET-01", because="already")


@pytest.mark.rule(accepts="R-SET-02")
def test_r_set_02_the_owner_of_the_top_marker_places_first_then_down_the_stack() -> None:
    position = given(STARTS, seats=THREE)
    position.when("kilwa: start c1").then(MonumentBuilt("kilwa", "c1"), VPScored("kilwa", 1, "monument c1"))
    position.when("start c1", "zulu: start a1").then_among(MonumentBuilt("zulu", "a1"))


@pytest.mark.rule(refuses="R-SET-02")
def test_r_set_02_each_on_a_free_start_area_when_it_is_time() -> None:
    position = given(STARTS, seats=THREE)
    position.when("start b1").refused("R-SET-02", because="b1 is not a start area")
    position.when("start c1", "start c1").refused("R-SET-02", because="kilwa has started on c1")
    position.when("zulu: start c1").refused("R-SET-02", because="it is kilwa's turn, not zulu's")
    given(STARTS, turn_of("kilwa")).when("start c1").refused("R-SET-02", because="taking their turns now")
    given(STARTS, turn_of("kilwa")).when("start z9").refused("R-SET-02")


@pytest.mark.rule(accepts="R-SET-03 R-SET-04")
def test_r_set_04_the_first_plaques_are_the_reverse_of_the_placing_order() -> None:
    position = given(STARTS, cattle(kilwa=3, zulu=3, mutapa=3), seats=THREE)
    answer = position.when("start a1", "start c1", "start e1")
    answer.then(
        MonumentBuilt("mutapa", "e1"),
        VPScored("mutapa", 1, "monument e1"),
        RoundBegun(1, ("mutapa", "zulu", "kilwa")),
    )
    assert set(answer.state.vp.values()) == {1}
    assert set(answer.state.vr.values()) == {20}
    assert [monument.level for monument in answer.state.monuments.values()] == [1, 1, 1]


@pytest.mark.rule(accepts="R-SET-03")
def test_r_set_03_a_dealt_game_begins_with_1_vp_20_vr_and_3_cattle() -> None:
    options = (("map", "S..../....S"), ("order", "zulu kilwa"), ("players", "kilwa,zulu"))
    state = BEFORE.when(SetUp(7, options), "zulu: start a1", "kilwa: start e2").state
    assert (state.vp, state.vr) == ({"kilwa": 1, "zulu": 1}, {"kilwa": 20, "zulu": 20})
    assert state.cattle == {STOCK: -6, "kilwa": 3, "zulu": 3}


@pytest.mark.rule(accepts="R-VR-01")
def test_r_vr_01_gods_specialists_and_technologies_count() -> None:
    facts = [cattle(kilwa=9), has("kilwa", "nomads"), craftsman("kilwa", "ivory_carver", "b2"), turn_of("kilwa")]
    position = given("I....C ...... ......", facts)
    answer = position.when("adore engai", "craft potter e1-e2 price 1").then_among(VRChanged("kilwa", 3, "potter"))
    assert answer.state.vr["kilwa"] == 20 + 1 + 2 + 5 + 3


@pytest.mark.rule(accepts="R-VR-01")
def test_r_vr_01_for_the_adorer_of_gu_a_technology_counts_1() -> None:
    position = given("C...", cattle(kilwa=2), adores("kilwa", "gu"), turn_of("kilwa"))
    position.when("craft potter b1-c1 price 1").then_among(VRChanged("kilwa", 1, "potter"))


@pytest.mark.rule(accepts="R-VR-02")
@pytest.mark.parametrize(
    ("line", "by", "reason"),
    [("adore eshu", 4, "eshu"), ("hire shaman wood d1", 3, "shaman"), ("craft potter b1-c1 price 1", 3, "potter")],
)
def test_r_vr_02_vr_may_reach_40(line: str, by: int, reason: str) -> None:
    position = given("C....", cattle(kilwa=9), VRChanged("kilwa", 20 - by, "much"), turn_of("kilwa"))
    answer = position.when(line).then_among(VRChanged("kilwa", by, reason))
    assert answer.state.vr["kilwa"] == 40


@pytest.mark.rule(refuses="R-VR-02")
@pytest.mark.parametrize("line", ["adore engai", "hire herd 2", "craft potter b1-c1 price 1"])
def test_r_vr_02_but_not_above_40(line: str) -> None:
    given("C....", cattle(kilwa=9), VRChanged("kilwa", 18, "much"), turn_of("kilwa")).when(line).refused(
        "R-VR-02", because="can't be above 40"
    )


@pytest.mark.rule(accepts="R-VR-03")
def test_r_vr_03_a_marker_that_moves_lands_on_top() -> None:
    position = given(STARTS, seats=THREE)  # from below: mutapa, zulu, kilwa
    assert position.state.queue == ("mutapa", "zulu", "kilwa")
    after_moves = position.after([VRChanged("zulu", 3, "potter"), VRChanged("mutapa", 3, "sculptor")])
    assert after_moves.state.queue == ("zulu", "mutapa", "kilwa"), "on 23 zulu lies below mutapa, who came later"
    assert after_moves.after(VRChanged("zulu", -3, "back")).state.queue == ("mutapa", "kilwa", "zulu")


@pytest.mark.rule(accepts="R-VR-04")
def test_r_vr_04_high_vr_first_and_on_equal_vr_the_lower_marker() -> None:
    vr = [VRChanged("zulu", 1, "nomads"), VRChanged("mutapa", 1, "rain"), VRChanged("kilwa", 3, "shaman")]
    assert given(STARTS, vr, seats=THREE).state.queue == ("kilwa", "zulu", "mutapa")


@pytest.mark.rule(accepts="R-VR-05")
def test_r_vr_05_gus_rebate_comes_first_and_even_a_change_of_0_moves_the_marker() -> None:
    kilwa = [technology("kilwa", "sculptor"), technology("kilwa", "potter")]
    position = given(STARTS, kilwa, VRChanged("zulu", 6, "herd"), turn_of("kilwa"))
    assert position.state.queue == ("kilwa", "zulu"), "kilwa has been on 26 for longer"
    answer = position.when("adore gu").then(
        GodAdored("kilwa", "gu"),
        TechnologyRebated("kilwa", "sculptor", 1),
        TechnologyRebated("kilwa", "potter", 1),
        VRChanged("kilwa", -4, "rebate of gu"),
        VRChanged("kilwa", 4, "gu"),
    )
    assert answer.state.vr["kilwa"] == 26
    assert answer.state.queue == ("zulu", "kilwa")


@pytest.mark.rule(accepts="R-VR-05")
def test_r_vr_05_no_change_moves_no_marker() -> None:
    given(STARTS, turn_of("kilwa")).when("adore gu").then(GodAdored("kilwa", "gu"), VRChanged("kilwa", 4, "gu"))
