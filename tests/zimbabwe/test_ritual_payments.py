"""R-RAI-07 to R-RAI-10: what rituals use up and cost, and who gets it."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adores, cattle, craftsman, monument, turn_of, used
from tests.zimbabwe.game_test_kit import Position, given
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, GoodMade, MonumentRaised

POTTER = craftsman("zulu", "potter", "b1-c1", price=3)
MAKERS = [*craftsman("zulu", "potter", "b1-b2", price=3), *craftsman("kilwa", "vessel_maker", "d1", price=2)]
RAISE = "raise f1 potter@b1/a1"
VESSEL = "raise f1 vessel_maker@d1/a1(potter@b1/a1)"


def raising(*facts: Facts, kilwa: int = 20, marked: int = 0) -> Position:
    """Kilwa is to raise f1, and the clay on a1 bears so many markers."""
    position = given("C........ ........C", cattle(kilwa=kilwa), monument("kilwa", "f1"), facts, turn_of("kilwa"))
    return position.after(used(*["a1"] * marked))


@pytest.mark.rule(accepts="R-RAI-07")
def test_r_rai_07_a_resource_gets_a_used_marker() -> None:
    assert raising(POTTER).when(RAISE).state.used == {"a1": 1}


@pytest.mark.rule(refuses="R-RAI-07")
def test_r_rai_07_and_is_used_once_a_round() -> None:
    raising(POTTER, marked=1).when(RAISE).refused("R-RAI-07", because="a1 has 0 uses left")
    raising(MAKERS).when(VESSEL).refused("R-RAI-07", because="a1 has 1 uses left in this round, not 2")


@pytest.mark.rule(accepts="R-RAI-07")
def test_r_rai_07_or_twice_by_the_adorer_of_atete() -> None:
    atete = adores("kilwa", "atete")
    raising(POTTER, atete, marked=1).when(RAISE).then_among(GoodMade("kilwa", "potter", "b1", "a1"))
    assert raising(MAKERS, atete).when(VESSEL).state.used == {"a1": 2}


@pytest.mark.rule(refuses="R-RAI-07")
def test_r_rai_07_but_not_three_times_and_by_others_not_twice() -> None:
    atete = adores("kilwa", "atete")
    raising(POTTER, atete, marked=2).when(RAISE).refused("R-RAI-07")
    raising(MAKERS, atete, marked=1).when(VESSEL).refused("R-RAI-07", because="1 uses left in this round, not 2")
    raising(POTTER, adores("zulu", "atete"), marked=1).when(RAISE).refused("R-RAI-07")
    raising(POTTER, adores("zulu", "atete"), marked=2).when(RAISE).refused("R-RAI-07", because="0 uses left")


@pytest.mark.rule(accepts="R-RAI-08")
def test_r_rai_08_the_price_is_that_on_the_owners_card() -> None:
    second = craftsman("kilwa", "potter", "h1-h2", price=1, card=2)
    position = raising(POTTER, second)
    position.when(RAISE).then_among(CattlePaid("kilwa", "zulu/potter", 3, "potter"))
    position.when("raise f1 potter@h1/i2").then_among(CattlePaid("kilwa", "kilwa/potter", 1, "potter"))


@pytest.mark.rule(accepts="R-RAI-08")
def test_r_rai_08_anansis_adorer_pays_1_for_any_good_and_hubs_as_everyone() -> None:
    far = [*craftsman("zulu", "potter", "b1-b2", price=3), *craftsman("kilwa", "vessel_maker", "i1", price=2)]
    facts: Facts = [cattle(kilwa=4), far, monument("kilwa", "f1"), monument("zulu", "e1"), adores("kilwa", "anansi")]
    position = given("C.........C ...........", facts, turn_of("kilwa"))
    position.when("raise f1 vessel_maker@i1/k1(potter@b1/a1)").then_among(
        CattlePaid("kilwa", "kilwa/vessel_maker", 1, "vessel_maker"),
        CattlePaid("kilwa", STOCK, 2, "hubs"),
        CattlePaid("kilwa", "zulu/potter", 1, "potter"),
    )


@pytest.mark.rule(accepts="R-RAI-09")
def test_r_rai_09_cattle_paid_to_an_own_card_are_locked_until_revenue() -> None:
    own = craftsman("kilwa", "potter", "b1-c1", price=3)
    position = raising(own, kilwa=3)
    paid = position.when(RAISE).then_among(CattlePaid("kilwa", "kilwa/potter", 3, "potter"))
    assert (paid.state.cattle["kilwa"], paid.state.cattle["kilwa/potter"]) == (0, 3)
    position.when(RAISE, "hire nomads").refused("R-SPEC-02")
    position.when(RAISE, "end", "end").then_among(CattlePaid("kilwa/potter", "kilwa", 3, "revenue"))


@pytest.mark.rule(accepts="R-RAI-10", refuses="R-RAI-10")
def test_r_rai_10_everything_is_paid_from_the_cattle_at_hand() -> None:
    makers: Facts = [craftsman("kilwa", "potter", "b1-c1", price=2), monument("kilwa", "f1"), monument("kilwa", "e3")]
    position = given("C..... C..... ......", makers, turn_of("kilwa"))
    line = "raise f1 potter@b1/a1; e3 potter@b1/a2"
    position.after(cattle(kilwa=4)).when(line).then_among(MonumentRaised("kilwa", "e3", 2))
    short = position.after(cattle(kilwa=3)).when(line)
    short.refused("R-RAI-10", because="the goods and hubs cost 4 cattle and kilwa has 3")
