"""Amend and pick play commands again elsewhere; illegal ones are conflicts with reasons."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nim import Take
from tests.service.table import play, service_on, texts
from zimcore.game import GameError, Refused
from zimcore.service import ConflictError, GameService, Replay, UnknownError
from zimcore.service.rewriting import Keep


@pytest.fixture
def match_of_four(service: GameService) -> GameService:
    """After 1, 2, 3, 3: one stone is left."""
    play(service, "take 1", "take 2", "take 3", "take 3")
    return service


def amend(service: GameService, place: str, text: str, keep: Keep = "all", *, dry_run: bool = False) -> Replay:
    answer = service.amend(place, text, by="ben", keep=keep, dry_run=dry_run)
    assert not isinstance(answer, Refused)
    return answer


def test_an_amended_move_is_replaced_and_the_later_ones_played_again(match_of_four: GameService) -> None:
    answer = amend(match_of_four, "nim@2", "take 1")
    assert answer.stored
    assert texts(match_of_four, "nim/amend-2") == ["0 set up 10", "1 take 1", "2 take 1", "3 take 3", "4 take 3"]
    assert texts(match_of_four, "nim/main") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3", "4 take 3"]
    assert [commit.digest for commit in answer.commits] == [
        commit.digest for commit in match_of_four.log("nim/amend-2")
    ][2:]
    assert (answer.position.line, answer.position.state.stones) == ("amend-2", 2)
    assert match_of_four.current_line("nim", by="ben") == "nim/amend-2"
    assert match_of_four.verify("nim/amend-2").fault is None


def test_moves_are_put_in_or_left_out_where_several_or_none_are_said(match_of_four: GameService) -> None:
    assert amend(match_of_four, "nim@2", "take 1; take 1; take 1").stored
    assert texts(match_of_four, "nim/amend-2")[1:] == [
        "1 take 1",
        "2 take 1",
        "3 take 1",
        "4 take 1",
        "5 take 3",
        "6 take 3",
    ]
    assert amend(match_of_four, "nim/main@1", "", "skip").stored
    assert texts(match_of_four, "nim/amend-1")[1:] == ["1 take 3", "2 take 3"], "ben can't begin, and the others can"
    assert match_of_four.verify("nim/amend-1").fault is None
    with pytest.raises(GameError, match="no move is left after nim/main@4: to leave out the last move, undo it"):
        amend(match_of_four, "nim/main@4", "")


def test_the_seats_stay_who_they_were_and_by_is_who_amends(match_of_four: GameService) -> None:
    answer = amend(match_of_four, "nim@2", "ben: take 1")
    assert [(commit.seat, commit.by) for commit in answer.commits] == [("ben", "ben"), ("ann", "ben"), ("ben", "ben")]


def test_a_move_that_no_longer_stands_is_a_conflict_and_nothing_is_kept(match_of_four: GameService) -> None:
    answer = amend(match_of_four, "nim@1", "take 3")
    (conflict,) = answer.conflicts
    assert (conflict.commit.number, conflict.commit.text) == (4, "take 3")
    assert [refusal.code for refusal in conflict.refused.refusals] == ["MOVE"]
    assert not answer.stored
    assert [info.name for info in match_of_four.lines("nim")] == ["main"]
    assert match_of_four.position("nim").line == "main"


def test_what_no_longer_stands_can_be_left_out(match_of_four: GameService) -> None:
    answer = amend(match_of_four, "nim@1", "take 3", "skip")
    assert texts(match_of_four, "nim/amend-1") == ["0 set up 10", "1 take 3", "2 take 2", "3 take 3"]
    assert [conflict.commit.number for conflict in answer.conflicts] == [4]


@pytest.mark.parametrize(("keep", "conflicts"), [("stop", ["take 2"]), ("skip", ["take 2", "take 1"])])
def test_stop_ends_at_the_first_conflict_and_skip_goes_on(
    service: GameService, keep: Keep, conflicts: list[str]
) -> None:
    service.new("nim", {"stones": "6", "players": "3"}, name="three", by="ann")
    play(service, "take 1", "take 1", "take 1", "take 2", "take 1", place="three")
    answer = amend(service, "three@1", "take 3", keep)
    assert [commit.text for commit in answer.commits] == ["take 3", "take 1", "take 1"]
    assert [conflict.commit.text for conflict in answer.conflicts] == conflicts


def test_a_dry_run_keeps_nothing(match_of_four: GameService) -> None:
    answer = amend(match_of_four, "nim@2", "take 1", dry_run=True)
    assert (len(answer.commits), answer.stored, answer.position.state.stones) == (3, False, 2)
    assert [commit.digest for commit in answer.commits] == ["", "", ""]
    assert [info.name for info in match_of_four.lines("nim")] == ["main"]


def test_a_new_command_that_is_refused_changes_nothing(match_of_four: GameService) -> None:
    assert isinstance(match_of_four.amend("nim@2", "take 9", by="ann"), Refused)
    assert [info.name for info in match_of_four.lines("nim")] == ["main"]


def test_the_later_moves_are_those_up_to_the_head(match_of_four: GameService) -> None:
    match_of_four.undo("nim", by="ann")
    assert len(amend(match_of_four, "nim@2", "take 1").commits) == 2
    match_of_four.undo("nim/main", 3, by="ann")
    assert len(amend(match_of_four, "nim/main@2", "take 1").commits) == 3, "ahead of the head: up to what can be redone"


def test_a_line_of_that_name_is_not_amended_away(match_of_four: GameService) -> None:
    with pytest.raises(UnknownError, match="there is a line called 'main' already"):
        match_of_four.amend("nim@2", "take 1", by="ann", name="main")
    amend(match_of_four, "nim/main@2", "take 1")
    assert amend(match_of_four, "nim/main@2", "take 3").position.line == "amend-2-1"


def test_the_set_up_is_no_move(match_of_four: GameService) -> None:
    with pytest.raises(GameError, match="is the set-up"):
        match_of_four.amend("nim@0", "take 1", by="ann")
    with pytest.raises(GameError, match="begins with the set-up"):
        match_of_four.pick("nim/main", "nim@0..2", by="ann")


@pytest.fixture
def forked_match(match_of_four: GameService) -> GameService:
    """A line `other` from move 1 on, which is the current one."""
    match_of_four.fork("nim@1", "other", by="ann")
    return match_of_four


def test_picked_commands_are_played_at_the_head(forked_match: GameService) -> None:
    answer = forked_match.pick("nim/other", "nim/main@2..3", by="ben")
    assert texts(forked_match, "nim/other") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]
    assert [commit.by for commit in answer.commits] == ["ben", "ben"]
    assert answer.stored
    assert forked_match.verify("nim/other").fault is None


def test_a_pick_with_a_conflict_plays_nothing(forked_match: GameService) -> None:
    answer = forked_match.pick(
        "nim/other", "nim/main@2..", by="ben", expected=forked_match.position("nim/other").commit.digest
    )
    assert answer.stored, "what fits is played"
    before = texts(forked_match, "nim/other")
    answer = forked_match.pick("nim/other", "nim/main@4", by="ben")
    assert ([conflict.commit.number for conflict in answer.conflicts], answer.stored) == ([4], False)
    assert texts(forked_match, "nim/other") == before


def test_a_pick_may_leave_out_what_does_not_stand(forked_match: GameService) -> None:
    answer = forked_match.pick("nim/other", "nim/main@1..2", by="ben", keep="skip")
    assert [commit.text for commit in answer.commits] == ["take 2"]
    assert [conflict.commit.number for conflict in answer.conflicts] == [1], "it is not ann's turn"


def test_who_saw_another_head_gets_a_conflict(forked_match: GameService) -> None:
    head = forked_match.position("nim/other").commit.digest
    play(forked_match, "take 1", place="nim/other")
    with pytest.raises(ConflictError, match="nim/other has moved on"):
        forked_match.pick("nim/other", "nim/main@3", by="ben", expected=head)


def test_a_faster_writer_is_a_conflict_and_nothing_is_half_picked(forked_match: GameService) -> None:
    other = GameService(forked_match.store, games=forked_match.kinds)
    append_all = forked_match.store.append_all

    def slower(*args: object, **more: object) -> object:
        forked_match.store.append_all = append_all  # type: ignore[method-assign]
        play(other, "take 1", place="nim/other")
        return append_all(*args, **more)  # type: ignore[arg-type]

    forked_match.store.append_all = slower  # type: ignore[method-assign, assignment]
    with pytest.raises(ConflictError, match="nim/other has moved on"):
        forked_match.pick("nim/other", "nim/main@2..3", by="ben")
    assert texts(forked_match, "nim/other") == ["0 set up 10", "1 take 1", "2 take 1"]


def test_a_command_may_be_given_as_it_is(match_of_four: GameService) -> None:
    assert isinstance(match_of_four.amend("nim@2", Take(1), by="ann"), Replay)


TAKES = st.integers(1, 3).map("take {}".format)


@given(st.lists(TAKES, min_size=1, max_size=8), st.integers(1, 8), TAKES, st.sampled_from(["all", "skip", "stop"]))
def test_to_amend_is_to_fork_and_to_play_by_hand(moves: list[str], at: int, text: str, keep: Keep) -> None:
    service = service_on("memory:")
    service.new("nim", {"stones": "14"}, name="nim", by="ann")
    for move in moves:
        service.play("nim", move, by="ann")
    log = service.log("nim")
    at = min(at, len(log) - 1)
    answer = service.amend(f"nim@{at}", text, by="ann", name="amended", keep=keep)
    service.fork(f"nim/main@{at - 1}", "by-hand", by="ann")
    stood = not isinstance(service.play("nim/by-hand", text, by="ann"), Refused)
    refused = []
    for commit in log[at + 1 :] if stood else ():
        if isinstance(service.play("nim/by-hand", commit.command, by="ann", seat=commit.seat), Refused):
            refused.append(commit.number)
            if keep != "skip":
                break
    assert isinstance(answer, Replay) == stood
    if isinstance(answer, Replay):
        assert [conflict.commit.number for conflict in answer.conflicts] == refused
        assert answer.position.commit.state == service.position("nim/by-hand").commit.state
        assert answer.stored == (not refused or keep != "all") == ("amended" in {i.name for i in service.lines("nim")})
    assert texts(service, "nim/main") == [f"{commit.number} {commit.text}" for commit in log]


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def match_on_each_store(request: pytest.FixtureRequest, url: str) -> Iterator[GameService]:
    """A game after 1, 2, 3, 3 on each kind of store, with a line `other` from move 1 on."""
    server: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    service = service_on({"memory:": "memory:", "sqlite": url}.get(request.param, server))
    with service.store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        play(service, "take 1", "take 2", "take 3", "take 3")
        service.fork("nim@1", "other", by="ann")
        yield service


def test_a_retry_amends_once(match_on_each_store: GameService) -> None:
    first, second = (
        match_on_each_store.amend("nim/main@2", "take 1", by="ben", command_id="c1", keep="stop") for _ in range(2)
    )
    assert isinstance(first, Replay)
    assert isinstance(second, Replay)
    assert second.commits == first.commits
    assert (second.position.game, second.position.line) == (first.position.game, first.position.line)
    assert [line.name for line in match_on_each_store.lines("nim")] == ["main", "other", "amend-2"]
    assert match_on_each_store.verify("nim/amend-2").fault is None


def test_a_retry_picks_once(match_on_each_store: GameService) -> None:
    head = match_on_each_store.position("nim/other").commit.digest
    first, second = (
        match_on_each_store.pick("nim/other", "nim/main@2..3", by="ben", expected=head, command_id="c1")
        for _ in range(2)
    )
    assert second.commits == first.commits
    assert texts(match_on_each_store, "nim/other") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]
    assert match_on_each_store.verify("nim/other").fault is None


def test_who_amends_what_has_moved_on_gets_a_conflict(match_on_each_store: GameService) -> None:
    head = match_on_each_store.position("nim/other").commit.digest
    play(match_on_each_store, "take 1", place="nim/other")
    with pytest.raises(ConflictError, match="nim/other has moved on"):
        match_on_each_store.amend("nim/other@1", "take 2", by="ben", expected=head)
    assert [line.name for line in match_on_each_store.lines("nim")] == ["main", "other"]
