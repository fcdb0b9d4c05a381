"""Amend and pick play commands again elsewhere; illegal ones are conflicts with reasons."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nim import Take
from tests.service.nim_service import log_texts, play, service_on
from zimcore.game import GameError, Refused
from zimcore.service import ConflictError, GameService, Replay, UnknownError
from zimcore.service.writing.rewriting import Keep


@pytest.fixture
def match_after_four_moves(service: GameService) -> GameService:
    """After 1, 2, 3, 3: one stone is left."""
    play(service, "take 1", "take 2", "take 3", "take 3")
    return service


def amend(service: GameService, place: str, text: str, keep: Keep = "all", *, dry_run: bool = False) -> Replay:
    replay = service.amend(place, text, by="ben", keep=keep, dry_run=dry_run)
    assert not isinstance(replay, Refused)
    return replay


def test_an_amended_move_is_replaced_and_the_later_ones_played_again(match_after_four_moves: GameService) -> None:
    replay = amend(match_after_four_moves, "nim@2", "take 1")
    assert replay.stored
    assert log_texts(match_after_four_moves, "nim/amend-2") == [
        "0 set up 10",
        "1 take 1",
        "2 take 1",
        "3 take 3",
        "4 take 3",
    ]
    assert log_texts(match_after_four_moves, "nim/main") == [
        "0 set up 10",
        "1 take 1",
        "2 take 2",
        "3 take 3",
        "4 take 3",
    ]
    assert [commit.digest for commit in replay.commits] == [
        commit.digest for commit in match_after_four_moves.log("nim/amend-2")
    ][2:]
    assert (replay.position.line, replay.position.state.stones) == ("amend-2", 2)
    assert match_after_four_moves.current_line("nim", by="ben") == "nim/amend-2"
    assert match_after_four_moves.verify("nim/amend-2").fault is None


def test_amend_replaces_a_move_by_several_or_by_none(match_after_four_moves: GameService) -> None:
    assert amend(match_after_four_moves, "nim@2", "take 1; take 1; take 1").stored
    assert log_texts(match_after_four_moves, "nim/amend-2")[1:] == [
        "1 take 1",
        "2 take 1",
        "3 take 1",
        "4 take 1",
        "5 take 3",
        "6 take 3",
    ]
    assert amend(match_after_four_moves, "nim/main@1", "", "skip").stored
    assert log_texts(match_after_four_moves, "nim/amend-1")[1:] == ["1 take 3", "2 take 3"], (
        "ben can't begin, and the others can"
    )
    assert match_after_four_moves.verify("nim/amend-1").fault is None
    with pytest.raises(GameError, match="no move is left after nim/main@4: to leave out the last move, undo it"):
        amend(match_after_four_moves, "nim/main@4", "")


def test_amended_moves_keep_their_seats_and_are_by_the_person_who_amends(match_after_four_moves: GameService) -> None:
    replay = amend(match_after_four_moves, "nim@2", "ben: take 1")
    assert [(commit.seat, commit.by) for commit in replay.commits] == [("ben", "ben"), ("ann", "ben"), ("ben", "ben")]


def test_a_move_that_becomes_illegal_is_a_conflict_and_stores_nothing(match_after_four_moves: GameService) -> None:
    replay = amend(match_after_four_moves, "nim@1", "take 3")
    (conflict,) = replay.conflicts
    assert (conflict.commit.number, conflict.commit.text) == (4, "take 3")
    assert [refusal.code for refusal in conflict.refused.refusals] == ["MOVE"]
    assert not replay.stored
    assert [info.name for info in match_after_four_moves.lines("nim")] == ["main"]
    assert match_after_four_moves.position("nim").line == "main"


def test_skip_leaves_out_moves_that_become_illegal(match_after_four_moves: GameService) -> None:
    replay = amend(match_after_four_moves, "nim@1", "take 3", "skip")
    assert log_texts(match_after_four_moves, "nim/amend-1") == ["0 set up 10", "1 take 3", "2 take 2", "3 take 3"]
    assert [conflict.commit.number for conflict in replay.conflicts] == [4]


@pytest.mark.parametrize(("keep", "conflicts"), [("stop", ["take 2"]), ("skip", ["take 2", "take 1"])])
def test_stop_ends_at_the_first_conflict_and_skip_goes_on(
    service: GameService, keep: Keep, conflicts: list[str]
) -> None:
    service.new("nim", {"stones": "6", "players": "3"}, name="three", by="ann")
    play(service, "take 1", "take 1", "take 1", "take 2", "take 1", place="three")
    replay = amend(service, "three@1", "take 3", keep)
    assert [commit.text for commit in replay.commits] == ["take 3", "take 1", "take 1"]
    assert [conflict.commit.text for conflict in replay.conflicts] == conflicts


def test_a_dry_run_stores_nothing(match_after_four_moves: GameService) -> None:
    replay = amend(match_after_four_moves, "nim@2", "take 1", dry_run=True)
    assert (len(replay.commits), replay.stored, replay.position.state.stones) == (3, False, 2)
    assert [commit.digest for commit in replay.commits] == ["", "", ""]
    assert [info.name for info in match_after_four_moves.lines("nim")] == ["main"]


def test_a_new_command_that_is_refused_changes_nothing(match_after_four_moves: GameService) -> None:
    assert isinstance(match_after_four_moves.amend("nim@2", "take 9", by="ann"), Refused)
    assert [info.name for info in match_after_four_moves.lines("nim")] == ["main"]


def test_amend_plays_the_moves_up_to_the_head_again(match_after_four_moves: GameService) -> None:
    match_after_four_moves.undo("nim", by="ann")
    assert len(amend(match_after_four_moves, "nim@2", "take 1").commits) == 2
    match_after_four_moves.undo("nim/main", 3, by="ann")
    assert len(amend(match_after_four_moves, "nim/main@2", "take 1").commits) == 3, (
        "ahead of the head: up to what can be redone"
    )


def test_amend_replaces_no_existing_line(match_after_four_moves: GameService) -> None:
    with pytest.raises(UnknownError, match="there is a line called 'main' already"):
        match_after_four_moves.amend("nim@2", "take 1", by="ann", name="main")
    amend(match_after_four_moves, "nim/main@2", "take 1")
    assert amend(match_after_four_moves, "nim/main@2", "take 3").position.line == "amend-2-1"


def test_the_set_up_is_no_move(match_after_four_moves: GameService) -> None:
    with pytest.raises(GameError, match="is the set-up"):
        match_after_four_moves.amend("nim@0", "take 1", by="ann")
    with pytest.raises(GameError, match="begins with the set-up"):
        match_after_four_moves.pick("nim/main", "nim@0..2", by="ann")
    with pytest.raises(UnknownError, match="no position @9") as error:
        match_after_four_moves.pick("nim/main", "nim@9", by="ann")
    assert error.value.hints == ("log nim --all",)


@pytest.fixture
def forked_match(match_after_four_moves: GameService) -> GameService:
    """A line `other` from move 1 on, which is the current one."""
    match_after_four_moves.fork("nim@1", "other", by="ann")
    return match_after_four_moves


def test_picked_commands_are_played_at_the_head(forked_match: GameService) -> None:
    replay = forked_match.pick("nim/other", "nim/main@2..3", by="ben")
    assert log_texts(forked_match, "nim/other") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]
    assert [commit.by for commit in replay.commits] == ["ben", "ben"]
    assert replay.stored
    assert forked_match.verify("nim/other").fault is None


def test_a_pick_with_a_conflict_plays_nothing(forked_match: GameService) -> None:
    replay = forked_match.pick(
        "nim/other", "nim/main@2..", by="ben", expected=forked_match.position("nim/other").commit.digest
    )
    assert replay.stored, "the moves before the conflict are played"
    log_before = log_texts(forked_match, "nim/other")
    replay = forked_match.pick("nim/other", "nim/main@4", by="ben")
    assert ([conflict.commit.number for conflict in replay.conflicts], replay.stored) == ([4], False)
    assert log_texts(forked_match, "nim/other") == log_before


def test_a_pick_may_skip_illegal_moves(forked_match: GameService) -> None:
    replay = forked_match.pick("nim/other", "nim/main@1..2", by="ben", keep="skip")
    assert [commit.text for commit in replay.commits] == ["take 2"]
    assert [conflict.commit.number for conflict in replay.conflicts] == [1], "it is not ann's turn"


def test_a_pick_onto_a_moved_head_is_a_conflict(forked_match: GameService) -> None:
    head = forked_match.position("nim/other").commit.digest
    play(forked_match, "take 1", place="nim/other")
    with pytest.raises(ConflictError, match="nim/other has moved on"):
        forked_match.pick("nim/other", "nim/main@3", by="ben", expected=head)


def test_a_faster_writer_is_a_conflict_and_nothing_is_half_picked(forked_match: GameService) -> None:
    faster_service = GameService(forked_match.store, games=forked_match.kinds)
    append_all = forked_match.store.append_all

    def play_and_append(*args: object, **kwargs: object) -> object:
        forked_match.store.append_all = append_all  # type: ignore[method-assign]
        play(faster_service, "take 1", place="nim/other")
        return append_all(*args, **kwargs)  # type: ignore[arg-type]

    forked_match.store.append_all = play_and_append  # type: ignore[method-assign, assignment]
    with pytest.raises(ConflictError, match="nim/other has moved on"):
        forked_match.pick("nim/other", "nim/main@2..3", by="ben")
    assert log_texts(forked_match, "nim/other") == ["0 set up 10", "1 take 1", "2 take 1"]


def test_amend_takes_a_command_as_an_object(match_after_four_moves: GameService) -> None:
    assert isinstance(match_after_four_moves.amend("nim@2", Take(1), by="ann"), Replay)


take_commands = st.integers(1, 3).map("take {}".format)


@given(
    st.lists(take_commands, min_size=1, max_size=8),
    st.integers(1, 8),
    take_commands,
    st.sampled_from(["all", "skip", "stop"]),
)
def test_amend_equals_a_fork_played_by_hand(moves: list[str], number: int, text: str, keep: Keep) -> None:
    service = service_on("memory:")
    service.new("nim", {"stones": "14"}, name="nim", by="ann")
    for move in moves:
        service.play("nim", move, by="ann")
    log = service.log("nim")
    number = min(number, len(log) - 1)
    replay = service.amend(f"nim@{number}", text, by="ann", name="amended", keep=keep)
    service.fork(f"nim/main@{number - 1}", "by-hand", by="ann")
    is_legal = not isinstance(service.play("nim/by-hand", text, by="ann"), Refused)
    refused_numbers = []
    for commit in log[number + 1 :] if is_legal else ():
        if isinstance(service.play("nim/by-hand", commit.command, by="ann", seat=commit.seat), Refused):
            refused_numbers.append(commit.number)
            if keep != "skip":
                break
    assert isinstance(replay, Replay) == is_legal
    if isinstance(replay, Replay):
        assert [conflict.commit.number for conflict in replay.conflicts] == refused_numbers
        assert replay.position.commit.state == service.position("nim/by-hand").commit.state
        assert (
            replay.stored
            == (not refused_numbers or keep != "all")
            == ("amended" in {info.name for info in service.lines("nim")})
        )
    assert log_texts(service, "nim/main") == [f"{commit.number} {commit.text}" for commit in log]


@pytest.fixture
def match_on_each_store(store_url: str) -> Iterator[GameService]:
    """A game after 1, 2, 3, 3 on each kind of store, with a line `other` from move 1 on."""
    service = service_on(store_url)
    with service.store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        play(service, "take 1", "take 2", "take 3", "take 3")
        service.fork("nim@1", "other", by="ann")
        yield service


def test_a_retry_amends_once(match_on_each_store: GameService) -> None:
    first_replay, second_replay = (
        match_on_each_store.amend("nim/main@2", "take 1", by="ben", command_id="c1", keep="stop") for _ in range(2)
    )
    assert isinstance(first_replay, Replay)
    assert isinstance(second_replay, Replay)
    assert second_replay.commits == first_replay.commits
    assert (second_replay.position.game, second_replay.position.line) == (
        first_replay.position.game,
        first_replay.position.line,
    )
    assert [line.name for line in match_on_each_store.lines("nim")] == ["main", "other", "amend-2"]
    assert match_on_each_store.verify("nim/amend-2").fault is None


def test_a_retry_picks_once(match_on_each_store: GameService) -> None:
    head = match_on_each_store.position("nim/other").commit.digest
    first_replay, second_replay = (
        match_on_each_store.pick("nim/other", "nim/main@2..3", by="ben", expected=head, command_id="c1")
        for _ in range(2)
    )
    assert second_replay.commits == first_replay.commits
    assert log_texts(match_on_each_store, "nim/other") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]
    assert match_on_each_store.verify("nim/other").fault is None


def test_an_amend_of_a_moved_head_is_a_conflict(match_on_each_store: GameService) -> None:
    head = match_on_each_store.position("nim/other").commit.digest
    play(match_on_each_store, "take 1", place="nim/other")
    with pytest.raises(ConflictError, match="nim/other has moved on"):
        match_on_each_store.amend("nim/other@1", "take 2", by="ben", expected=head)
    assert [line.name for line in match_on_each_store.lines("nim")] == ["main", "other"]
