"""R-END: comparing mythologies, the winner, and the next round."""

from typing import Any

import pytest

from tests.zimbabwe.facts import adored_god, cattle, monument, turn_of, used_markers
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe import display
from zimcore.games.zimbabwe.events import MythologiesCompared, RoundBegun, TurnBegun, VPScored, VRChanged

MAP = "....... ....... ......."
ALL_SEATS = "kilwa zulu mutapa"


def given_scores(
    order: str = ALL_SEATS, xango: str = "overshoot", god: str = "", **scores: tuple[int, int]
) -> Position:
    """Players have these VP and VR, and the last turn of the round has begun; Zulu adores `god`."""
    facts = [[VPScored(seat, vp, "so far"), VRChanged(seat, vr - 20, "so far")] for seat, (vp, vr) in scores.items()]
    god_facts = [*adored_god("zulu", god), VRChanged("zulu", 2, "even")] if god else []
    last_seat = order.split()[-1]
    return given(
        MAP, cattle(kilwa=3, zulu=3), facts, god_facts, turn_of(last_seat, order), seats=ALL_SEATS, xango=xango
    )


@pytest.mark.rule(accepts="R-END-01")
def test_r_end_01_the_game_ends_when_a_player_has_reached_their_vr() -> None:
    answer = given_scores(kilwa=(22, 22), zulu=(21, 22)).when("end")
    answer.then_among(MythologiesCompared(("kilwa",), "kilwa")).then_no(RoundBegun)
    assert (answer.state.phase, answer.state.winner, answer.state.actor) == ("over", "kilwa", None)
    assert answer.state.seats_at_vr == ("kilwa",)


@pytest.mark.rule(accepts="R-END-01")
def test_r_end_01_the_game_does_not_end_before_the_round() -> None:
    facts = [VPScored("kilwa", 25, "so far"), *turn_of("kilwa")]
    given(MAP, facts).when("build a1", "end").then_among(TurnBegun("zulu")).then_no(MythologiesCompared)


@pytest.mark.rule(refuses="R-END-01")
@pytest.mark.parametrize(
    "line",
    ["bid 1", "pass", "end", "build a1", "adore gu", "hire builder", "use herd 2", "start a1", "price potter 2"],
)
def test_r_end_01_after_the_end_nothing_can_be_done(line: str) -> None:
    position = given_scores(kilwa=(22, 22)).after("end")
    position.when(f"kilwa: {line}").refused("R-END-01", because="the game is over, kilwa has won")


@pytest.mark.rule(refuses="R-END-01")
@pytest.mark.parametrize("line", ["raise a1 potter@b1/c1", "craft potter a1-b1"])
def test_r_end_01_after_the_end_no_main_action_is_taken(line: str) -> None:
    given_scores(kilwa=(22, 22)).after("end").when(f"kilwa: {line}").refused("R-END-01")


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_the_largest_overshoot_wins() -> None:
    answer = given_scores(kilwa=(25, 23), zulu=(20, 18), mutapa=(27, 24)).when("end")
    answer.then_among(MythologiesCompared(("mutapa", "kilwa", "zulu"), "mutapa"))


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_among_equals_the_adorer_of_xango_wins() -> None:
    answer = given_scores(kilwa=(25, 23), zulu=(20, 18), mutapa=(27, 30), god="xango").when("end")
    answer.then_among(MythologiesCompared(("zulu", "kilwa"), "zulu"))


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_among_equals_the_larger_vp_then_the_earlier_turn_wins() -> None:
    answer = given_scores(kilwa=(25, 23), zulu=(20, 18), mutapa=(24, 22)).when("end")
    answer.then_among(MythologiesCompared(("kilwa", "mutapa", "zulu"), "kilwa"))
    answer_of_equals = given_scores("mutapa kilwa zulu", kilwa=(25, 23), zulu=(25, 23), mutapa=(25, 23)).when("end")
    answer_of_equals.then_among(MythologiesCompared(("mutapa", "kilwa", "zulu"), "mutapa"))


@pytest.mark.rule(accepts="R-END-02")
def test_r_end_02_as_an_option_xango_comes_first_of_all_who_have_reached() -> None:
    answer_when_all_reached = given_scores(
        kilwa=(25, 23), zulu=(20, 18), mutapa=(27, 24), god="xango", xango="absolute"
    ).when("end")
    answer_when_all_reached.then_among(MythologiesCompared(("zulu", "mutapa", "kilwa"), "zulu"))
    answer_when_zulu_is_below = given_scores(kilwa=(25, 23), zulu=(17, 18), god="xango", xango="absolute").when("end")
    answer_when_zulu_is_below.then_among(MythologiesCompared(("kilwa",), "kilwa"))


def test_the_status_names_the_tie_break_among_seats_that_reached_their_vr() -> None:
    def status(**scores: Any) -> str:
        return display.status(given_scores(**scores).when("end").state)

    assert status(kilwa=(22, 22)) == "round 1 · Kilwa has won"
    assert status(kilwa=(25, 23), zulu=(20, 19)) == "round 1 · Kilwa has won: furthest above the VR"
    assert status(kilwa=(34, 34), zulu=(22, 22), god="xango") == "round 1 · Zulu has won: Xango breaks the tie"
    assert status(kilwa=(25, 23), zulu=(20, 18)) == "round 1 · Kilwa has won: the tie goes to more VP"
    status_by_turn = status(order="mutapa kilwa zulu", kilwa=(25, 23), mutapa=(25, 23))
    assert status_by_turn == "round 1 · Mutapa has won: the tie goes to the earlier turn"
    status_by_xango = status(kilwa=(27, 23), zulu=(20, 20), god="xango", xango="absolute")
    assert status_by_xango == "round 1 · Zulu has won: Xango comes before all others"


@pytest.mark.rule(accepts="R-END-03")
def test_r_end_03_without_a_winner_markers_are_removed_and_the_next_round_begins() -> None:
    position = given(MAP, cattle(kilwa=1, zulu=1), turn_of("zulu", round_number=4), used_markers("a1", "a1", "b1"))
    answer = position.when("end").then_among(MythologiesCompared(()), RoundBegun(5, ("zulu", "kilwa")))
    assert (answer.state.used_markers, answer.state.round, answer.state.phase) == ({}, 5, "bidding")
    assert answer.state.order == ()


@pytest.mark.rule(accepts="R-END-04")
def test_r_end_04_there_is_no_limit_unless_one_is_set() -> None:
    def position_at_end_of(round_number: int, max_rounds: int | None) -> Position:
        facts = [
            VPScored("kilwa", 3, "so far"),
            *monument("zulu", "a1", level=3),
            *turn_of("zulu", round_number=round_number),
        ]
        return given(MAP, cattle(kilwa=1, zulu=1), facts, max_rounds=max_rounds)

    position_at_end_of(500, None).when("end").then_among(MythologiesCompared(()), RoundBegun(501, ("zulu", "kilwa")))
    position_at_end_of(7, 8).when("end").then_among(MythologiesCompared(()), RoundBegun(8, ("zulu", "kilwa")))
    position_at_end_of(8, 8).when("end").then_among(MythologiesCompared((), "zulu")).then_no(RoundBegun)
