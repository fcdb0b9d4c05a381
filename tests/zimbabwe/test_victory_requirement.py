"""R-SET: how play begins. R-VR: the victory requirement and the order of its markers."""

import pytest

from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, technology, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import SetUp
from zimcore.games.zimbabwe.components import COMPONENTS, CRAFTSMEN, GODS, SPECIALISTS
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

BEFORE_SET_UP = Position(GAME.evolution.initial())
START_MAP = "S.S.S ....."
SEATS = "kilwa zulu mutapa"


@pytest.mark.rule(accepts="R-SET-01")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r_set_01_map_gods_specialists_and_cattle_are_dealt(players: int) -> None:
    set_up_event, *payments = BEFORE_SET_UP.when(SetUp(7, (("players", str(players)),))).events
    assert isinstance(set_up_event, GameSetUp)
    assert len(set_up_event.seats) == players
    assert len(set_up_event.gods) == 8
    assert set_up_event.gods.items() <= {name: god.vr for name, god in GODS.items()}.items()
    assert set_up_event.specialists == {name: specialist.vr for name, specialist in SPECIALISTS.items()}
    assert payments == [CattlePaid(STOCK, seat, 3, "set-up") for seat in set_up_event.seats]


@pytest.mark.rule(accepts="R-SET-01")
def test_r_set_01_gods_and_map_are_random() -> None:
    setups = [BEFORE_SET_UP.when(SetUp(seed, (("players", "5"),))).state.setup for seed in range(60)]
    assert {god for setup in setups for god in setup.gods} == set(GODS), "each god can be among the 8"
    assert len({tuple(setup.gods) for setup in setups}) > 40
    assert all(setup.tiles[4][0] == 0 for setup in setups), "the start tile lies in the middle"
    for slot in (0, 1, 2, 3, 5, 6, 7, 8):
        assert {setup.tiles[slot][0] for setup in setups} == set(range(1, len(COMPONENTS.tiles)))
        assert {setup.tiles[slot][1] for setup in setups} == {0, 1, 2, 3}, "in any rotation"
    # What lies on a slot is what the tile shows, turned.
    for setup in setups:
        for slot, (tile, quarter_turns) in enumerate(setup.tiles):
            left_column, top_row = slot % 3 * 6, slot // 3 * 6
            tile_rows = tuple(row[left_column : left_column + 6] for row in setup.rows[top_row : top_row + 6])
            assert tile_rows == rotate_tile(COMPONENTS.tiles[tile].rows, quarter_turns)


@pytest.mark.rule(accepts="R-SET-01")
@pytest.mark.parametrize("type_", CRAFTSMEN)
def test_r_set_01_the_cheaper_card_of_a_technology_lies_on_top(type_: str) -> None:
    state = BEFORE_SET_UP.when(SetUp(7)).state
    first_vr, second_vr = CRAFTSMEN[type_].vr
    assert first_vr < second_vr
    assert (next_card(state, type_), technology_vr(state, "kilwa", type_)) == (1, first_vr)
    state_after_first = Position(state).after(technology("zulu", type_)).state
    assert (next_card(state_after_first, type_), technology_vr(state_after_first, "kilwa", type_)) == (2, second_vr)


@pytest.mark.rule(refuses="R-SET-01")
def test_r_set_01_the_game_is_for_2_to_5_players() -> None:
    BEFORE_SET_UP.when(SetUp(7, (("players", "6"),))).refused("R-SET-01", because="from 2 to 5")
    BEFORE_SET_UP.when(SetUp(7, (("players", "zulu"),))).refused("R-SET-01", because="for 2 to 5")


@pytest.mark.rule(refuses="R-SET-01")
def test_r_set_01_a_game_is_set_up_once() -> None:
    given(START_MAP).when(SetUp(7)).refused("R-SET-01", because="already")


@pytest.mark.rule(accepts="R-SET-02")
def test_r_set_02_the_owner_of_the_top_marker_places_first_then_down_the_stack() -> None:
    position = given(START_MAP, seats=SEATS)
    position.when("kilwa: start c1").then(MonumentBuilt("kilwa", "c1"), VPScored("kilwa", 1, "monument c1"))
    position.when("start c1", "zulu: start a1").then_among(MonumentBuilt("zulu", "a1"))


@pytest.mark.rule(refuses="R-SET-02")
def test_r_set_02_first_monuments_stand_on_free_start_areas() -> None:
    position = given(START_MAP, seats=SEATS)
    position.when("start b1").refused("R-SET-02", because="b1 is not a start area")
    position.when("start c1", "start c1").refused("R-SET-02", because="kilwa has started on c1")
    position.when("zulu: start c1").refused("R-SET-02", because="it is kilwa's turn, not zulu's")
    given(START_MAP, turn_of("kilwa")).when("start c1").refused("R-SET-02", because="taking their turns now")
    given(START_MAP, turn_of("kilwa")).when("start z9").refused("R-SET-02")


@pytest.mark.rule(accepts="R-SET-03 R-SET-04")
def test_r_set_04_the_first_plaques_are_the_reverse_of_the_placing_order() -> None:
    position = given(START_MAP, cattle(kilwa=3, zulu=3, mutapa=3), seats=SEATS)
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
    state = BEFORE_SET_UP.when(SetUp(7, options), "zulu: start a1", "kilwa: start e2").state
    assert (state.vp, state.vr) == ({"kilwa": 1, "zulu": 1}, {"kilwa": 20, "zulu": 20})
    assert state.cattle == {STOCK: -6, "kilwa": 3, "zulu": 3}


@pytest.mark.rule(accepts="R-VR-01")
def test_r_vr_01_gods_specialists_and_technologies_count() -> None:
    facts = [
        cattle(kilwa=9),
        hired_specialist("kilwa", "nomads"),
        craftsman("kilwa", "ivory_carver", "b2"),
        turn_of("kilwa"),
    ]
    position = given("I....C ...... ......", facts)
    answer = position.when("adore engai", "craft potter e1-e2 price 1").then_among(VRChanged("kilwa", 3, "potter"))
    assert answer.state.vr["kilwa"] == 20 + 1 + 2 + 5 + 3


@pytest.mark.rule(accepts="R-VR-01")
def test_r_vr_01_for_the_adorer_of_gu_a_technology_counts_1() -> None:
    position = given("C...", cattle(kilwa=2), adored_god("kilwa", "gu"), turn_of("kilwa"))
    position.when("craft potter b1-c1 price 1").then_among(VRChanged("kilwa", 1, "potter"))


@pytest.mark.rule(accepts="R-VR-02")
@pytest.mark.parametrize(
    ("line", "vr_change", "reason"),
    [("adore eshu", 4, "eshu"), ("hire shaman wood d1", 3, "shaman"), ("craft potter b1-c1 price 1", 3, "potter")],
)
def test_r_vr_02_vr_may_reach_40(line: str, vr_change: int, reason: str) -> None:
    position = given("C....", cattle(kilwa=9), VRChanged("kilwa", 20 - vr_change, "much"), turn_of("kilwa"))
    answer = position.when(line).then_among(VRChanged("kilwa", vr_change, reason))
    assert answer.state.vr["kilwa"] == 40


@pytest.mark.rule(refuses="R-VR-02")
@pytest.mark.parametrize("line", ["adore engai", "hire herd 2", "craft potter b1-c1 price 1"])
def test_r_vr_02_vr_may_not_rise_above_40(line: str) -> None:
    given("C....", cattle(kilwa=9), VRChanged("kilwa", 18, "much"), turn_of("kilwa")).when(line).refused(
        "R-VR-02", because="can't be above 40"
    )


@pytest.mark.rule(accepts="R-VR-03")
def test_r_vr_03_a_marker_that_moves_lands_on_top() -> None:
    position = given(START_MAP, seats=SEATS)  # from below: mutapa, zulu, kilwa
    assert position.state.queue == ("mutapa", "zulu", "kilwa")
    position_after_changes = position.after([VRChanged("zulu", 3, "potter"), VRChanged("mutapa", 3, "sculptor")])
    assert position_after_changes.state.queue == ("zulu", "mutapa", "kilwa"), (
        "on 23 zulu lies below mutapa, who came later"
    )
    assert position_after_changes.after(VRChanged("zulu", -3, "back")).state.queue == ("mutapa", "kilwa", "zulu")


@pytest.mark.rule(accepts="R-VR-04")
def test_r_vr_04_the_queue_has_high_vr_first_then_the_lower_marker() -> None:
    vr_facts = [VRChanged("zulu", 1, "nomads"), VRChanged("mutapa", 1, "rain"), VRChanged("kilwa", 3, "shaman")]
    assert given(START_MAP, vr_facts, seats=SEATS).state.queue == ("kilwa", "zulu", "mutapa")


@pytest.mark.rule(accepts="R-VR-05")
def test_r_vr_05_gus_rebate_comes_first_and_even_a_change_of_0_moves_the_marker() -> None:
    technology_facts = [technology("kilwa", "sculptor"), technology("kilwa", "potter")]
    position = given(START_MAP, technology_facts, VRChanged("zulu", 6, "herd"), turn_of("kilwa"))
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
def test_r_vr_05_without_a_change_no_marker_moves() -> None:
    given(START_MAP, turn_of("kilwa")).when("adore gu").then(GodAdored("kilwa", "gu"), VRChanged("kilwa", 4, "gu"))
