"""The parts of a turn: what each says, and which are still open (R-TURN-01)."""

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, bidding, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe import GAME


def shown_parts(position: Position) -> list[str]:
    """The parts, those that are still open in brackets."""
    steps = GAME.display.turn(position.state)
    return [text if step.done else f"({text})" for step in steps for text in (f"{step.name}: {step.text}",)]


def given_turn(*facts: Facts) -> Position:
    return given("C.........S ...........", cattle(kilwa=9), monument("kilwa", "h1"), *facts, turn_of("kilwa"))


def test_everything_is_open_when_a_turn_begins() -> None:
    assert shown_parts(given_turn()) == ["(god: none yet)", "(specialist: none yet)", "(action: none yet)"]
    without = given_turn()
    without.state.specialists = {}
    assert shown_parts(without) == ["(god: none yet)", "(action: none yet)"]


def test_one_card_closes_the_other() -> None:
    assert shown_parts(given_turn().after("adore eshu")) == [
        "god: eshu",
        "specialist: at most one card a turn",
        "(action: none yet)",
    ]
    assert shown_parts(given_turn().after("hire herd 4"))[:2] == [
        "god: at most one card a turn",
        "specialist: herd used",
    ]


def test_specialists_of_earlier_turns_are_there_to_be_used() -> None:
    position = given_turn(
        adored_god("kilwa", "eshu"), hired_specialist("kilwa", "herd"), hired_specialist("kilwa", "builder")
    )
    assert shown_parts(position.after("use herd 2"))[:3] == [
        "god: eshu",
        "specialist: herd used",
        "(specialist: builder not used yet)",
    ]


def test_the_action_is_named_with_whether_more_may_follow() -> None:
    assert shown_parts(given_turn().after("build a2"))[-1] == "action: built"
    position_after_placing = given_turn(technology("kilwa", "potter")).after("craft potter b1-c1")
    assert shown_parts(position_after_placing)[-1] == "action: craftsmen placed, more may follow"
    assert shown_parts(position_after_placing.after("hire builder"))[-1] == "action: craftsmen placed"


def test_monuments_may_follow_one_by_one() -> None:
    position_with_obatala = given_turn(adored_god("kilwa", "obatala"))
    assert shown_parts(position_with_obatala.after("build a2"))[-1] == "action: built, more may follow"
    assert shown_parts(position_with_obatala.after("build a2").after("build c2"))[-1] == "action: built"
    assert shown_parts(position_with_obatala.after("build a2").after("hire builder"))[-1] == "action: built"
    position_with_two_monuments = given_turn(
        craftsman("zulu", "potter", "d1-e1"), monument("kilwa", "f2"), monument("zulu", "k2")
    )
    assert shown_parts(position_with_two_monuments.after("raise f2"))[-1] == "action: raised, more may follow"
    position_with_one_monument = given_turn(craftsman("zulu", "potter", "d1-e1"), monument("zulu", "f2"))
    assert shown_parts(position_with_one_monument.after("raise h1"))[-1] == "action: raised"


def test_a_price_that_is_missing_is_named() -> None:
    position_without_price = given_turn().after("craft potter b1-c1")
    assert shown_parts(position_without_price)[-1] == "(action: craftsmen placed, without a price yet: potter)"
    assert (
        shown_parts(position_without_price.after("price potter 2"))[-1] == "action: craftsmen placed, more may follow"
    )


def test_while_bids_are_made_and_before_set_up_there_is_no_turn() -> None:
    assert shown_parts(given("C....", cattle(kilwa=3), bidding("kilwa", "zulu"))) == []
    assert shown_parts(Position(GAME.evolution.initial())) == []
