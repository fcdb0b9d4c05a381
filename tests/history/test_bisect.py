"""Bisection finds the same first move as a look at every position."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import open_reproducible_service
from tests.cli.herd import GAME as HERD
from zimcore.history import bisect, parse
from zimcore.service import EventStore

MOVES = st.lists(st.sampled_from(["take 1", "take 2", "take 3", "build a1", "build b3", "build c3"]), max_size=12)
EXPRESSIONS = ["kilwa.cattle > zulu.cattle", "herd > 30", "kilwa.vp + zulu.vp == 1", "round % 2 == 0", "round > 99"]


@given(MOVES, st.sampled_from(EXPRESSIONS))
def test_bisect_finds_every_turn_of_an_expression(moves: list[str], text: str) -> None:
    with EventStore.open("memory:") as store:
        service = open_reproducible_service(store)
        service.new("herd", {"herd": "40"}, name="k", by="ann")
        for move in moves:
            service.play("k", move, by="ann")
        commits = service.log("k")
        expression = parse(text)
        truth_values = [expression.holds(service.position(f"k@{commit.number}").figures) for commit in commits]
        bisection = bisect(HERD, commits, expression)
    turning_numbers = [
        number for number in range(1, len(truth_values)) if truth_values[number] != truth_values[number - 1]
    ]
    assert (bisection.at_start.holds, bisection.at_end.holds) == (truth_values[0], truth_values[-1])
    assert [position_after.commit.number for _, position_after in bisection.turning_points] == turning_numbers
    assert [position_before.commit.number for position_before, _ in bisection.turning_points] == [
        turning_number - 1 for turning_number in turning_numbers
    ]
    first_turn = next((turning_number for turning_number in turning_numbers if truth_values[turning_number]), None)
    assert (bisection.first[1].commit.number if bisection.first else None) == first_turn
