"""R-PRI: prices of ritual goods."""

from collections import Counter

import pytest

from tests.zimbabwe.facts import cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given
from zimcore.game import Refused
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import EndTurn, PlaceCraftsman, SetPrices
from zimcore.games.zimbabwe.events import ActionTaken, CattlePaid, PriceSet, TurnEnded

MAP = "C...... ......."
OWNED_TECHNOLOGIES = [*technology("kilwa", "sculptor"), *technology("kilwa", "throne_maker", price=2)]
RICH_TURN = [*cattle(kilwa=20), *turn_of("kilwa")]
CRAFT_POTTER = "craft potter b1-c1 price 2"


@pytest.mark.rule(accepts="R-PRI-01")
@pytest.mark.parametrize("price", [1, 2, 3])
def test_r_pri_01_a_technology_gets_its_price_when_it_is_taken(price: int) -> None:
    given(MAP, RICH_TURN).when(f"craft potter b1-c1 price {price}").then_among(PriceSet("kilwa", "potter", price))


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_a_first_price_is_1_to_3() -> None:
    position = given(MAP, RICH_TURN)
    position.when("craft potter b1-c1 price 4").refused("R-PRI-01", because="a price is 1 to 3 cattle, not 4")
    position.when("craft potter b1-c1 price 0").refused("R-PRI-01", because="not 0")
    position.when(PlaceCraftsman("potter", ("b1", "c1"), -1)).refused("R-PRI-01")


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_a_technology_with_a_price_gets_no_other() -> None:
    position = given(MAP, technology("kilwa", "potter"), RICH_TURN)
    position.when("craft potter b1-c1 price 2").refused(
        "R-PRI-01", because="has its price already, 1, raise it afterwards"
    )
    # What can't be raised is not proposed: the same price, or one that was set in this turn.
    for lines in (["craft potter b1-c1 price 1"], ["price potter 2", "craft potter b1-c1 price 2"]):
        refusals = position.when(*lines).refusals
        assert refusals
        assert not any("afterwards" in refusal.reason for refusal in refusals)
    new = given(MAP, RICH_TURN).when("craft potter b1-c1 price 1", "craft potter b2-c2 price 2").refusals
    assert [refusal.reason for refusal in new if refusal.code == "R-PRI-01"] == [
        "kilwa's potter has its price already, 1"
    ]


@pytest.mark.rule(accepts="R-PRI-01")
def test_r_pri_01_the_price_may_be_set_after_the_tile() -> None:
    position = given(MAP, RICH_TURN)
    answer_to_both, answer_to_tile = position.when(CRAFT_POTTER), position.when("craft potter b1-c1").then_no(PriceSet)
    answer_to_price = position.when("craft potter b1-c1", "price potter 2").then(PriceSet("kilwa", "potter", 2))
    assert Counter([*answer_to_tile.events, *answer_to_price.events]) == Counter(answer_to_both.events)
    assert GAME.evolution.canonical(answer_to_price.state) == GAME.evolution.canonical(answer_to_both.state)


@pytest.mark.rule(refuses="R-PRI-01")
@pytest.mark.parametrize("line", ["end", "adore eshu", "hire builder", "use nomads"])
def test_r_pri_01_a_first_price_is_set_before_anything_else(line: str) -> None:
    position = given(MAP, hired_specialist("kilwa", "nomads"), RICH_TURN)
    answer = position.when("craft potter b1-c1", line)
    answer.refused("R-PRI-01", because="set the price first: price potter 1, 2 or 3")
    assert not position.when("craft potter b1-c1", "price potter 3", line).refusals


def test_the_hint_names_all_prices_that_are_missing() -> None:
    state = given("C.....I ....... .......", RICH_TURN, ["craft potter b1-c1", "craft ivory_carver e2"]).state
    refusal = GAME.rules.decide(state, "kilwa", EndTurn())
    assert isinstance(refusal, Refused)
    assert refusal.hints[0] == "price potter 1 ivory_carver 1"
    assert "set the price first: price potter 1, 2 or 3" in refusal.refusals[0].reason
    assert GAME.display.status(state).endswith("Kilwa to set the price of the potter and the ivory_carver")


@pytest.mark.rule(accepts="R-PRI-01 R-TURN-04")
def test_r_pri_01_first_prices_do_not_end_placing_and_may_come_with_a_later_tile() -> None:
    position = given("C......C.I .......... ..........", OWNED_TECHNOLOGIES, RICH_TURN)
    potter_lines = ["craft potter a2-b2", "craft potter h2-h3 price 3"]
    position.when(*potter_lines).then_among(PriceSet("kilwa", "potter", 3))
    carver_line = "craft ivory_carver i2"
    position.when("craft potter a2-b2", "price potter 2", carver_line, "price ivory_carver 1", "price sculptor 2").then(
        PriceSet("kilwa", "sculptor", 2)
    )
    position.when("craft potter a2-b2", "price sculptor 2", "price potter 2", "end").then_among(TurnEnded("kilwa"))


@pytest.mark.rule(refuses="R-TURN-04")
def test_r_turn_04_raising_an_earlier_price_ends_placing_also_before_a_first_one() -> None:
    position = given("C......C.I .......... ..........", OWNED_TECHNOLOGIES, RICH_TURN)
    for line in ("price sculptor 2", "price potter 1 sculptor 2"):
        answer = position.when("craft potter a2-b2", line, "craft potter h2-h3")
        answer.refused("R-TURN-04", because="kilwa can place no more craftsmen in this turn: prices were raised")


@pytest.mark.rule(accepts="R-PRI-01")
def test_r_pri_01_earlier_prices_may_be_raised_after_placing() -> None:
    position = given(MAP, OWNED_TECHNOLOGIES, RICH_TURN)
    position.when(CRAFT_POTTER, "price sculptor 3 throne_maker 3").then(
        PriceSet("kilwa", "sculptor", 3), PriceSet("kilwa", "throne_maker", 3)
    )
    position.when(CRAFT_POTTER, "price sculptor 2", "price throne_maker 3").then(PriceSet("kilwa", "throne_maker", 3))


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_prices_are_never_lowered_and_stay_below_4() -> None:
    position = given(MAP, OWNED_TECHNOLOGIES, RICH_TURN)
    for earlier_lines in ([], [CRAFT_POTTER]):
        position.when(*earlier_lines, "price throne_maker 1").refused("R-PRI-01", because="is 2 and can't be lowered")
        position.when(*earlier_lines, "price throne_maker 2").refused("R-PRI-01", because="is 2 already")
        position.when(*earlier_lines, "price sculptor 2 throne_maker 4").refused(
            "R-PRI-01", because="1 to 3 cattle, not 4"
        )


@pytest.mark.rule(refuses="R-PRI-01")
def test_r_pri_01_the_price_of_a_technology_of_this_turn_stands() -> None:
    given(MAP, OWNED_TECHNOLOGIES, RICH_TURN).when(CRAFT_POTTER, "price potter 3").refused(
        "R-PRI-01", because="set in this turn"
    )
    answer = given(MAP, OWNED_TECHNOLOGIES, RICH_TURN).when("craft potter b1-c1", "price potter 2", "price potter 3")
    answer.refused("R-PRI-01", because="set in this turn")


@pytest.mark.rule(accepts="R-PRI-02")
def test_r_pri_02_the_action_may_be_taken_only_to_raise_prices() -> None:
    position = given(MAP, OWNED_TECHNOLOGIES, RICH_TURN)
    position.when("price sculptor 2").then(ActionTaken("kilwa", "craft"), PriceSet("kilwa", "sculptor", 2))
    position.when("price sculptor 2", "price sculptor 3").then(PriceSet("kilwa", "sculptor", 3))
    position.when("price sculptor 2", "build e1").refused("R-TURN-01", because="raised prices")


@pytest.mark.rule(refuses="R-PRI-02")
def test_r_pri_02_only_prices_of_own_technologies_are_raised() -> None:
    position = given(MAP, OWNED_TECHNOLOGIES, technology("zulu", "potter"), RICH_TURN)
    position.when("price potter 3").refused("R-PRI-02", because="kilwa has no technology potter")
    position.when("price sculptor 2 potter 3").refused("R-PRI-02")
    position.when(SetPrices(())).refused("R-PRI-02", because="name a technology")


@pytest.mark.rule(refuses="R-PRI-03")
def test_r_pri_03_prices_change_at_no_other_time() -> None:
    facts = [craftsman("zulu", "ivory_carver", "d1"), monument("kilwa", "g2"), hired_specialist("kilwa", "nomads")]
    position = given("CI..... .......", OWNED_TECHNOLOGIES, facts, RICH_TURN)
    line = "price sculptor 3"
    position.when("build c2", line).refused("R-PRI-03", because="another main action")
    position.when("raise g2 ivory_carver@d1/b1", line).refused("R-PRI-03", because="another main action")
    position.when("craft potter a2-b2 price 1", "use nomads", line).refused("R-PRI-03", because="something else")
    position.when("price throne_maker 3", "adore eshu", line).refused("R-PRI-03", because="something else")
    position.when("use nomads", line).then_among(PriceSet("kilwa", "sculptor", 3))


@pytest.mark.rule(refuses="R-PRI-03")
def test_r_pri_03_a_card_has_one_price() -> None:
    given(MAP, OWNED_TECHNOLOGIES, RICH_TURN).when("price sculptor 2 sculptor 3").refused(
        "R-PRI-03", because="named twice"
    )


@pytest.mark.rule(accepts="R-PRI-03")
def test_r_pri_03_each_owner_has_an_own_price_for_a_type() -> None:
    potters = [craftsman("kilwa", "potter", "b1-b2", price=1), craftsman("zulu", "potter", "l1-l2", price=3, card=2)]
    position = given(
        "C.....C.....C ............C", potters, monument("kilwa", "e1"), monument("kilwa", "i1"), RICH_TURN
    )
    position.when("raise e1 potter@b1/a1; i1 potter@l1/m1").then_among(
        CattlePaid("kilwa", "kilwa/potter", 1, "potter"), CattlePaid("kilwa", "zulu/potter", 3, "potter")
    )
    technologies = position.when("price potter 2").state.technologies
    assert (technologies["kilwa/potter"].price, technologies["zulu/potter"].price) == (2, 3)


@pytest.mark.rule(refuses="R-TURN-01")
@pytest.mark.parametrize(
    ("line", "done"), [("price potter 2", "raised prices"), ("craft potter b1-c1", "placed craftsmen")]
)
def test_r_turn_01_says_what_the_main_action_was(line: str, done: str) -> None:
    position = given(MAP, technology("kilwa", "potter"), RICH_TURN)
    position.when(line, "build g2").refused("R-TURN-01", because=f"kilwa has already {done} in this turn, and a turn")
