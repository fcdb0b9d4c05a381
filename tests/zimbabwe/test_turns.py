"""R-TURN: what may be done in a turn, and in which order."""

from itertools import permutations

import pytest

from tests.zimbabwe.facts import adored_god, bidding, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.game import Played, Refused
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import EndTurn
from zimcore.games.zimbabwe.events import (
    ActionTaken,
    CraftsmanPlaced,
    GodAdored,
    MonumentBuilt,
    MythologiesCompared,
    SpecialistHired,
    SpecialistUsed,
    TurnBegun,
    TurnEnded,
)

MAP = "C........ ......... ......... ........C"
CATTLE_AND_MONUMENT = [*cattle(kilwa=20), *monument("kilwa", "d3")]
MAIN_ACTIONS = ["build f1", "craft potter i2-i3 price 1", "raise d3 potter@b2/a1"]


@pytest.mark.rule(accepts="R-TURN-01")
def test_r_turn_01_turns_are_taken_in_the_order_of_the_track() -> None:
    position = given(MAP, cattle(kilwa=1, zulu=1), turn_of("zulu", "zulu kilwa"))
    position.when("end").then(TurnEnded("zulu"), TurnBegun("kilwa"))
    position.when("end", "end").then_among(TurnEnded("kilwa"), MythologiesCompared(()))


@pytest.mark.rule(accepts="R-TURN-01")
@pytest.mark.parametrize(
    "lines",
    [
        ("adore eshu", "use herd 2", "build f1"),
        ("use herd 2", "build f1", "use nomads", "adore eshu"),
        ("build f1", "hire builder", "use nomads", "use herd 4"),
        ("use nomads", "hire rain_ceremony f2-f3", "build f1"),
    ],
)
def test_r_turn_01_the_parts_of_a_turn_come_in_any_order(lines: tuple[str, ...]) -> None:
    specialists = [hired_specialist("kilwa", "herd"), hired_specialist("kilwa", "nomads")]
    answer = given(MAP, CATTLE_AND_MONUMENT, specialists, turn_of("kilwa")).when(*lines, "end")
    answer.then(TurnEnded("kilwa"), TurnBegun("zulu"))


@pytest.mark.rule(refuses="R-TURN-01")
@pytest.mark.parametrize(
    "line",
    [*MAIN_ACTIONS, "adore eshu", "hire builder", "use builder", "price potter 2", "end"],
)
def test_r_turn_01_no_player_acts_in_the_turn_of_another_or_in_another_phase(line: str) -> None:
    """The refusal also has the rules that would forbid it in their turn."""
    other_codes = {"raise": ["R-RAI-05"], "price": ["R-PRI-02"]}.get(line.split()[0], [])
    answer = given(MAP, CATTLE_AND_MONUMENT, turn_of("zulu")).when(f"kilwa: {line}")
    answer.refused("R-TURN-01", *other_codes, because="it is zulu's turn")
    given(MAP, CATTLE_AND_MONUMENT, bidding("kilwa", "zulu")).when(line).refused(
        "R-TURN-01", because="bids are being made now"
    )


@pytest.mark.rule(refuses="R-TURN-01")
@pytest.mark.parametrize("first_line", ["adore eshu", "hire herd 2"])
@pytest.mark.parametrize("second_line", ["adore gu", "hire builder"])
def test_r_turn_01_at_most_one_card_a_turn(first_line: str, second_line: str) -> None:
    codes = ["R-TURN-01"] if "adore" not in first_line or "adore" not in second_line else ["R-TURN-01", "R-GOD-01"]
    given(MAP, CATTLE_AND_MONUMENT, turn_of("kilwa")).when(first_line, second_line).refused(
        *codes, because="already taken a card"
    )


@pytest.mark.rule(refuses="R-TURN-01")
def test_r_turn_01_each_specialist_is_used_once_a_turn_and_only_by_its_owner() -> None:
    facts = [hired_specialist("kilwa", "herd"), hired_specialist("zulu", "nomads"), turn_of("kilwa")]
    position = given(MAP, CATTLE_AND_MONUMENT, facts)
    position.when("use herd 2", "use herd 2").refused("R-TURN-01", because="in this turn")
    position.when("hire builder", "use builder").refused("R-TURN-01", because="in this turn")
    position.when("use nomads").refused("R-TURN-01", because="kilwa does not have the nomads")
    position.when("use builder").refused("R-TURN-01", because="kilwa does not have the builder")


@pytest.mark.rule(accepts="R-TURN-01")
def test_r_turn_01_a_specialist_is_ready_again_in_the_next_turn() -> None:
    position = given(MAP, CATTLE_AND_MONUMENT, hired_specialist("kilwa", "herd"), turn_of("kilwa", "kilwa"))
    position = position.after(["use herd 2", "end", turn_of("kilwa", round_number=2)])
    position.when("use herd 2").then_among(SpecialistUsed("kilwa", "herd"))


@pytest.mark.rule(refuses="R-TURN-01")
@pytest.mark.parametrize(("first_line", "second_line"), [*permutations(MAIN_ACTIONS, 2), ("build f1", "build h1")])
def test_r_turn_01_one_main_action_a_turn(first_line: str, second_line: str) -> None:
    position = given(MAP, CATTLE_AND_MONUMENT, craftsman("zulu", "potter", "b2-c2"), turn_of("kilwa"))
    position.when(first_line, second_line).refused("R-TURN-01", because="kilwa has already")


@pytest.mark.rule(accepts="R-TURN-02")
def test_r_turn_02_a_turn_may_be_empty() -> None:
    given(MAP, turn_of("kilwa")).when("end").then(TurnEnded("kilwa"), TurnBegun("zulu"))


@pytest.mark.rule(accepts="R-TURN-03")
def test_r_turn_03_a_card_counts_at_once() -> None:
    position = given(MAP, CATTLE_AND_MONUMENT, turn_of("kilwa"))
    position.when("adore obatala", "build f1 h1").then_among(MonumentBuilt("kilwa", "h1"))
    position.when("hire nomads", "build e3").then_among(MonumentBuilt("kilwa", "e3"))


OPEN_ACTION = [*cattle(kilwa=20), *hired_specialist("kilwa", "nomads"), *turn_of("kilwa")]


@pytest.mark.rule(accepts="R-TURN-04")
def test_r_turn_04_craftsmen_follow_each_other_in_one_action() -> None:
    position = given("C......C ........ ........", OPEN_ACTION)
    position.when("use nomads", "craft potter a2-b2 price 2", "craft potter h2-h3").then_among(
        CraftsmanPlaced("kilwa", "potter", ("h2", "h3"))
    ).then_no(ActionTaken)
    position.when("craft potter a2-b2 price 2", "adore eshu").then_among(GodAdored("kilwa", "eshu"))
    position.when("craft potter a2-b2 price 2", "hire builder").then_among(SpecialistHired("kilwa", "builder"))


@pytest.mark.rule(refuses="R-TURN-04")
@pytest.mark.parametrize("interrupting_line", ["adore eshu", "hire builder", "use nomads"])
def test_r_turn_04_once_something_else_is_done_the_action_is_closed(interrupting_line: str) -> None:
    position = given("C......I.....C ........ ........", OPEN_ACTION)
    answer = position.when("craft potter a2-b2 price 2", interrupting_line, "craft ivory_carver g2 price 1")
    answer.refused(
        "R-TURN-04", because="kilwa can place no more craftsmen in this turn: another command came in between"
    )


@pytest.mark.rule(refuses="R-TURN-04")
@pytest.mark.parametrize("interrupting_line", ["hire builder", "use nomads"])
@pytest.mark.parametrize(("first_line", "second_line"), [("build a1", "build a3"), ("raise g3", "raise i3")])
def test_r_turn_04_no_more_monuments_follow_something_else(
    first_line: str, second_line: str, interrupting_line: str
) -> None:
    facts = [adored_god("kilwa", "obatala"), monument("kilwa", "g3"), monument("kilwa", "i3"), OPEN_ACTION]
    potter = craftsman("zulu", "potter", "f1-f2")
    position = given("..C.....C... ............ ............", potter, facts)
    position.when(first_line, second_line).then_no(ActionTaken)
    answer = position.when(first_line, interrupting_line, second_line)
    verb = second_line.split()[0]
    reason = f"kilwa can {verb} no more monuments in this turn: another command came in between"
    answer.refused("R-TURN-04", because=reason)


@pytest.mark.rule(refuses="R-TURN-04")
def test_r_turn_04_no_more_monuments_follow_the_choice_of_a_god() -> None:
    facts = [monument("kilwa", "g3"), monument("kilwa", "i3"), craftsman("zulu", "potter", "f1-f2"), OPEN_ACTION]
    answer = given("..C.....C... ............ ............", facts).when("raise g3", "adore gu", "raise i3")
    answer.refused(
        "R-TURN-04", because="kilwa can raise no more monuments in this turn: another command came in between"
    )


@pytest.mark.rule(refuses="R-TURN-04")
def test_r_turn_04_prices_are_the_end_of_the_action() -> None:
    position = given("C......I ........ ........", OPEN_ACTION, technology("kilwa", "sculptor"), turn_of("kilwa"))
    for lines in (["craft potter a2-b2 price 2", "price sculptor 2"], ["price sculptor 2"]):
        answer = position.when(*lines, "craft ivory_carver g2 price 1")
        answer.refused("R-TURN-04", because="kilwa can place no more craftsmen in this turn: prices were raised")


def test_a_god_that_another_player_adores_is_refused() -> None:
    given(MAP, adored_god("zulu", "eshu"), turn_of("kilwa")).when("adore eshu").refused("R-GOD-01")


def test_all_rules_are_named_that_a_command_in_the_turn_of_another_breaks() -> None:
    """The command is judged as in the turn of its seat: that Zulu has built says nothing about Kilwa."""
    position = given(MAP, cattle(kilwa=1), monument("zulu", "a1"), turn_of("zulu")).after("build f3")
    position.when("kilwa: craft potter a1-b1 price 9").refused("R-TURN-01", "R-PRI-01", "R-CRA-04", "R-CRA-05")


def hints_for(position: Position, line: str) -> tuple[str, ...]:
    state = position.state
    refusal = GAME.rules.decide(state, state.actor or "", GAME.notation.parse(line, state)[1])
    assert isinstance(refusal, Refused)
    return refusal.hints


def test_a_slip_in_a_square_is_answered_with_the_square_that_is_spelt_most_alike() -> None:
    position = given("....... .......", [monument("kilwa", "b1"), turn_of("kilwa")])
    assert hints_for(position, "build g22")[0] == "build g2"


def test_pass_in_a_turn_and_end_in_the_bidding_get_a_hint_with_the_other_word() -> None:
    assert hints_for(given("S.S", turn_of("kilwa")), "pass") == ("end",)
    bidding_position = given(
        "S.S", cattle(kilwa=1, zulu=1), turn_of("kilwa", "kilwa"), bidding("kilwa", "zulu", round_number=2)
    )
    assert hints_for(bidding_position, "end") == ("pass", "bid 1")


def test_raising_another_player_s_monument_gets_a_hint_what_can_be_raised() -> None:
    facts = [cattle(kilwa=9), craftsman("zulu", "potter", "b1-c1"), monument("kilwa", "e1"), turn_of("kilwa")]
    assert hints_for(given("C...... .......", facts), "raise g1") == ("raise e1 potter@b1/a1",)


def test_no_command_is_independent_of_one_that_was_played_meanwhile() -> None:
    """Each command depends on the whole position, so a line that has moved on is a conflict."""
    state = given(MAP, CATTLE_AND_MONUMENT, turn_of("kilwa")).state
    assert not GAME.rules.are_independent(state, Played("kilwa", EndTurn()), Played("zulu", EndTurn()))
