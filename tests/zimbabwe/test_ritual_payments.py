"""R-RAI-07 to R-RAI-10: what rituals use up and cost, and which seats are paid."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, craftsman, monument, turn_of, used_markers
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, GoodMade, MonumentRaised

POTTER = craftsman("zulu", "potter", "b1-c1", price=3)
MAKERS = [*craftsman("zulu", "potter", "b1-b2", price=3), *craftsman("kilwa", "vessel_maker", "d1", price=2)]
RAISE_LINE = "raise f1 potter@b1/a1"
RAISE_WITH_VESSEL = "raise f1 vessel_maker@d1/a1(potter@b1/a1)"


def given_raise(*facts: Facts, cattle_of_kilwa: int = 20, markers_on_a1: int = 0) -> Position:
    """Kilwa is to raise f1, and the clay on a1 bears so many markers."""
    position = given(
        "C........ ........C", cattle(kilwa=cattle_of_kilwa), monument("kilwa", "f1"), facts, turn_of("kilwa")
    )
    return position.after(used_markers(*["a1"] * markers_on_a1))


@pytest.mark.rule(accepts="R-RAI-07")
def test_r_rai_07_a_resource_gets_a_used_marker() -> None:
    assert given_raise(POTTER).when(RAISE_LINE).state.used_markers == {"a1": 1}


@pytest.mark.rule(refuses="R-RAI-07")
def test_r_rai_07_a_resource_is_used_once_a_round() -> None:
    given_raise(POTTER, markers_on_a1=1).when(RAISE_LINE).refused("R-RAI-07", because="a1 is used up in this round")
    given_raise(MAKERS).when(RAISE_WITH_VESSEL).refused(
        "R-RAI-07", because="a1 is good for 1 more use in this round, not for 2"
    )


@pytest.mark.rule(accepts="R-RAI-07")
def test_r_rai_07_the_adorer_of_atete_uses_a_resource_twice() -> None:
    atete_facts = adored_god("kilwa", "atete")
    given_raise(POTTER, atete_facts, markers_on_a1=1).when(RAISE_LINE).then_among(
        GoodMade("kilwa", "potter", "b1", "a1")
    )
    assert given_raise(MAKERS, atete_facts).when(RAISE_WITH_VESSEL).state.used_markers == {"a1": 2}


@pytest.mark.rule(refuses="R-RAI-07")
def test_r_rai_07_no_resource_is_used_three_times_nor_twice_by_others() -> None:
    atete_facts = adored_god("kilwa", "atete")
    given_raise(POTTER, atete_facts, markers_on_a1=2).when(RAISE_LINE).refused("R-RAI-07")
    given_raise(MAKERS, atete_facts, markers_on_a1=1).when(RAISE_WITH_VESSEL).refused(
        "R-RAI-07", because="is good for 1 more use in this round, not for 2"
    )
    given_raise(POTTER, adored_god("zulu", "atete"), markers_on_a1=1).when(RAISE_LINE).refused("R-RAI-07")
    given_raise(POTTER, adored_god("zulu", "atete"), markers_on_a1=2).when(RAISE_LINE).refused(
        "R-RAI-07", because="is used up in this round"
    )


@pytest.mark.rule(accepts="R-RAI-08")
def test_r_rai_08_the_price_is_that_on_the_owners_card() -> None:
    second_potter = craftsman("kilwa", "potter", "h1-h2", price=1, card=2)
    position = given_raise(POTTER, second_potter)
    position.when(RAISE_LINE).then_among(CattlePaid("kilwa", "zulu/potter", 3, "potter"))
    position.when("raise f1 potter@h1/i2").then_among(CattlePaid("kilwa", "kilwa/potter", 1, "potter"))


@pytest.mark.rule(accepts="R-RAI-08")
def test_r_rai_08_anansis_adorer_pays_1_for_any_good_and_hubs_as_everyone() -> None:
    makers = [*craftsman("zulu", "potter", "b1-b2", price=3), *craftsman("kilwa", "vessel_maker", "i1", price=2)]
    facts: Facts = [
        cattle(kilwa=4),
        makers,
        monument("kilwa", "f1"),
        monument("zulu", "e1"),
        adored_god("kilwa", "anansi"),
    ]
    position = given("C.........C ...........", facts, turn_of("kilwa"))
    position.when("raise f1 vessel_maker@i1/k1(potter@b1/a1)").then_among(
        CattlePaid("kilwa", "kilwa/vessel_maker", 1, "vessel_maker"),
        CattlePaid("kilwa", STOCK, 2, "hubs"),
        CattlePaid("kilwa", "zulu/potter", 1, "potter"),
    )


@pytest.mark.rule(accepts="R-RAI-09")
def test_r_rai_09_cattle_paid_to_an_own_card_are_locked_until_revenue() -> None:
    own_potter = craftsman("kilwa", "potter", "b1-c1", price=3)
    position = given_raise(own_potter, cattle_of_kilwa=3)
    answer = position.when(RAISE_LINE).then_among(CattlePaid("kilwa", "kilwa/potter", 3, "potter"))
    assert (answer.state.cattle["kilwa"], answer.state.cattle["kilwa/potter"]) == (0, 3)
    position.when(RAISE_LINE, "hire nomads").refused("R-SPEC-02")
    position.when(RAISE_LINE, "end", "end").then_among(CattlePaid("kilwa/potter", "kilwa", 3, "revenue"))


@pytest.mark.rule(accepts="R-RAI-10", refuses="R-RAI-10")
def test_r_rai_10_everything_is_paid_from_the_cattle_at_hand() -> None:
    facts: Facts = [craftsman("kilwa", "potter", "b1-c1", price=2), monument("kilwa", "f1"), monument("kilwa", "e3")]
    position = given("C..... C..... ......", facts, turn_of("kilwa"))
    line = "raise f1 potter@b1/a1; e3 potter@b1/a2"
    position.after(cattle(kilwa=4)).when(line).then_among(MonumentRaised("kilwa", "e3", 2))
    answer = position.after(cattle(kilwa=3)).when(line)
    answer.refused("R-RAI-10", because="the goods and hubs cost 4 cattle and kilwa has 3")
