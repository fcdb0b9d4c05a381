"""What ending a turn throws away."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import bidding, cattle, craftsman, monument, technology, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe import GAME


def waste_of(position: Position, line: str = "end") -> str:
    seat, command = GAME.notation.parse(line, position.state)
    return GAME.questions.waste(position.state, seat or position.state.actor or "", command)


def given_turn(*facts: Facts) -> Position:
    return given("C.......... ...........", monument("kilwa", "e1"), *facts, turn_of("kilwa"))


def test_waste_names_what_could_be_done_in_a_turn_without_its_action() -> None:
    potter = craftsman("zulu", "potter", "b1-c1", price=2)
    assert waste_of(given_turn(potter, cattle(kilwa=9))) == "no main action was taken, and you could raise e1 or build"
    assert waste_of(given_turn(cattle(kilwa=9))) == "no main action was taken, and you could build or craft potter"
    assert waste_of(given_turn()) == "no main action was taken, and you could build"


@pytest.mark.parametrize("line", ["build k2", "craft potter b1-c1"])
def test_after_the_action_nothing_is_wasted(line: str) -> None:
    position = given_turn(cattle(kilwa=9), technology("kilwa", "potter"))
    assert waste_of(position) != ""
    assert waste_of(position.after(line)) == ""


def test_only_the_end_of_a_turn_wastes_anything() -> None:
    assert waste_of(given_turn(cattle(kilwa=9)), "adore eshu") == ""
    assert waste_of(given_turn(), "zulu: end") == ""
    assert waste_of(given("C....", bidding("kilwa", "zulu")), "pass") == ""


def test_where_nothing_can_be_done_nothing_is_wasted() -> None:
    assert waste_of(given("C", turn_of("kilwa"))) == ""
