"""Small cases of the same kind as the rulebook's examples: ranges, hubs, Gu, Builder, Herd, Engai, ties."""

import pytest

from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given, map_rows
from zimcore.games.zimbabwe.board import Board
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, MythologiesCompared, VPScored, VRChanged

MAP = "....... ....... ......."


@pytest.mark.parametrize(
    ("map_", "target", "steps"),
    [
        (".~~~~~. .......", "g1", 2),
        ("..~~~..", "g1", 4),
        (".~..... ..~.... ...~... .......", "d3", 3),
    ],
    ids=["a lake is one step however long", "step, lake, step, step", "three lakes touching by corners are three"],
)
def test_examples_of_ranges(map_: str, target: str, steps: int) -> None:
    board = Board.from_rows(map_rows(map_))
    is_target_reached = [
        bool(board.reach(board.square["a1"], step_count) & board.square[target]) for step_count in (steps - 1, steps)
    ]
    assert is_target_reached == [False, True]


@pytest.mark.parametrize(
    ("map_", "target", "expected_hubs"),
    [("....... .......", "d1", 1), ("....... ....... .......", "d1", 1), ("....... ....... .......", "d2", 0)],
    ids=["both squares of the column are monuments", "the detour is 4 steps", "the detour is exactly 3 steps"],
)
def test_examples_of_hubs(map_: str, target: str, expected_hubs: int) -> None:
    board = Board.from_rows(map_rows(map_))
    assert board.hubs(board.square["a1"], board.square[target], 3, board.mask(["c1", "c2"])) == expected_hubs


def test_gu_refunds_technologies() -> None:
    card_facts = [*technology("kilwa", "potter"), *technology("kilwa", "ivory_carver")]
    card_facts += [
        *technology("kilwa", "diamond_cutter", card_number=2),
        *technology("kilwa", "sculptor", card_number=2),
    ]
    position = given(MAP, card_facts, turn_of("kilwa"))
    assert position.state.vr["kilwa"] == 31
    answer = position.when("adore gu").then_among(VRChanged("kilwa", -7, "rebate of gu"), VRChanged("kilwa", 4, "gu"))
    assert answer.state.vr["kilwa"] == 28


def test_gu_may_be_chosen_at_40() -> None:
    card_facts = [event for name in ("herd", "builder", "shaman") for event in hired_specialist("kilwa", name)]
    card_facts += [event for name in ("wood_carver", "potter", "vessel_maker") for event in technology("kilwa", name)]
    position = given(MAP, card_facts, turn_of("kilwa"))
    assert position.state.vr["kilwa"] == 40
    assert position.when("adore gu").state.vr["kilwa"] == 38


CRAFT_LINES = ("use builder", "craft potter a2-a3 price 1", "craft sculptor e2 price 1")


def test_the_builder_keeps_6_of_8() -> None:
    facts = [
        *hired_specialist("kilwa", "builder"),
        *craftsman("zulu", "wood_carver", "c2-c3"),
        *turn_of("kilwa", "kilwa"),
    ]
    position = given("C..W... ....... .......", facts)
    position.after(cattle(kilwa=7)).when(*CRAFT_LINES).refused("R-CRA-05")
    answer = position.after(cattle(kilwa=8)).when(*CRAFT_LINES)
    state = answer.state
    assert (state.cattle["kilwa"], state.cattle["kilwa/builder"], state.cattle[STOCK]) == (0, 6, -6)
    answer_at_end = position.after(cattle(kilwa=8)).when(*CRAFT_LINES, "end")
    answer_at_end.then_among(CattlePaid("kilwa/builder", "kilwa", 6, "revenue"))
    assert answer_at_end.state.cattle["kilwa"] == 8 - 2


def test_the_herd_of_6_returns_9() -> None:
    position = given(MAP, cattle(kilwa=6), hired_specialist("kilwa", "herd"), turn_of("kilwa", "kilwa"))
    assert position.when("use herd 6").state.cattle["kilwa/herd"] == 9
    assert position.when("use herd 6", "end").state.cattle["kilwa"] == 6 + 3


def test_engai_adds_2_to_an_income_of_3() -> None:
    position = given(MAP, monument("kilwa", "a1", 3), adored_god("kilwa", "engai"), turn_of("kilwa", "kilwa"))
    assert position.when("end").state.cattle["kilwa"] == 5


@pytest.mark.parametrize(
    ("xango", "vp_of_mutapa", "winner"),
    [("overshoot", 27, "mutapa"), ("absolute", 27, "zulu"), ("overshoot", 23, "zulu")],
)
def test_examples_of_ties(xango: str, vp_of_mutapa: int, winner: str) -> None:
    """Kilwa stands at 25 of 23, Zulu, who adores Xango, at 20 of 18, and Mutapa has a VR of 24."""
    vr_facts = [*adored_god("zulu", "xango"), VRChanged("kilwa", 3, "so far"), VRChanged("mutapa", 4, "so far")]
    vp_facts = [
        VPScored("kilwa", 25, "so far"),
        VPScored("zulu", 20, "so far"),
        VPScored("mutapa", vp_of_mutapa, "so far"),
    ]
    seats = "kilwa zulu mutapa"
    answer = given(MAP, vr_facts, vp_facts, turn_of("mutapa", seats), seats=seats, xango=xango).when("end")
    (comparison,) = (event for event in answer.events if isinstance(event, MythologiesCompared))
    assert comparison.winner == winner
