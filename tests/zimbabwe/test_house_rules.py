"""House rules: each option plays the other reading of one rule, and changes nothing else."""

from random import Random

import pytest

from tests.house_rules import begin_match, check_house_rule_flips
from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given
from zimcore.game import Event, OptionError
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.events import (
    STOCK,
    ActionTaken,
    CattlePaid,
    CraftsmanPlaced,
    GodAdored,
    GoodMade,
    HouseRulesChosen,
    MonumentBuilt,
    PriceSet,
    RoundBegun,
    SpecialistUsed,
    VRChanged,
)
from zimcore.games.zimbabwe.evolution import _canonical_fields
from zimcore.games.zimbabwe.house import HOUSE_RULES, SITE_RULES
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.rules.setup import RULES_WITH_FIELDS

MAP = "C...... ......."


def house_rules(**rules: str) -> list[Event]:
    """This table plays by these house rules."""
    return [HouseRulesChosen(rules)]


@pytest.mark.parametrize("option", [*HOUSE_RULES, *SITE_RULES])
def test_each_house_rule_is_an_option_of_the_set_up(option: str) -> None:
    rule = {**HOUSE_RULES, **SITE_RULES}[option]
    assert begin_match(GAME, **{option: rule.usual}).events == begin_match(GAME).events
    [set_up_event, *later_events] = begin_match(GAME, **{option: rule.other}).events
    assert (
        getattr(set_up_event, option, "") == rule.other
        if option in RULES_WITH_FIELDS
        else later_events[0] == HouseRulesChosen({option: rule.other})
    )
    with pytest.raises(OptionError, match=f"{option} is {rule.usual} or {rule.other}"):
        begin_match(GAME, **{option: "maybe"})


@pytest.mark.parametrize("option", HOUSE_RULES)
def test_a_set_up_is_flipped_and_flipped_back(option: str) -> None:
    check_house_rule_flips(GAME, HOUSE_RULES[option], option, {}, {"gu": "one-move", "obatala": "together"})


BEHIND_A_MONUMENT = [cattle(kilwa=9), monument("zulu", "b1")]
WALL = "C.......\n________\nS......S"


@pytest.mark.rule(accepts="R-RNG-07", refuses="R-CRA-06")
def test_r_rng_07_by_house_rule_monuments_block_the_range_to_resources() -> None:
    usual_position = given(WALL, BEHIND_A_MONUMENT, turn_of("kilwa"))
    usual_position.when("craft potter c1-d1 price 1").then_among(CraftsmanPlaced("kilwa", "potter", ("c1", "d1")))
    blocked_position = given(WALL, house_rules(resource_range="blocked"), BEHIND_A_MONUMENT, turn_of("kilwa"))
    reason = "no clay within 3 steps of c1-d1, without passing a monument: a house rule (resource_range=blocked)"
    blocked_position.when("craft potter c1-d1 price 1").refused("R-CRA-06", because=reason)
    open_position = given(
        "C....... ........", house_rules(resource_range="blocked"), BEHIND_A_MONUMENT, turn_of("kilwa")
    )
    open_position.when("craft potter c1-d1 price 1").then_among(CraftsmanPlaced("kilwa", "potter", ("c1", "d1")))


POTTER_IN_REACH = [cattle(kilwa=9), craftsman("zulu", "potter", "b1-c1"), monument("kilwa", "e1")]


@pytest.mark.rule(accepts="R-HUB-04")
def test_r_hub_04_by_house_rule_the_raised_monument_is_paid_as_a_hub_for_every_good() -> None:
    raise_line = "raise e1 potter@b1/a1"
    given(MAP, POTTER_IN_REACH, turn_of("kilwa")).when(raise_line).then_among(
        CattlePaid("kilwa", "zulu/potter", 1, "potter")
    )
    position = given(MAP, house_rules(raised_hub="paid"), POTTER_IN_REACH, turn_of("kilwa"))
    answer = position.when(raise_line).then_among(
        CattlePaid("kilwa", STOCK, 1, "hubs"), CattlePaid("kilwa", "zulu/potter", 1, "potter")
    )
    assert answer.state.cattle["kilwa"] == 7
    # Beside the hubs on the way, and only where a good comes to the monument: a primary good goes to its craftsman.
    position_with_one_hub = given(
        "C.......", house_rules(raised_hub="paid"), POTTER_IN_REACH, monument("kilwa", "h1"), turn_of("kilwa")
    )
    position_with_one_hub.when("raise h1 potter@b1/a1").then_among(CattlePaid("kilwa", STOCK, 2, "hubs"))
    makers = [*craftsman("zulu", "potter", "b1-b2"), *craftsman("kilwa", "vessel_maker", "d1")]
    facts = [cattle(kilwa=9), makers, monument("kilwa", "f1"), turn_of("kilwa")]
    secondary_position = given("C........ ......C..", house_rules(raised_hub="paid"), facts)
    secondary_answer = secondary_position.when("raise f1 vessel_maker@d1/g2(potter@b1/a1)")
    assert secondary_answer.state.cattle["kilwa"] == 6, "a vessel, a pot, and one hub"


@pytest.mark.rule(refuses="R-BID-06", accepts="R-BID-06 R-BID-08")
def test_r_bid_06_by_house_rule_the_first_gift_has_to_be_made() -> None:
    facts = [cattle(kilwa=3, zulu=3), turn_of("kilwa", "kilwa")]
    position = given(MAP, house_rules(first_gift="required"), facts).after("end")
    position.when("pass").refused("R-BID-06", because="no player may pass before the first gift")
    assert not list(GAME.rules.legal(position.state, position.state.actor or "").texts("pass"))
    position.when("bid 1", "pass").then_among()
    position_without_cattle = given(MAP, house_rules(first_gift="required"), turn_of("kilwa", "kilwa"))
    position_without_cattle.when("end").then_among(RoundBegun(2, ("zulu", "kilwa")))


@pytest.mark.rule(refuses="R-TURN-01", accepts="R-TURN-01")
def test_r_turn_01_by_house_rule_one_specialist_is_used_in_a_turn() -> None:
    facts = [cattle(kilwa=9), hired_specialist("kilwa", "nomads"), turn_of("kilwa")]
    given(MAP, facts).when("use nomads", "hire builder").then_among(SpecialistUsed("kilwa", "builder"))
    position = given(MAP, house_rules(specialist_uses="one"), facts)
    position.when("use nomads", "hire builder").refused("R-TURN-01", because="has used the nomads in this turn")
    position.when("hire builder", "use nomads").refused("R-TURN-01", because="has used the builder in this turn")


@pytest.mark.rule(accepts="R-TURN-04", refuses="R-TURN-04")
def test_r_turn_04_by_house_rule_cards_come_between_parts_of_the_main_action() -> None:
    facts = [cattle(kilwa=20), technology("kilwa", "sculptor"), turn_of("kilwa")]
    first_lines, second_line = ("craft potter b1-c1 price 1", "hire builder"), "craft potter f2-g2"
    far_map = "C....... ........ .......C"
    given(far_map, facts).when(*first_lines, second_line).refused("R-TURN-04")
    position = given(far_map, house_rules(main_action="in-parts"), facts)
    position.when(*first_lines, second_line).then_among(CraftsmanPlaced("kilwa", "potter", ("f2", "g2")))
    position_with_raised_prices = position.after([*first_lines, "price sculptor 2"])
    position_with_raised_prices.when(second_line).refused(
        "R-TURN-04", because="kilwa can place no more craftsmen in this turn: prices were raised"
    )
    # Nor does what comes in between make that undone (R-PRI-01); more prices may be raised.
    position_with_builder = position.after([*first_lines[:1], "price sculptor 2", "hire builder"])
    position_with_builder.when(second_line).refused(
        "R-TURN-04", because="kilwa can place no more craftsmen in this turn: prices were raised"
    )
    position_with_builder.when("price sculptor 3").then_among(PriceSet("kilwa", "sculptor", 3))
    # Another god than the one of prices may have been chosen in between.
    position_with_god = position.after([*first_lines[:1], "adore qamata", "price sculptor 2"])
    position_with_god.when(second_line).refused(
        "R-TURN-04", because="kilwa can place no more craftsmen in this turn: prices were raised"
    )
    assert [position_with_builder.state.prices_raised, position_with_builder.when("end").state.prices_raised] == [
        True,
        False,
    ], "the next turn begins anew"
    position_with_raised_monument = given(MAP, house_rules(main_action="in-parts"), POTTER_IN_REACH, facts).after(
        ["raise e1 potter@b1/a1"]
    )
    position_with_raised_monument.when("price sculptor 2").refused(
        "R-PRI-03", because="kilwa has taken another main action"
    )
    position_with_obatala = given(MAP, house_rules(main_action="in-parts"), adored_god("kilwa", "obatala"), facts)
    position_with_obatala.when("build b1", "hire builder", "build d1").then_among(MonumentBuilt("kilwa", "d1"))
    position_with_obatala.when("build a2", "build c1 e1 g1").refused(
        "R-MON-02", because="kilwa may build 2 in one action, not 4"
    )


@pytest.mark.rule(accepts="R-SPEC-08")
def test_r_spec_08_by_house_rule_the_builder_counts_craftsmen_placed_before() -> None:
    facts = [cattle(kilwa=9), turn_of("kilwa")]
    lines = "craft potter b1-c1 price 1", "hire builder"
    assert given(MAP, facts).when(*lines).state.cattle["kilwa/builder"] == 2
    answer = given(MAP, house_rules(builder="whole-turn"), facts).when(*lines)
    answer.then_among(
        CattlePaid("kilwa", "kilwa/builder", 2, "builder"), CattlePaid(STOCK, "kilwa/builder", 2, "builder")
    )


REBATE_OF_4 = [*technology("kilwa", "potter", card_number=1), *technology("kilwa", "sculptor", card_number=1)]


@pytest.mark.rule(accepts="R-VR-05")
def test_r_vr_05_by_house_rule_rebate_and_gu_are_one_move_of_the_marker() -> None:
    usual_answer = given(MAP, REBATE_OF_4, turn_of("kilwa")).when("adore gu")
    usual_answer.then_among(VRChanged("kilwa", -4, "rebate of gu"), VRChanged("kilwa", 4, "gu"))
    answer = given(MAP, house_rules(gu="one-move"), REBATE_OF_4, turn_of("kilwa")).when("adore gu")
    answer.then_no(VRChanged)
    assert answer.state.vr == usual_answer.state.vr
    position_with_one_technology = given(
        MAP, house_rules(gu="one-move"), technology("kilwa", "potter"), turn_of("kilwa")
    )
    position_with_one_technology.when("adore gu").then_among(VRChanged("kilwa", 2, "gu"))


@pytest.mark.rule(accepts="R-MON-02", refuses="R-MON-01")
def test_r_mon_02_by_house_rule_obatalas_two_may_be_neighbours() -> None:
    facts = [adored_god("kilwa", "obatala"), monument("zulu", "g1"), turn_of("kilwa")]
    given(MAP, facts).when("build b1 c1").refused("R-MON-01")
    position = given(MAP, house_rules(obatala="together"), facts)
    position.when("build b1 c1").then_among(MonumentBuilt("kilwa", "b1"), MonumentBuilt("kilwa", "c1"))
    position.when("build b1", "build c1").then_among(MonumentBuilt("kilwa", "c1"))
    position.when("build b1 f1").refused("R-MON-01", because="f1 is next to the monument on g1")
    position_on_open_board = given("........ ........ ........ ........", house_rules(obatala="together"), facts)
    for square in ("b1", "c1", "d1", "b2", "d2", "b3", "c3", "d3"):
        position_on_open_board.when("build c2", f"build {square}").then_among(MonumentBuilt("kilwa", square))


FAR_CLAYS = "..C........C ............ ............"
CHAIN_OF_HUBS = [
    *craftsman("zulu", "potter", "a1-a2"),
    *[event for square in ("d1", "g1") for event in monument("zulu", square)],
    *cattle(kilwa=9),
    *technology("kilwa", "vessel_maker"),
    *turn_of("kilwa"),
]


@pytest.mark.rule(accepts="R-CRA-07", refuses="R-CRA-07")
def test_r_cra_07_by_house_rule_a_secondary_reaches_its_primary_over_one_hub_at_most() -> None:
    craft_line = "craft vessel_maker i2-j2-i3-j3"
    given(FAR_CLAYS, CHAIN_OF_HUBS).when(craft_line).then_among(
        CraftsmanPlaced("kilwa", "vessel_maker", ("i2", "j2", "i3", "j3"))
    )
    position = given(FAR_CLAYS, house_rules(secondary_hubs="one"), CHAIN_OF_HUBS)
    position.when(craft_line).refused("R-CRA-07", because="over one hub")
    position.when("craft vessel_maker f2-g2-f3-g3").then_among(
        CraftsmanPlaced("kilwa", "vessel_maker", ("f2", "g2", "f3", "g3"))
    )


@pytest.mark.rule(accepts="R-PRI-01", refuses="R-PRI-01 R-PRI-03")
def test_r_pri_01_by_house_rule_a_new_price_may_wait_for_the_end_of_the_turn() -> None:
    facts = [cattle(kilwa=20), technology("kilwa", "sculptor"), turn_of("kilwa")]
    given(MAP, facts).when("craft potter b1-c1", "hire builder").refused("R-PRI-01", because="set the price first")
    position = given(MAP, house_rules(new_prices="turn-end"), facts).after(["craft potter b1-c1", "hire builder"])
    position.when("price potter 2").then(PriceSet("kilwa", "potter", 2))
    position.when("price sculptor 2").refused("R-PRI-03")
    position.when("end").refused("R-PRI-01", because="set the price first")
    position.when("price potter 2", "end").then_among()
    assert list(LegalCommands(position.state).texts("price")) == [f"price potter {price}" for price in (1, 2, 3)]
    assert all(
        LegalCommands(position.state).sample(Random(seed)) in LegalCommands(position.state) for seed in range(20)
    )


@pytest.mark.rule(accepts="R-RAI-07", refuses="R-RAI-07")
def test_r_rai_07_by_house_rule_only_own_markers_count_for_atetes_adorer() -> None:
    atete_facts, markers_of_zulu = adored_god("kilwa", "atete"), [GoodMade("zulu", "potter", "b1", "a1")] * 2
    raise_line, marker_of_kilwa = "raise e1 potter@b1/a1", GoodMade("kilwa", "potter", "b1", "a1")
    usual_position = given(MAP, POTTER_IN_REACH, atete_facts, turn_of("kilwa"), markers_of_zulu)
    usual_position.when(raise_line).refused("R-RAI-07", because="is used up in this round")
    position_with_own_markers = given(
        MAP, house_rules(atete="own-markers"), POTTER_IN_REACH, atete_facts, turn_of("kilwa"), markers_of_zulu
    )
    position_with_own_markers.when(raise_line).then_among(marker_of_kilwa)
    position_with_own_markers.after([marker_of_kilwa, marker_of_kilwa]).when(raise_line).refused("R-RAI-07")
    position_with_own_markers.after([marker_of_kilwa, marker_of_kilwa, *turn_of("kilwa", round_number=2)]).when(
        raise_line
    ).then_among(marker_of_kilwa)
    position_without_atete = given(
        MAP, house_rules(atete="own-markers"), POTTER_IN_REACH, turn_of("kilwa"), markers_of_zulu
    )
    position_without_atete.when(raise_line).refused("R-RAI-07")


def test_only_a_house_rule_adds_to_the_input_of_a_digest() -> None:
    usual_state, other_state = begin_match(GAME).state, begin_match(GAME, atete="own-markers").state
    assert len(_canonical_fields(usual_state)) + 3 == len(_canonical_fields(other_state))


@pytest.mark.rule(accepts="R-SPEC-06 R-TURN-01", refuses="R-SPEC-06 R-TURN-01")
def test_r_spec_06_by_house_rule_the_herd_grows_in_steps() -> None:
    facts = [cattle(kilwa=20), turn_of("kilwa", "kilwa")]
    given(MAP, facts).when("hire herd 2", "use herd 2").refused("R-TURN-01", because="has used the herd")
    position = given(MAP, house_rules(herd="in-steps"), facts)
    position.when("hire herd 2", "use herd 2").then_among(SpecialistUsed("kilwa", "herd"))
    position.when("hire herd 4", "use herd 4").refused("R-SPEC-06", because="takes 2 cattle more, not 4")
    for lines in (["hire herd 2", "use herd 2", "use herd 2"], ["hire herd 2", "use herd 4"], ["hire herd 6"]):
        position.when(*lines, "end").then_among(CattlePaid("kilwa/herd", "kilwa", 9, "revenue"))
        position.when(*lines, "use herd 2").refused("R-TURN-01", because="with 6 cattle, the most in a turn")
    after_four = position.after("hire herd 4")
    assert list(GAME.rules.legal(after_four.state, "kilwa").texts("use")) == ["use herd 2"]
    # A new turn starts anew, and one specialist in steps is still one.
    position.when("hire herd 6", "end", "pass", "end", "use herd 6").then_among(SpecialistUsed("kilwa", "herd"))
    one_use = given(MAP, house_rules(herd="in-steps", specialist_uses="one"), facts)
    one_use.when("hire herd 2", "use herd 2").then_among(SpecialistUsed("kilwa", "herd"))
    one_use.when("hire builder", "use herd 2").refused("R-TURN-01")


def test_by_a_rule_of_a_site_a_god_may_be_chosen_above_the_limit() -> None:
    facts: list[Event] = [VRChanged("kilwa", 18, "given"), *turn_of("kilwa")]
    given(MAP, facts).when("adore obatala").refused("R-VR-02", because="45")
    capped = given(MAP, house_rules(god_limit="capped"), facts).when("adore obatala")
    capped.then_among(GodAdored("kilwa", "obatala"), VRChanged("kilwa", 2, "obatala"))
    # The rebate for technologies makes room first.
    facts = [*technology("kilwa", "potter"), VRChanged("kilwa", 17, "given"), *turn_of("kilwa")]
    capped = given(MAP, house_rules(god_limit="capped"), facts).when("adore gu")
    capped.then_among(VRChanged("kilwa", -2, "rebate of gu"), VRChanged("kilwa", 2, "gu"))


def test_by_a_rule_of_a_site_a_marker_comes_back_below_those_that_never_moved() -> None:
    facts = [cattle(kilwa=9), adored_god("kilwa", "xango"), turn_of("kilwa")]
    usual = given(MAP, facts).after("hire builder").state
    below = given(MAP, house_rules(start_stack="below"), facts).after("hire builder").state
    assert (usual.vr["kilwa"], usual.queue, below.queue) == (20, ("zulu", "kilwa"), ("kilwa", "zulu"))
    lower = given(MAP, house_rules(start_stack="below"), turn_of("kilwa")).after("adore xango").state
    assert (lower.vr["kilwa"], lower.queue) == (18, ("zulu", "kilwa"))


def test_by_a_rule_of_a_site_dziva_lowers_prices_after_placing() -> None:
    facts: list[Event] = [*adored_god("kilwa", "dziva"), *technology("kilwa", "potter", price=3), *turn_of("kilwa")]
    facts.append(ActionTaken("kilwa", "craft"))
    given(MAP, facts).when("price potter 1").refused("R-PRI-01", because="can't be lowered")
    lowered = given(MAP, house_rules(dziva_crafting="any-price"), facts)
    lowered.when("price potter 1").then_among(PriceSet("kilwa", "potter", 1))
    assert "price potter 1" in list(GAME.rules.legal(lowered.state, "kilwa").texts("price"))
