"""Bisection finds the same first move as a look at every position."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import open_service
from tests.cli.herd import GAME as HERD
from zimcore.history import bisect, parse
from zimcore.service import EventStore

MOVES = st.lists(st.sampled_from(["take 1", "take 2", "take 3", "build a1", "build b3", "build c3"]), max_size=12)
EXPRESSIONS = ["kilwa.cattle > zulu.cattle", "herd > 30", "kilwa.vp + zulu.vp == 1", "round % 2 == 0", "round > 99"]


@given(MOVES, st.sampled_from(EXPRESSIONS))
def test_it_is_exact_for_what_comes_and_goes(moves: list[str], text: str) -> None:
    with EventStore.open("memory:") as store:
        service = open_service(store)
        service.new("herd", {"herd": "40"}, name="k", by="ann")
        for move in moves:
            service.play("k", move, by="ann")
        commits = service.log("k")
        expression = parse(text)
        holds = [expression.holds(service.position(f"k@{commit.number}").figures) for commit in commits]
        result = bisect(HERD, commits, expression)
    turns = [n for n in range(1, len(holds)) if holds[n] != holds[n - 1]]
    assert (result.at_start.holds, result.at_end.holds) == (holds[0], holds[-1])
    assert [after.commit.number for _, after in result.turns] == turns
    assert [before.commit.number for before, _ in result.turns] == [turn - 1 for turn in turns]
    first = next((turn for turn in turns if holds[turn]), None)
    assert (result.first[1].commit.number if result.first else None) == first
