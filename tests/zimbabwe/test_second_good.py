"""Each rule about a good holds for the second good of a raise, and for the second monument, as for the first."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import cattle, monument, turn_of, used_markers
from tests.zimbabwe.kit import Position, given
from tests.zimbabwe.test_worked_examples import EXAMPLE_MAP, MAKERS

GOOD, OTHER_GOOD = "ivory_carver@k4/m2", "sculptor@c2/a1(wood_carver@c7/a8)"
BROKEN_GOODS = {
    "R-RAI-03: the same type again": ("R-RAI-03", "ivory_carver@k4/n6"),
    "R-RAI-04: a primary good whose secondary stands": ("R-RAI-04", "wood_carver@c7/a8"),
    "R-RAI-05: no such craftsman": ("R-RAI-05", "potter@b1/a1"),
    "R-RAI-05: a resource out of range": ("R-RAI-05", "sculptor@c2/n6(wood_carver@c7/a8)"),
    "R-RAI-05: the primary one's resource out of range": ("R-RAI-05", "sculptor@c2/a1(wood_carver@c7/n6)"),
    "R-RAI-06: no primary good": ("R-RAI-06", "sculptor@c2/a1"),
    "R-RAI-06: another primary good": ("R-RAI-06", "sculptor@c2/a1(ivory_carver@k4/n6)"),
}


def given_two_monuments(*facts: Facts) -> Position:
    """Zulu has monuments of level 2 on i5 and f5, and enough cattle."""
    monuments = [monument("zulu", "i5", level=2), monument("zulu", "f5", level=2)]
    return given(EXAMPLE_MAP, cattle(zulu=30), MAKERS, monuments, turn_of("zulu"), facts)


def test_the_good_raise_is_legal() -> None:
    assert not given_two_monuments().when(f"raise i5 {GOOD} {OTHER_GOOD}").refusals


@pytest.mark.parametrize(("code", "good"), BROKEN_GOODS.values(), ids=BROKEN_GOODS)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["second", "first"])
def test_a_broken_good_is_refused_in_either_place(code: str, good: str, order: tuple[int, int]) -> None:
    goods = (GOOD, good)
    line = "raise i5 " + " ".join(goods[index] for index in order)
    refusals = given_two_monuments().when(line).refusals
    assert code in {refusal.code for refusal in refusals}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["second", "first"])
def test_a_used_resource_is_refused_in_either_place(order: tuple[int, int]) -> None:
    goods = (GOOD, OTHER_GOOD)
    line = "raise i5 " + " ".join(goods[index] for index in order)
    refusals = given_two_monuments(used_markers("a8")).when(line).refusals
    assert {refusal.code for refusal in refusals} == {"R-RAI-07"}


def test_a_resource_is_used_up_by_the_first_monument_for_the_second() -> None:
    line = f"raise i5 {GOOD} {OTHER_GOOD}; f5 ivory_carver@k4/n6 {OTHER_GOOD}"
    assert "R-RAI-07" in {refusal.code for refusal in given_two_monuments().when(line).refusals}


def test_the_second_monument_needs_as_many_goods_as_its_level() -> None:
    line = f"raise i5 {GOOD} {OTHER_GOOD}; f5 ivory_carver@k4/n6"
    assert {refusal.code for refusal in given_two_monuments().when(line).refusals} == {"R-RAI-02"}


def test_another_broken_rule_does_not_hide_that_goods_are_missing() -> None:
    monuments = [monument("zulu", "i5"), monument("zulu", "f5")]
    position = given(EXAMPLE_MAP, cattle(zulu=30), MAKERS, monuments, turn_of("zulu"))
    refusals = position.when(f"raise i5 {GOOD} ivory_carver@k4/n6; f5").refusals
    assert {refusal.code for refusal in refusals} == {"R-RAI-02", "R-RAI-03"}
