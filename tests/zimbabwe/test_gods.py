"""R-GOD: adoring gods, and what Gu, Dziva, Qamata and Shadipinyi do. Other gods are tested with their rules."""

import pytest

from tests.zimbabwe.facts import adored_god, cattle, craftsman, monument, technology, turn_of
from tests.zimbabwe.kit import given
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.components import GODS
from zimcore.games.zimbabwe.events import (
    STOCK,
    ActionTaken,
    CattlePaid,
    GodAdored,
    PriceSet,
    RoundBegun,
    TechnologyTaken,
    VRChanged,
)

MAP = "C...... ......."


@pytest.mark.rule(accepts="R-GOD-01")
@pytest.mark.parametrize("god", GODS)
def test_r_god_01_a_god_is_adored_for_its_vr(god: str) -> None:
    answer = given(MAP, turn_of("kilwa")).when(f"adore {god}")
    answer.then(GodAdored("kilwa", god), VRChanged("kilwa", GODS[god].vr, god))
    assert answer.state.adores.get("kilwa") == god


@pytest.mark.rule(refuses="R-GOD-01")
def test_r_god_01_a_player_adores_one_god_and_a_god_has_one_adorer() -> None:
    facts = [*adored_god("kilwa", "eshu"), *turn_of("kilwa")]
    given(MAP, facts).when("adore gu").refused("R-GOD-01", because="kilwa adores eshu, for good")
    given(MAP, facts, turn_of("zulu")).when("adore eshu").refused("R-GOD-01", because="kilwa adores eshu")


@pytest.mark.rule(refuses="R-GOD-01")
def test_r_god_01_only_a_god_in_play_is_adored() -> None:
    position = given(MAP, turn_of("kilwa"), gods=("gu", "eshu"))
    position.when("adore xango").refused("R-GOD-01", because="xango is not in play")


@pytest.mark.rule(accepts="R-GOD-02")
def test_r_god_02_later_technologies_of_gus_adorer_count_1_second_cards_too() -> None:
    facts = [cattle(kilwa=9), technology("zulu", "potter"), adored_god("kilwa", "gu"), turn_of("kilwa")]
    given(MAP, facts).when("craft potter b1-c1 price 1").then_among(
        TechnologyTaken("kilwa", "potter", 2, 1), VRChanged("kilwa", 1, "potter")
    )


@pytest.mark.rule(accepts="R-GOD-02", refuses="R-VR-02")
def test_r_god_02_the_rebate_counts_before_the_limit() -> None:
    facts_of_two_technologies = [*technology("kilwa", "potter"), *technology("kilwa", "sculptor"), *turn_of("kilwa")]
    given(MAP, facts_of_two_technologies, VRChanged("kilwa", 14, "much")).when("adore gu").then_among(
        VRChanged("kilwa", 4, "gu")
    )
    facts_of_one_technology = [*technology("kilwa", "potter"), *turn_of("kilwa")]
    given(MAP, facts_of_one_technology, VRChanged("kilwa", 16, "much")).when("adore gu").refused(
        "R-VR-02", because="would be 41"
    )


DZIVA_ADORED = [
    *adored_god("kilwa", "dziva"),
    *technology("kilwa", "potter", price=2),
    *technology("kilwa", "sculptor"),
]


@pytest.mark.rule(accepts="R-GOD-03")
def test_r_god_03_dziva_sets_prices_freely_at_the_start_of_the_turn() -> None:
    position = given(MAP, cattle(kilwa=9), DZIVA_ADORED, turn_of("kilwa"))
    position.when("price potter 1 sculptor 3").then(PriceSet("kilwa", "potter", 1), PriceSet("kilwa", "sculptor", 3))
    position.when("price potter 1", "price potter 3", "build e1").then_among(ActionTaken("kilwa", "build"))


@pytest.mark.rule(accepts="R-GOD-03", refuses="R-PRI-01")
@pytest.mark.parametrize("first_line", ["hire builder", "craft potter b1-c1"])
def test_r_god_03_prices_are_not_lowered_after_anything_else(first_line: str) -> None:
    position = given(MAP, cattle(kilwa=9), DZIVA_ADORED, turn_of("kilwa"))
    position.when(first_line, "price potter 1").refused("R-PRI-01", because="can't be lowered")


@pytest.mark.rule(accepts="R-GOD-03", refuses="R-PRI-03")
def test_r_god_03_prices_are_not_set_after_another_main_action() -> None:
    position = given(MAP, DZIVA_ADORED, turn_of("kilwa"))
    position.when("build e1", "price sculptor 3").refused("R-PRI-03", because="another main action")


POTTER_OWNED = [*technology("kilwa", "potter", price=2), *turn_of("kilwa")]


@pytest.mark.rule(accepts="R-GOD-03")
@pytest.mark.parametrize("first_lines", [[], ["build e1"], ["craft potter b1-c1"]])
def test_r_god_03_prices_are_set_right_after_choosing_dziva(first_lines: list[str]) -> None:
    position = given(MAP, cattle(kilwa=9), POTTER_OWNED)
    position.when(*first_lines, "adore dziva", "price potter 1").then(PriceSet("kilwa", "potter", 1))


@pytest.mark.rule(accepts="R-GOD-03", refuses="R-PRI-01 R-PRI-03")
def test_r_god_03_in_the_narrow_reading_prices_are_set_only_at_the_turn_start() -> None:
    position = given(MAP, cattle(kilwa=9), POTTER_OWNED, dziva="turn-start")
    position.when("adore dziva", "price potter 1").refused("R-PRI-01", because="can't be lowered")
    position.when("build e1", "adore dziva", "price potter 1").refused("R-PRI-01", "R-PRI-03")
    position_in_next_turn = given(MAP, cattle(kilwa=9), DZIVA_ADORED, turn_of("kilwa"), dziva="turn-start")
    position_in_next_turn.when("price potter 1").then(PriceSet("kilwa", "potter", 1))


@pytest.mark.rule(accepts="R-GOD-04")
def test_r_god_04_qamata_and_shadipinyi_act_only_while_someone_adores_them() -> None:
    position_at_round_end = given(MAP, cattle(kilwa=3, zulu=3), turn_of("kilwa", "kilwa"))
    position_at_round_end.when("end").then_among(RoundBegun(2, ("zulu", "kilwa")))
    facts = [cattle(kilwa=9), craftsman("zulu", "potter", "b1-c1"), monument("zulu", "f1"), monument("kilwa", "g1")]
    position = given("C...... ", facts, turn_of("kilwa"))
    position.when("raise g1 potter@b1/a1").then_among(CattlePaid("kilwa", STOCK, 1, "hubs"))
    position.when("adore qamata", "raise g1 potter@b1/a1").then_among(CattlePaid("kilwa", "kilwa/qamata", 1, "hubs"))


POTTER_OVER_A_HUB = [
    cattle(kilwa=9),
    craftsman("zulu", "potter", "b1-c1"),
    monument("zulu", "f1"),
    monument("kilwa", "g1"),
]
RAISE_OVER_A_HUB = "raise g1 potter@b1/a1"


@pytest.mark.rule(accepts="R-GOD-04 R-HUB-08")
def test_r_god_04_as_an_option_hubs_are_paid_to_the_card_that_waits_for_an_adorer() -> None:
    position = given("C...... ", POTTER_OVER_A_HUB, turn_of("kilwa", "kilwa zulu"), qamata="always")
    answer = position.when(RAISE_OVER_A_HUB).then_among(CattlePaid("kilwa", "card/qamata", 1, "hubs"))
    assert "qamata +2 (1 cattle on the card)" in str(GAME.display.tables(answer.state))
    answer_to_adoring = position.when(RAISE_OVER_A_HUB, "end", "adore qamata")
    answer_to_adoring.then(
        GodAdored("zulu", "qamata"),
        VRChanged("zulu", 2, "qamata"),
        CattlePaid("card/qamata", "zulu/qamata", 1, "qamata"),
    )
    position.when(RAISE_OVER_A_HUB, "end", "adore qamata", "end").then_among(
        CattlePaid("zulu/qamata", "zulu", 1, "revenue")
    )
    position.when("adore qamata", RAISE_OVER_A_HUB).then_among(CattlePaid("kilwa", "kilwa/qamata", 1, "hubs"))
    position_without_qamata = given("C...... ", POTTER_OVER_A_HUB, turn_of("kilwa"), gods=["eshu"], qamata="always")
    position_without_qamata.when(RAISE_OVER_A_HUB).then_among(CattlePaid("kilwa", STOCK, 1, "hubs"))


@pytest.mark.rule(accepts="R-GOD-04 R-BID-01 R-BID-10")
def test_r_god_04_as_an_option_the_plaque_lies_there_unadored_and_its_cattle_go_to_the_stock() -> None:
    last_turn_facts = [cattle(kilwa=3, zulu=3), turn_of("kilwa", "kilwa")]
    position = given(MAP, last_turn_facts, shadipinyi="always")
    position.when("end").then_among(RoundBegun(2, ("shadipinyi", "zulu", "kilwa")))
    answer = position.when("end", "zulu: bid 2", "kilwa: pass")
    answer.then_among(
        CattlePaid("plaque/shadipinyi", STOCK, 1, "plaque"), CattlePaid("plaque/zulu", "zulu", 1, "plaque")
    )
    position_with_adorer = given(MAP, last_turn_facts, adored_god("kilwa", "shadipinyi"), shadipinyi="always")
    position_with_adorer.when("end", "kilwa: bid 2", "zulu: pass").then_among(
        CattlePaid("plaque/shadipinyi", "kilwa", 1, "plaque")
    )
    given(MAP, last_turn_facts, gods=["eshu"], shadipinyi="always").when("end").then_among(
        RoundBegun(2, ("zulu", "kilwa"))
    )
