"""Undo, redo, goto, fork and switch move the head and lose no commit."""

from __future__ import annotations

import pytest

from tests.service.nim_service import log_texts, play
from zimcore.game import GameError
from zimcore.service import TABLE, GameService, UnknownError, Viewer


@pytest.fixture
def match_after_three_moves(service: GameService) -> GameService:
    """After three moves; 4 stones are left."""
    play(service, "take 1", "take 2", "take 3")
    return service


def test_undo_moves_the_head_back(match_after_three_moves: GameService) -> None:
    assert match_after_three_moves.undo("nim", by="ann").state.stones == 7
    assert match_after_three_moves.undo("nim", 2, by="ann").state.stones == 10
    assert log_texts(match_after_three_moves) == ["0 set up 10"]


def test_redo_moves_the_head_forward(match_after_three_moves: GameService) -> None:
    match_after_three_moves.undo("nim", 3, by="ann")
    assert match_after_three_moves.redo("nim", by="ann").state.stones == 9
    assert match_after_three_moves.redo("nim", 2, by="ann").state.stones == 4
    assert log_texts(match_after_three_moves) == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]


def test_undo_and_redo_end_where_the_line_ends(match_after_three_moves: GameService) -> None:
    with pytest.raises(UnknownError, match="there is nothing to redo: nim/main is at @3 of 3") as error:
        match_after_three_moves.redo("nim", by="ann")
    assert error.value.hints == ("log nim/main --all",)
    with pytest.raises(UnknownError, match="you can undo no more than 3 moves: nim/main is at @3 of 3") as error:
        match_after_three_moves.undo("nim", 4, by="ann")
    assert error.value.hints == ("undo nim/main 3",)
    match_after_three_moves.undo("nim", 2, by="ann")
    with pytest.raises(UnknownError, match="you can redo no more than 2 moves: nim/main is at @1 of 3") as error:
        match_after_three_moves.redo("nim", 3, by="ann")
    assert error.value.hints == ("redo nim/main 2",)
    match_after_three_moves.undo("nim", by="ann")
    with pytest.raises(UnknownError, match="there is nothing to undo: nim/main is at @0 of 3"):
        match_after_three_moves.undo("nim", by="ann")


def test_playing_on_keeps_undone_moves_in_the_log_of_all(match_after_three_moves: GameService) -> None:
    match_after_three_moves.undo("nim", 2, by="ann")
    play(match_after_three_moves, "take 3")
    assert log_texts(match_after_three_moves) == ["0 set up 10", "1 take 1", "2 take 3"]
    assert log_texts(match_after_three_moves, all_=True) == [
        "0 set up 10",
        "1 take 1",
        "2 take 2",
        "3 take 3",
        "2 take 3",
    ]
    with pytest.raises(UnknownError):
        match_after_three_moves.redo("nim", by="ann")


def test_goto_reaches_an_undone_commit(match_after_three_moves: GameService) -> None:
    undone_digest = match_after_three_moves.position("nim").commit.digest
    match_after_three_moves.undo("nim", 2, by="ann")
    play(match_after_three_moves, "take 3")
    assert match_after_three_moves.goto(f"nim@{undone_digest[:8]}", by="ann").commit.digest == undone_digest
    assert log_texts(match_after_three_moves) == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]


def test_goto_of_the_head_stores_nothing(match_after_three_moves: GameService) -> None:
    stream = match_after_three_moves._repository.line("nim").line.stream
    entries_before = len(list(match_after_three_moves.store.read(stream)))
    match_after_three_moves.goto("nim@3", by="ann")
    assert len(list(match_after_three_moves.store.read(stream))) == entries_before


def test_a_fork_begins_at_the_given_place(match_after_three_moves: GameService) -> None:
    fork = match_after_three_moves.fork("nim@1", "what-if", by="ann")
    assert (fork.line, fork.commit.number, fork.state.stones) == ("what-if", 1, 9)
    play(match_after_three_moves, "take 1", place="nim/what-if")
    assert log_texts(match_after_three_moves, "nim/what-if") == ["0 set up 10", "1 take 1", "2 take 1"]
    assert log_texts(match_after_three_moves, "nim/main") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]


def test_a_fork_shares_the_digests_of_its_past(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim@2", "what-if", by="ann")
    assert [commit.digest for commit in match_after_three_moves.log("nim/what-if")] == [
        commit.digest for commit in match_after_three_moves.log("nim/main")
    ][:3]


def test_a_fork_copies_nothing(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim", "what-if", by="ann")
    assert (
        len(
            list(
                match_after_three_moves.store.read(
                    match_after_three_moves._repository.line("nim", "what-if").line.stream
                )
            )
        )
        == 1
    )


def test_a_fork_may_be_forked_again(match_after_three_moves: GameService) -> None:
    for place, name in [("nim/main@1", "a"), ("nim/a@2", "b"), ("nim/b@3", "c")]:
        match_after_three_moves.fork(place, name, by="ann")
        assert play(match_after_three_moves, "take 1").line == name
    assert log_texts(match_after_three_moves, "nim/c") == [
        "0 set up 10",
        "1 take 1",
        "2 take 1",
        "3 take 1",
        "4 take 1",
    ]
    assert [(info.name, info.parent, info.forked_at) for info in match_after_three_moves.lines("nim")] == [
        ("main", "", None),
        ("a", "main", 1),
        ("b", "a", 2),
        ("c", "b", 3),
    ]


def test_a_fork_may_go_back_into_the_past_of_its_parent(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim@2", "what-if", by="ann")
    assert match_after_three_moves.undo("nim/what-if", 2, by="ann").state.stones == 10
    play(match_after_three_moves, "take 3", place="nim/what-if")
    assert log_texts(match_after_three_moves, "nim/what-if") == ["0 set up 10", "1 take 3"]
    assert log_texts(match_after_three_moves, "nim/main") == ["0 set up 10", "1 take 1", "2 take 2", "3 take 3"]


def test_a_fork_becomes_the_current_line_of_the_person_who_forks(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim@1", "what-if", by="ann")
    assert match_after_three_moves.current_line("nim@-1", by="ann") == "nim/what-if@-1"
    assert match_after_three_moves.current_line("nim", by="ben") == "nim", "the line that the game began with"
    assert match_after_three_moves.position("nim").line == "main"


def test_a_person_has_one_current_line_whatever_seat_they_play(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim@1", "what-if", by="us", viewer=Viewer("ann"))
    match_after_three_moves.fork("nim@1", "other", by="us")
    for viewer in (Viewer("ann"), Viewer("ben"), TABLE):
        assert match_after_three_moves.current_line("nim", by="us", viewer=viewer) == "nim/other"
        lines = match_after_three_moves.lines("nim", viewer, by="us")
        assert [info.name for info in lines if info.current] == ["other"]
    match_after_three_moves.switch("nim/main", by="us", viewer=Viewer("ben"))
    assert match_after_three_moves.current_line("nim", by="us", viewer=Viewer("ann")) == "nim"


def test_switch_makes_a_line_the_current_one(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim@1", "what-if", by="ann")
    assert match_after_three_moves.switch("nim/main", by="ann").commit.number == 3
    infos = match_after_three_moves.lines("nim", by="ann")
    assert [(info.name, info.current) for info in infos] == [("main", True), ("what-if", False)]


@pytest.mark.parametrize(
    ("place", "name", "message"),
    [
        ("nim", "main", "there is a line called 'main' already"),
        ("nim", "what if", "not a name: 'what if'"),
        ("nim@9", "what-if", "there is no position @9"),
        ("nam", "what-if", "there is no game called 'nam'"),
    ],
)
def test_a_fork_that_can_t_be_begun_leaves_nothing(
    match_after_three_moves: GameService, place: str, name: str, message: str
) -> None:
    with pytest.raises(GameError, match=message):
        match_after_three_moves.fork(place, name, by="ann")
    assert [info.name for info in match_after_three_moves.lines("nim")] == ["main"]


def test_the_games_are_listed_with_the_line_that_they_began_with(match_after_three_moves: GameService) -> None:
    match_after_three_moves.fork("nim@1", "what-if", by="ann")
    match_after_three_moves.new("nim", {"players": "3"}, by="ben")
    first_game, second_game = match_after_three_moves.games()
    assert (first_game.name, first_game.kind, first_game.line, first_game.lines, first_game.head) == (
        "nim",
        "nim",
        "main",
        2,
        3,
    )
    assert (first_game.status, first_game.seats) == ("round 2 · Ben to act", ("ann", "ben"))
    assert first_game.begun < first_game.played
    assert (second_game.name, second_game.seats) == ("nim-1", ("ann", "ben", "cid"))


def test_a_game_may_have_more_lines_than_are_kept_loaded(service: GameService) -> None:
    for number in range(40):
        service.fork("nim/main", f"line{number}", by="ann")
        play(service, "take 1", place=f"nim/line{number}")
    assert [info.head for info in service.lines("nim")] == [0] + [1] * 40
