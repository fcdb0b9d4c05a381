"""The graph of a line: every commit once, below its parent, in a lane that can be drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.service.table import play, service_on
from zimcore.history import graph
from zimcore.history.graph import draw_lanes
from zimcore.service import GameService


def lines(service: GameService) -> list[str]:
    here = {commit.digest for commit in service.log("nim")}
    return [
        draw_lanes(row) + f"{row.commit.number} {row.commit.text}" for row in graph(service.log("nim", all_=True), here)
    ]


def game() -> GameService:
    service = service_on("memory:")
    service.new("nim", {"stones": "300"}, name="nim", by="ann")
    return service


def test_what_was_undone_stands_beside() -> None:
    service = game()
    play(service, "take 1", "take 2", "take 3")
    service.undo("nim", 2, by="ann")
    play(service, "take 3", "take 1")
    service.goto("nim@1", by="ann")
    play(service, "take 2")
    assert lines(service) == [
        "● 0 set up 300",
        "● 1 take 1",
        "├─○ 2 take 2",
        "│ ○ 3 take 3",
        "├─○ 2 take 3",
        "│ ○ 3 take 1",
        "● 2 take 2",
    ]


def test_where_the_head_went_back_nothing_goes_on() -> None:
    service = game()
    play(service, "take 1", "take 2")
    service.goto("nim@0", by="ann")
    play(service, "take 3")
    service.goto("nim@0", by="ann")
    assert lines(service) == ["● 0 set up 300", "├─○ 1 take 1", "│ ○ 2 take 2", "╰─○ 1 take 3"]


def test_a_branch_of_a_branch() -> None:
    service = game()
    play(service, "take 1", "take 2")
    service.goto("nim@1", by="ann")
    play(service, "take 3")
    service.goto("nim@0", by="ann")
    play(service, "take 2")
    assert lines(service) == ["● 0 set up 300", "├─○ 1 take 1", "│ ├─○ 2 take 2", "│ ○ 2 take 3", "● 1 take 2"]


@given(st.lists(st.integers(0, 30), max_size=25))
def test_every_commit_stands_once_below_its_parent(moves: list[int]) -> None:
    service = game()
    for number in moves:
        if number % 3:
            play(service, "take 1")
        else:
            known = service.log("nim", all_=True)
            service.goto(f"nim@{known[number % len(known)].digest}", by="ann")
    commits = service.log("nim", all_=True)
    here = {commit.digest for commit in service.log("nim")}
    rows = list(graph(commits, here))
    order = [row.commit.digest for row in rows]
    assert sorted(order) == sorted(commit.digest for commit in commits)
    assert all(order.index(row.commit.parent) < order.index(row.commit.digest) for row in rows if row.commit.parent)
    assert {row.commit.digest for row in rows if not row.lanes} == here
