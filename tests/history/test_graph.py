"""The graph of a line: every commit once, below its parent, in a lane."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.service.nim_service import play, service_on
from zimcore.history import graph
from zimcore.history.graph import draw_lanes
from zimcore.service import GameService


def drawn_rows(service: GameService) -> list[str]:
    digests_to_head = {commit.digest for commit in service.log("nim")}
    return [
        draw_lanes(row) + f"{row.commit.number} {row.commit.text}"
        for row in graph(service.log("nim", all_=True), digests_to_head)
    ]


def service_with_game() -> GameService:
    service = service_on("memory:")
    service.new("nim", {"stones": "300"}, name="nim", by="ann")
    return service


def test_undone_commits_are_drawn_in_other_lanes() -> None:
    service = service_with_game()
    play(service, "take 1", "take 2", "take 3")
    service.undo("nim", 2, by="ann")
    play(service, "take 3", "take 1")
    service.goto("nim@1", by="ann")
    play(service, "take 2")
    assert drawn_rows(service) == [
        "● 0 set up 300",
        "● 1 take 1",
        "├─○ 2 take 2",
        "│ ○ 3 take 3",
        "├─○ 2 take 3",
        "│ ○ 3 take 1",
        "● 2 take 2",
    ]


def test_no_lane_goes_on_where_the_head_went_back() -> None:
    service = service_with_game()
    play(service, "take 1", "take 2")
    service.goto("nim@0", by="ann")
    play(service, "take 3")
    service.goto("nim@0", by="ann")
    assert drawn_rows(service) == ["● 0 set up 300", "├─○ 1 take 1", "│ ○ 2 take 2", "╰─○ 1 take 3"]


def test_a_branch_of_a_branch_has_its_own_lane() -> None:
    service = service_with_game()
    play(service, "take 1", "take 2")
    service.goto("nim@1", by="ann")
    play(service, "take 3")
    service.goto("nim@0", by="ann")
    play(service, "take 2")
    assert drawn_rows(service) == ["● 0 set up 300", "├─○ 1 take 1", "│ ├─○ 2 take 2", "│ ○ 2 take 3", "● 1 take 2"]


@given(st.lists(st.integers(0, 30), max_size=25))
def test_every_commit_stands_once_below_its_parent(moves: list[int]) -> None:
    service = service_with_game()
    for number in moves:
        if number % 3:
            play(service, "take 1")
        else:
            all_commits = service.log("nim", all_=True)
            service.goto(f"nim@{all_commits[number % len(all_commits)].digest}", by="ann")
    commits = service.log("nim", all_=True)
    digests_to_head = {commit.digest for commit in service.log("nim")}
    rows = list(graph(commits, digests_to_head))
    digests = [row.commit.digest for row in rows]
    assert sorted(digests) == sorted(commit.digest for commit in commits)
    assert all(digests.index(row.commit.parent) < digests.index(row.commit.digest) for row in rows if row.commit.parent)
    assert {row.commit.digest for row in rows if not row.lanes} == digests_to_head
