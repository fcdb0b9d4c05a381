"""R-REV: revenues."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, monument, technology, turn_of
from tests.zimbabwe.kit import given
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, MythologiesCompared, TurnEnded

MAP = "....... ....... ......."


@pytest.mark.rule(accepts="R-REV-01")
def test_r_rev_01_everyone_takes_the_cattle_from_all_own_cards() -> None:
    card_payments: Facts = [
        [technology("kilwa", "potter"), technology("kilwa", "sculptor"), adored_god("kilwa", "qamata")],
        [CattlePaid("stock", card, 2, "given") for card in ("kilwa/potter", "kilwa/qamata", "kilwa/herd", "zulu/gu")],
    ]
    answer = given(MAP, card_payments, turn_of("kilwa", "kilwa zulu")).when("end", "end")
    answer.then_among(
        TurnEnded("zulu"),
        CattlePaid("kilwa/potter", "kilwa", 2, "revenue"),
        CattlePaid("kilwa/qamata", "kilwa", 2, "revenue"),
        CattlePaid("kilwa/herd", "kilwa", 2, "revenue"),
        CattlePaid("zulu/gu", "zulu", 2, "revenue"),
        MythologiesCompared(()),
    )
    assert {account: amount for account, amount in answer.state.cattle.items() if amount} == {
        STOCK: -8,
        "kilwa": 6,
        "zulu": 2,
    }


@pytest.mark.rule(accepts="R-REV-02")
@pytest.mark.parametrize(("level", "income"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)])
def test_r_rev_02_the_highest_own_monument_gives_its_level(level: int, income: int) -> None:
    monuments = [monument("kilwa", "a1"), monument("kilwa", "c1", level), monument("zulu", "e1", 5)]
    answer = given(MAP, monuments, turn_of("kilwa", "kilwa")).when("end")
    answer.then_among(CattlePaid(STOCK, "kilwa", income, "income"))
    assert answer.state.cattle["kilwa"] == income


@pytest.mark.rule(accepts="R-REV-02")
def test_r_rev_02_the_adorer_of_engai_gets_2_more() -> None:
    position = given(MAP, monument("kilwa", "c1", 3), monument("zulu", "e1"), turn_of("kilwa"))
    answer = position.after(adored_god("kilwa", "engai")).when("end", "end")
    answer.then_among(CattlePaid(STOCK, "kilwa", 3, "income"), CattlePaid(STOCK, "kilwa", 2, "engai"))
    assert (answer.state.cattle["kilwa"], answer.state.cattle["zulu"]) == (5, 1)
    assert position.when("adore engai", "end", "end").state.cattle["kilwa"] == 5, "in the round of choosing too"


@pytest.mark.rule(accepts="R-REV-02")
def test_r_rev_02_revenues_come_once_a_round_after_the_last_turn() -> None:
    position = given(MAP, cattle(zulu=1), monument("kilwa", "c1"), turn_of("kilwa"))
    position.when("end").then_no(CattlePaid)


def test_positions_that_collect_in_another_order_are_not_the_same() -> None:
    payments = [CattlePaid(STOCK, f"kilwa/{type_}", 2, type_) for type_ in ("potter", "wood_carver")]
    card_facts = [technology("kilwa", "potter"), technology("kilwa", "wood_carver"), turn_of("kilwa", "kilwa")]
    first_position, reverse_position = (
        given("....", card_facts, ordered_payments) for ordered_payments in (payments, payments[::-1])
    )
    events, reverse_events = (position.when("end").events for position in (first_position, reverse_position))
    assert events != reverse_events
    assert GAME.evolution.canonical(first_position.state) != GAME.evolution.canonical(reverse_position.state)
