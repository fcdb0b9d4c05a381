"""House rules: each option decides its reading the other way, and leaves everything else as it is."""

from random import Random

import pytest

from tests.house_rules import begin_match, check_flipped_and_flipped_back
from tests.zimbabwe.facts import adores, cattle, craftsman, has, monument, technology, turn_of
from tests.zimbabwe.game_test_kit import given
from zimcore.game import Event, OptionError
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    CraftsmanPlaced,
    GoodMade,
    HouseRulesChosen,
    MonumentBuilt,
    PriceSet,
    RoundBegun,
    SpecialistUsed,
    VRChanged,
)
from zimcore.games.zimbabwe.evolution import _essence
from zimcore.games.zimbabwe.house import HOUSE
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.rules.setup import OWN

MAP = "C...... ......."


def house(**rules: str) -> list[Event]:
    """This table plays by these house rules."""
    return [HouseRulesChosen(rules)]


@pytest.mark.parametrize("option", HOUSE)
def test_each_is_an_option_that_stands_in_the_set_up(option: str) -> None:
    rule = HOUSE[option]
    assert begin_match(GAME, **{option: rule.usual}).events == begin_match(GAME).events
    [dealt, *rest] = begin_match(GAME, **{option: rule.other}).events
    assert (
        getattr(dealt, option, "") == rule.other if option in OWN else rest[0] == HouseRulesChosen({option: rule.other})
    )
    with pytest.raises(OptionError, match=f"{option} is {rule.usual} or {rule.other}"):
        begin_match(GAME, **{option: "maybe"})


@pytest.mark.parametrize("option", HOUSE)
def test_a_set_up_is_turned_over_and_back(option: str) -> None:
    check_flipped_and_flipped_back(GAME, HOUSE[option], option, {}, {"gu": "one-move", "obatala": "together"})


BEHIND = [cattle(kilwa=9), monument("zulu", "b1")]
WALL = "C.......\n________\nS......S"


@pytest.mark.rule(accepts="R-RNG-07", refuses="R-CRA-06")
def test_r_rng_07_by_the_house_monuments_block_the_range_to_resources() -> None:
    usual = given(WALL, BEHIND, turn_of("kilwa"))
    usual.when("craft potter c1-d1 price 1").then_among(CraftsmanPlaced("kilwa", "potter", ("c1", "d1")))
    blocked = given(WALL, house(resource_range="blocked"), BEHIND, turn_of("kilwa"))
    blocked.when("craft potter c1-d1 price 1").refused("R-CRA-06", because="no clay within 3 steps")
    beside = given("C....... ........", house(resource_range="blocked"), BEHIND, turn_of("kilwa"))
    beside.when("craft potter c1-d1 price 1").then_among(CraftsmanPlaced("kilwa", "potter", ("c1", "d1")))


POTTER = [cattle(kilwa=9), craftsman("zulu", "potter", "b1-c1"), monument("kilwa", "e1")]


@pytest.mark.rule(accepts="R-HUB-04")
def test_r_hub_04_by_the_house_the_raised_monument_is_paid_as_a_hub_for_every_good() -> None:
    raised = "raise e1 potter@b1/a1"
    given(MAP, POTTER, turn_of("kilwa")).when(raised).then_among(CattlePaid("kilwa", "zulu/potter", 1, "potter"))
    paid = given(MAP, house(raised_hub="paid"), POTTER, turn_of("kilwa"))
    answer = paid.when(raised).then_among(
        CattlePaid("kilwa", STOCK, 1, "hubs"), CattlePaid("kilwa", "zulu/potter", 1, "potter")
    )
    assert answer.state.cattle["kilwa"] == 7
    # Beside the hubs on the way, and only where a good comes to the monument: a primary good goes to its craftsman.
    one_hub = given("C.......", house(raised_hub="paid"), POTTER, monument("kilwa", "h1"), turn_of("kilwa"))
    one_hub.when("raise h1 potter@b1/a1").then_among(CattlePaid("kilwa", STOCK, 2, "hubs"))
    makers = [*craftsman("zulu", "potter", "b1-b2"), *craftsman("kilwa", "vessel_maker", "d1")]
    facts = [cattle(kilwa=9), makers, monument("kilwa", "f1"), turn_of("kilwa")]
    secondary = given("C........ ......C..", house(raised_hub="paid"), facts)
    made = secondary.when("raise f1 vessel_maker@d1/g2(potter@b1/a1)")
    assert made.state.cattle["kilwa"] == 6, "a vessel, a pot, and one hub"


@pytest.mark.rule(refuses="R-BID-06", accepts="R-BID-06 R-BID-08")
def test_r_bid_06_by_the_house_the_first_gift_has_to_be_made() -> None:
    facts = [cattle(kilwa=3, zulu=3), turn_of("kilwa", "kilwa")]
    position = given(MAP, house(first_gift="required"), facts).after("end")
    position.when("pass").refused("R-BID-06", because="no player may pass before the first gift")
    assert not list(GAME.rules.legal(position.state, position.state.actor or "").texts("pass"))
    position.when("bid 1", "pass").then_among()
    poor = given(MAP, house(first_gift="required"), turn_of("kilwa", "kilwa"))
    poor.when("end").then_among(RoundBegun(2, ("zulu", "kilwa")))


@pytest.mark.rule(refuses="R-TURN-01", accepts="R-TURN-01")
def test_r_turn_01_by_the_house_one_specialist_is_used_in_a_turn() -> None:
    owned = [cattle(kilwa=9), has("kilwa", "nomads"), turn_of("kilwa")]
    given(MAP, owned).when("use nomads", "hire builder").then_among(SpecialistUsed("kilwa", "builder"))
    one = given(MAP, house(specialist_uses="one"), owned)
    one.when("use nomads", "hire builder").refused("R-TURN-01", because="has used the nomads in this turn")
    one.when("hire builder", "use nomads").refused("R-TURN-01", because="has used the builder in this turn")


@pytest.mark.rule(accepts="R-TURN-04", refuses="R-TURN-04")
def test_r_turn_04_by_the_house_cards_come_between_parts_of_the_main_action() -> None:
    facts = [cattle(kilwa=20), technology("kilwa", "sculptor"), turn_of("kilwa")]
    before, second = ("craft potter b1-c1 price 1", "hire builder"), "craft potter f2-g2"
    far = "C....... ........ .......C"
    given(far, facts).when(*before, second).refused("R-TURN-04")
    in_parts = given(far, house(main_action="in-parts"), facts)
    in_parts.when(*before, second).then_among(CraftsmanPlaced("kilwa", "potter", ("f2", "g2")))
    priced = in_parts.after([*before, "price sculptor 2"])
    priced.when(second).refused("R-TURN-04", because="no more craftsmen after prices were raised")
    # Nor does what comes in between make that undone (R-PRI-01); more prices may be raised.
    later = in_parts.after([*before[:1], "price sculptor 2", "hire builder"])
    later.when(second).refused("R-TURN-04", because="no more craftsmen after prices were raised")
    later.when("price sculptor 3").then_among(PriceSet("kilwa", "sculptor", 3))
    # Another god than the one of prices may have been chosen in between.
    adored = in_parts.after([*before[:1], "adore qamata", "price sculptor 2"])
    adored.when(second).refused("R-TURN-04", because="no more craftsmen after prices were raised")
    assert [later.state.raised, later.when("end").state.raised] == [True, False], "the next turn begins anew"
    raised = given(MAP, house(main_action="in-parts"), POTTER, facts).after(["raise e1 potter@b1/a1"])
    raised.when("price sculptor 2").refused("R-PRI-03", because="kilwa has taken another main action")
    two = given(MAP, house(main_action="in-parts"), adores("kilwa", "obatala"), facts)
    two.when("build b1", "hire builder", "build d1").then_among(MonumentBuilt("kilwa", "d1"))
    two.when("build a2", "build c1 e1 g1").refused("R-MON-02", because="kilwa may build 2 in one action, not 4")


@pytest.mark.rule(accepts="R-SPEC-08")
def test_r_spec_08_by_the_house_the_builder_keeps_of_what_was_placed_before() -> None:
    facts = [cattle(kilwa=9), turn_of("kilwa")]
    lines = "craft potter b1-c1 price 1", "hire builder"
    assert given(MAP, facts).when(*lines).state.cattle["kilwa/builder"] == 2
    whole = given(MAP, house(builder="whole-turn"), facts).when(*lines)
    whole.then_among(
        CattlePaid("kilwa", "kilwa/builder", 2, "builder"), CattlePaid(STOCK, "kilwa/builder", 2, "builder")
    )


REBATE_OF_4 = [*technology("kilwa", "potter", card=1), *technology("kilwa", "sculptor", card=1)]


@pytest.mark.rule(accepts="R-VR-05")
def test_r_vr_05_by_the_house_rebate_and_gu_are_one_move_of_the_marker() -> None:
    usual = given(MAP, REBATE_OF_4, turn_of("kilwa")).when("adore gu")
    usual.then_among(VRChanged("kilwa", -4, "rebate of gu"), VRChanged("kilwa", 4, "gu"))
    once = given(MAP, house(gu="one-move"), REBATE_OF_4, turn_of("kilwa")).when("adore gu")
    once.then_no(VRChanged)
    assert once.state.vr == usual.state.vr
    one = given(MAP, house(gu="one-move"), technology("kilwa", "potter"), turn_of("kilwa"))
    one.when("adore gu").then_among(VRChanged("kilwa", 2, "gu"))


@pytest.mark.rule(accepts="R-MON-02", refuses="R-MON-01")
def test_r_mon_02_by_the_house_obatalas_two_may_be_neighbours() -> None:
    facts = [adores("kilwa", "obatala"), monument("zulu", "g1"), turn_of("kilwa")]
    given(MAP, facts).when("build b1 c1").refused("R-MON-01")
    together = given(MAP, house(obatala="together"), facts)
    together.when("build b1 c1").then_among(MonumentBuilt("kilwa", "b1"), MonumentBuilt("kilwa", "c1"))
    together.when("build b1", "build c1").then_among(MonumentBuilt("kilwa", "c1"))
    together.when("build b1 f1").refused("R-MON-01", because="f1 is next to the monument on g1")
    middle = given("........ ........ ........ ........", house(obatala="together"), facts)
    for square in ("b1", "c1", "d1", "b2", "d2", "b3", "c3", "d3"):
        middle.when("build c2", f"build {square}").then_among(MonumentBuilt("kilwa", square))


FAR = "..C........C ............ ............"
CHAIN = [
    *craftsman("zulu", "potter", "a1-a2"),
    *[each for square in ("d1", "g1") for each in monument("zulu", square)],
    *cattle(kilwa=9),
    *technology("kilwa", "vessel_maker"),
    *turn_of("kilwa"),
]


@pytest.mark.rule(accepts="R-CRA-07", refuses="R-CRA-07")
def test_r_cra_07_by_the_house_a_secondary_reaches_its_primary_over_one_hub_at_most() -> None:
    placed = "craft vessel_maker i2-j2-i3-j3"
    given(FAR, CHAIN).when(placed).then_among(CraftsmanPlaced("kilwa", "vessel_maker", ("i2", "j2", "i3", "j3")))
    one = given(FAR, house(secondary_hubs="one"), CHAIN)
    one.when(placed).refused("R-CRA-07", because="over one hub")
    one.when("craft vessel_maker f2-g2-f3-g3").then_among(
        CraftsmanPlaced("kilwa", "vessel_maker", ("f2", "g2", "f3", "g3"))
    )


@pytest.mark.rule(accepts="R-PRI-01", refuses="R-PRI-01 R-PRI-03")
def test_r_pri_01_by_the_house_a_new_price_may_wait_for_the_end_of_the_turn() -> None:
    facts = [cattle(kilwa=20), technology("kilwa", "sculptor"), turn_of("kilwa")]
    given(MAP, facts).when("craft potter b1-c1", "hire builder").refused("R-PRI-01", because="set the price first")
    late = given(MAP, house(new_prices="turn-end"), facts).after(["craft potter b1-c1", "hire builder"])
    late.when("price potter 2").then(PriceSet("kilwa", "potter", 2))
    late.when("price sculptor 2").refused("R-PRI-03")
    late.when("end").refused("R-PRI-01", because="set the price first")
    late.when("price potter 2", "end").then_among()
    assert list(LegalCommands(late.state).texts("price")) == [f"price potter {price}" for price in (1, 2, 3)]
    assert all(LegalCommands(late.state).sample(Random(seed)) in LegalCommands(late.state) for seed in range(20))


@pytest.mark.rule(accepts="R-RAI-07", refuses="R-RAI-07")
def test_r_rai_07_by_the_house_only_own_markers_count_for_atetes_adorer() -> None:
    adored, theirs = adores("kilwa", "atete"), [GoodMade("zulu", "potter", "b1", "a1")] * 2
    raised, mine = "raise e1 potter@b1/a1", GoodMade("kilwa", "potter", "b1", "a1")
    usual = given(MAP, POTTER, adored, turn_of("kilwa"), theirs)
    usual.when(raised).refused("R-RAI-07", because="has 0 uses left")
    own = given(MAP, house(atete="own-markers"), POTTER, adored, turn_of("kilwa"), theirs)
    own.when(raised).then_among(mine)
    own.after([mine, mine]).when(raised).refused("R-RAI-07")
    own.after([mine, mine, *turn_of("kilwa", number=2)]).when(raised).then_among(mine)
    plain = given(MAP, house(atete="own-markers"), POTTER, turn_of("kilwa"), theirs)
    plain.when(raised).refused("R-RAI-07")


def test_only_a_house_rule_adds_to_what_a_digest_is_made_of() -> None:
    usual, other = begin_match(GAME).state, begin_match(GAME, atete="own-markers").state
    assert len(_essence(usual)) + 3 == len(_essence(other))
