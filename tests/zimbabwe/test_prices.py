"""R-PRI: prices of ritual goods."""

import pytest

from tests.zimbabwe.facts import cattle, craftsman, has, monument, technology, turn_of
from tests.zimbabwe.game_test_kit import given
from zimcore.games.zimbabwe.commands import PlaceCraftsman, SetPrices
from zimcore.games.zimbabwe.events import ActionTaken, CattlePaid, PriceSet

MAP = "C...... ......."
OWNED = [*technology("kilwa", "sculptor"), *technology("kilwa", "throne_maker", price=2)]
RICH = [*cattle(kilwa=20), *turn_of("kilwa")]
POTTER = "craft potter b1-c1 price 2"


@pytest.mark.rule(accepts="R-PRI-01")
@pytest.mark.parametrize("price", [1, 2, 3])
def test_r_pri_01_a_technology_gets_its_price_when_it_is_taken(price: int) -> None:
    given(MAP, RICH).when(f"craft potter b1-c1 price {price}").then_among(PriceSet("kilwa", "potter", price))


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_it_must_get_one_of_1_to_3() -> None:
    position = given(MAP, RICH)
    position.when("craft potter b1-c1").refused("R-PRI-01", because="say the price of the new technology")
    position.when("craft potter b1-c1 price 4").refused("R-PRI-01", because="a price is 1 to 3 cattle, not 4")
    position.when("craft potter b1-c1 price 0").refused("R-PRI-01", because="not 0")
    position.when(PlaceCraftsman("potter", ("b1", "c1"), -1)).refused("R-PRI-01")


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_but_none_when_it_is_owned() -> None:
    owned = given(MAP, technology("kilwa", "potter"), RICH)
    owned.when("craft potter b1-c1 price 2").refused("R-PRI-01", because="raise its price afterwards")


@pytest.mark.rule(accepts="R-PRI-01")
def test_r_pri_01_earlier_prices_may_be_raised_after_placing() -> None:
    position = given(MAP, OWNED, RICH)
    position.when(POTTER, "price sculptor 3 throne_maker 3").then(
        PriceSet("kilwa", "sculptor", 3), PriceSet("kilwa", "throne_maker", 3)
    )
    position.when(POTTER, "price sculptor 2", "price throne_maker 3").then(PriceSet("kilwa", "throne_maker", 3))


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_they_are_never_lowered_and_stay_below_4() -> None:
    position = given(MAP, OWNED, RICH)
    for before in ([], [POTTER]):
        position.when(*before, "price throne_maker 1").refused("R-PRI-01", because="is 2 and can't be lowered")
        position.when(*before, "price throne_maker 2").refused("R-PRI-01", because="is 2 already")
        position.when(*before, "price sculptor 2 throne_maker 4").refused("R-PRI-01", because="1 to 3 cattle, not 4")


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_the_price_of_a_technology_of_this_turn_stands() -> None:
    given(MAP, OWNED, RICH).when(POTTER, "price potter 3").refused("R-PRI-01", because="taken in this turn")


@pytest.mark.rule(accepts="R-PRI-02")
def test_r_pri_02_the_action_may_be_taken_only_to_raise_prices() -> None:
    position = given(MAP, OWNED, RICH)
    position.when("price sculptor 2").then(ActionTaken("kilwa", "craft"), PriceSet("kilwa", "sculptor", 2))
    position.when("price sculptor 2", "price sculptor 3").then(PriceSet("kilwa", "sculptor", 3))
    position.when("price sculptor 2", "build e1").refused("R-TURN-01", because="raised prices")


@pytest.mark.rule(refuses="R-PRI-02")
def test_r_pri_02_only_of_technologies_that_one_has() -> None:
    position = given(MAP, OWNED, technology("zulu", "potter"), RICH)
    position.when("price potter 3").refused("R-PRI-02", because="kilwa has no technology potter")
    position.when("price sculptor 2 potter 3").refused("R-PRI-02")
    position.when(SetPrices(())).refused("R-PRI-02", because="name a technology")


@pytest.mark.rule(refuses="R-PRI-03")
def test_r_pri_03_prices_change_at_no_other_time() -> None:
    facts = [craftsman("zulu", "ivory_carver", "d1"), monument("kilwa", "g2"), has("kilwa", "nomads")]
    position = given("CI..... .......", OWNED, facts, RICH)
    line = "price sculptor 3"
    position.when("build c2", line).refused("R-PRI-03", because="another main action")
    position.when("raise g2 ivory_carver@d1/b1", line).refused("R-PRI-03", because="another main action")
    position.when("craft potter a2-b2 price 1", "use nomads", line).refused("R-PRI-03", because="something else")
    position.when("price throne_maker 3", "adore eshu", line).refused("R-PRI-03", because="something else")
    position.when("use nomads", line).then_among(PriceSet("kilwa", "sculptor", 3))


@pytest.mark.rule(refuses="R-PRI-03")
def test_r_pri_03_a_card_has_one_price() -> None:
    given(MAP, OWNED, RICH).when("price sculptor 2 sculptor 3").refused("R-PRI-03", because="named twice")


@pytest.mark.rule(accepts="R-PRI-03")
def test_r_pri_03_each_owner_has_an_own_price_for_a_type() -> None:
    both = [craftsman("kilwa", "potter", "b1-b2", price=1), craftsman("zulu", "potter", "l1-l2", price=3, card=2)]
    position = given("C.....C.....C ............C", both, monument("kilwa", "e1"), monument("kilwa", "i1"), RICH)
    position.when("raise e1 potter@b1/a1; i1 potter@l1/m1").then_among(
        CattlePaid("kilwa", "kilwa/potter", 1, "potter"), CattlePaid("kilwa", "zulu/potter", 3, "potter")
    )
    raised = position.when("price potter 2").state.technologies
    assert (raised["kilwa/potter"].price, raised["zulu/potter"].price) == (2, 3)
