"""R-END: comparing mythologies, the winner, and the next round."""

from typing import Any

import pytest

from tests.zimbabwe.facts import adores, cattle, monument, turn_of, used
from tests.zimbabwe.game_test_kit import Position, given
from zimcore.games.zimbabwe import display
from zimcore.games.zimbabwe.events import MythologiesCompared, RoundBegun, TurnBegun, VPScored, VRChanged

MAP = "....... ....... ......."
EVERYONE = "kilwa zulu mutapa"


def standing(order: str = EVERYONE, xango: str = "overshoot", god: str = "", **players: tuple[int, int]) -> Position:
    """Players stand at these VP and VR, and the last turn of the round has begun; `god` is adored by Zulu."""
    facts = [[VPScored(seat, vp, "so far"), VRChanged(seat, vr - 20, "so far")] for seat, (vp, vr) in players.items()]
    adored = [*adores("zulu", god), VRChanged("zulu", 2, "even")] if god else []
    last = order.split()[-1]
    return given(MAP, cattle(kilwa=3, zulu=3), facts, adored, turn_of(last, order), seats=EVERYONE, xango=xango)


@pytest.mark.rule(accepts="R-END-01")
def test_r_end_01_the_game_ends_when_a_player_has_reached_their_vr() -> None:
    answer = standing(kilwa=(22, 22), zulu=(21, 22)).when("end")
    answer.then_among(MythologiesCompared(("kilwa",), "kilwa")).then_no(RoundBegun)
    assert (answer.state.phase, answer.state.winner, answer.state.actor) == ("over", "kilwa", None)
    assert answer.state.reached == ("kilwa",)


@pytest.mark.rule(accepts="R-END-01")
def test_r_end_01_but_not_before_the_round_is_over() -> None:
    won = [VPScored("kilwa", 25, "so far"), *turn_of("kilwa")]
    given(MAP, won).when("build a1", "end").then_among(TurnBegun("zulu")).then_no(MythologiesCompared)


@pytest.mark.rule(refuses="R-END-01")
@pytest.mark.parametrize(
    "line",
    ["bid 1", "pass", "end", "build a1", "adore gu", "hire builder", "use herd 2", "start a1", "price potter 2"],
)
def test_r_end_01_after_the_end_nothing_can_be_done(line: str) -> None:
    over = standing(kilwa=(22, 22)).after("end")
    over.when(f"kilwa: {line}").refused("R-END-01", because="the game is over, kilwa has won")


@pytest.mark.rule(refuses="R-END-01")
@pytest.mark.parametrize("line", ["raise a1 potter@b1/c1", "craft potter a1-b1"])
def test_r_end_01_nor_any_other_main_action(line: str) -> None:
    standing(kilwa=(22, 22)).after("end").when(f"kilwa: {line}").refused("R-END-01")


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_the_largest_overshoot_wins() -> None:
    answer = standing(kilwa=(25, 23), zulu=(20, 18), mutapa=(27, 24)).when("end")
    answer.then_among(MythologiesCompared(("mutapa", "kilwa", "zulu"), "mutapa"))


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_then_the_adorer_of_xango() -> None:
    answer = standing(kilwa=(25, 23), zulu=(20, 18), mutapa=(27, 30), god="xango").when("end")
    answer.then_among(MythologiesCompared(("zulu", "kilwa"), "zulu"))


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_then_the_larger_vp_then_the_earlier_turn() -> None:
    answer = standing(kilwa=(25, 23), zulu=(20, 18), mutapa=(24, 22)).when("end")
    answer.then_among(MythologiesCompared(("kilwa", "mutapa", "zulu"), "kilwa"))
    equal = standing("mutapa kilwa zulu", kilwa=(25, 23), zulu=(25, 23), mutapa=(25, 23)).when("end")
    equal.then_among(MythologiesCompared(("mutapa", "kilwa", "zulu"), "mutapa"))


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_as_an_option_xango_comes_first_of_all_who_have_reached() -> None:
    absolute = standing(kilwa=(25, 23), zulu=(20, 18), mutapa=(27, 24), god="xango", xango="absolute").when("end")
    absolute.then_among(MythologiesCompared(("zulu", "mutapa", "kilwa"), "zulu"))
    short = standing(kilwa=(25, 23), zulu=(17, 18), god="xango", xango="absolute").when("end")
    short.then_among(MythologiesCompared(("kilwa",), "kilwa"))


def test_the_status_says_what_decided_among_several_who_have_reached_their_vr() -> None:
    def status(**players: Any) -> str:
        return display.status(standing(**players).when("end").state)

    assert status(kilwa=(22, 22)) == "round 1 · Kilwa has won"
    assert status(kilwa=(25, 23), zulu=(20, 19)) == "round 1 · Kilwa has won: furthest above the VR"
    assert status(kilwa=(34, 34), zulu=(22, 22), god="xango") == "round 1 · Zulu has won: Xango breaks the tie"
    assert status(kilwa=(25, 23), zulu=(20, 18)) == "round 1 · Kilwa has won: the tie goes to more VP"
    equal = status(order="mutapa kilwa zulu", kilwa=(25, 23), mutapa=(25, 23))
    assert equal == "round 1 · Mutapa has won: the tie goes to the earlier turn"
    absolute = status(kilwa=(27, 23), zulu=(20, 20), god="xango", xango="absolute")
    assert absolute == "round 1 · Zulu has won: Xango comes before all others"


@pytest.mark.rule(accepts="R-END-03")
def test_r_end_03_without_a_winner_markers_are_removed_and_the_next_round_begins() -> None:
    position = given(MAP, cattle(kilwa=1, zulu=1), turn_of("zulu", number=4), used("a1", "a1", "b1"))
    answer = position.when("end").then_among(MythologiesCompared(()), RoundBegun(5, ("zulu", "kilwa")))
    assert (answer.state.used, answer.state.round, answer.state.phase) == ({}, 5, "bidding")
    assert answer.state.order == ()


@pytest.mark.rule(accepts="R-END-04")
def test_r_end_04_there_is_no_limit_unless_one_is_set() -> None:
    def at_the_end_of(number: int, max_rounds: int | None) -> Position:
        facts = [VPScored("kilwa", 3, "so far"), *monument("zulu", "a1", level=3), *turn_of("zulu", number=number)]
        return given(MAP, cattle(kilwa=1, zulu=1), facts, max_rounds=max_rounds)

    at_the_end_of(500, None).when("end").then_among(MythologiesCompared(()), RoundBegun(501, ("zulu", "kilwa")))
    at_the_end_of(7, 8).when("end").then_among(MythologiesCompared(()), RoundBegun(8, ("zulu", "kilwa")))
    at_the_end_of(8, 8).when("end").then_among(MythologiesCompared((), "zulu")).then_no(RoundBegun)
