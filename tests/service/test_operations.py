"""Names and the operation log: what moved, who moved it, and taking it back; compared with a naive model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.nim_service import log_texts, play, service_on
from zimcore.game import GameError, Refused
from zimcore.service import GameService, UnknownError


@pytest.fixture
def forked_match(service: GameService) -> GameService:
    play(service, "take 1", "take 2")
    service.fork("nim@1", "what-if", by="ben")
    return service


def operation_rows(service: GameService, place: str) -> list[tuple[str, str, str, str]]:
    return [(each.what, each.source, each.target, each.by) for each in service.operations(place)]


def test_rename_gives_a_line_another_name(forked_match: GameService) -> None:
    assert forked_match.rename("nim/what-if", "better", by="ann").line == "better"
    assert [info.name for info in forked_match.lines("nim")] == ["main", "better"]
    assert forked_match.current_line("nim", by="ben") == "nim/better", "the line stays current"
    with pytest.raises(UnknownError):
        forked_match.position("nim/what-if")


@pytest.mark.parametrize(
    ("name", "message"),
    [("main", "already"), ("what if", "not a name"), ("x" * 65, "a name has up to 64 characters, this has 65")],
)
def test_an_invalid_or_taken_name_is_refused(forked_match: GameService, name: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        forked_match.rename("nim/what-if", name, by="ann")


def test_forgetting_a_name_leaves_the_commits(forked_match: GameService) -> None:
    play(forked_match, "take 3", place="nim/what-if")
    forked_match.fork("nim/what-if", "child", by="ann")
    forked_match.switch("nim/main", by="ben")
    forked_match.forget("nim/what-if", by="ann")
    assert [info.name for info in forked_match.lines("nim")] == ["main", "child"]
    assert log_texts(forked_match, "nim/child") == ["0 set up 10", "1 take 1", "2 take 3"]
    forked_match.fork("nim/main", "what-if", by="ann")
    assert log_texts(forked_match, "nim/what-if") == ["0 set up 10", "1 take 1", "2 take 2"], "the name is free"


@pytest.mark.parametrize("by", ["ann", "ben"])
def test_a_current_line_keeps_its_name(forked_match: GameService, by: str) -> None:
    """The next player's moves would land on another line."""
    with pytest.raises(UnknownError, match="what-if is the current line of ben: go to another one first") as error:
        forked_match.forget("nim/what-if", by=by)
    assert error.value.hints == ("switch nim/main",)


def test_the_line_that_a_game_began_with_keeps_a_name(forked_match: GameService) -> None:
    with pytest.raises(UnknownError, match="main can't lose its name") as error:
        forked_match.forget("nim/main", by="ben")
    assert error.value.hints == ("rename nim/main NAME",)
    forked_match.rename("nim/main", "first", by="ben")
    assert forked_match.position("nim").line == "first", "it is current for each person who has not switched"


def test_the_operation_log_has_each_move_and_its_author(forked_match: GameService) -> None:
    forked_match.undo("nim/main", 2, by="cid")
    forked_match.goto("nim/main@2", by="ann")
    forked_match.switch("nim/main", by="ben")
    forked_match.rename("nim/what-if", "better", by="ann")
    forked_match.forget("nim/better", by="ann")
    assert operation_rows(forked_match, "nim/main") == [
        ("play", "", "@0", "ann"),
        ("name", "", "main", "ann"),
        ("play", "@0", "@1", "ann"),
        ("play", "@1", "@2", "ann"),
        ("name", "", "what-if", "ben"),
        ("switch", "main", "what-if", "ben"),
        ("move", "@2", "@0", "cid"),
        ("move", "@0", "@2", "ann"),
        ("switch", "what-if", "main", "ben"),
        ("rename", "what-if", "better", "ann"),
        ("forget", "better", "", "ann"),
    ]


def test_a_fork_has_operations_of_its_own(forked_match: GameService) -> None:
    assert operation_rows(forked_match, "nim/what-if")[-3:] == [
        ("fork", "", "@1", "ben"),
        ("name", "", "what-if", "ben"),
        ("switch", "main", "what-if", "ben"),
    ]


def test_taking_back_twice_restores_the_head(forked_match: GameService) -> None:
    forked_match.goto("nim/main@0", by="ann")
    assert forked_match.take_back("nim/main", by="ann").commit.number == 2
    assert forked_match.take_back("nim/main", by="ann").commit.number == 0


def test_taking_back_a_fork_removes_its_name(forked_match: GameService) -> None:
    assert forked_match.take_back("nim/main", by="ben").line == "main"
    assert [info.name for info in forked_match.lines("nim")] == ["main"]
    assert forked_match.take_back("nim/main", by="ben").line == "main"
    infos = forked_match.lines("nim", by="ben")
    assert [(info.name, info.current) for info in infos] == [("main", False), ("what-if", True)]


def test_only_a_player_can_undo_their_own_switch(forked_match: GameService) -> None:
    forked_match.switch("nim/main", by="ben")
    switch_by_fork, switch_back = [each.id for each in forked_match.operations("nim") if each.what == "switch"]
    with pytest.raises(GameError, match="this can't be taken back by ann: only ben chooses"):
        forked_match.take_back("nim/main", switch_back, by="ann")
    assert forked_match.current_line("nim", by="ben") == "nim"
    forked_match.take_back("nim/main", switch_back, by="ben")
    assert forked_match.current_line("nim", by="ben") == "nim/what-if"
    with pytest.raises(UnknownError, match="what-if is the current line of ben: go to another one first"):
        forked_match.take_back("nim/main", switch_by_fork, by="ann")


def test_the_last_operation_is_not_another_player_s_switch(forked_match: GameService) -> None:
    forked_match.goto("nim/main@1", by="ann")
    forked_match.switch("nim/main", by="ben")
    assert forked_match.take_back("nim/main", by="ann").commit.number == 2
    assert forked_match.current_line("nim", by="ben") == "nim"


def test_an_older_operation_can_be_taken_back(forked_match: GameService) -> None:
    older_operation = forked_match.operations("nim/main")[3]
    play(forked_match, "take 3", place="nim/main")
    assert forked_match.take_back("nim/main", older_operation.id[:10], by="ann").commit.number == 1


@pytest.mark.parametrize("operation", ["ffffff", "x"])
def test_a_missing_operation_is_an_error(forked_match: GameService, operation: str) -> None:
    with pytest.raises(UnknownError, match="there is no operation"):
        forked_match.take_back("nim", operation, by="ann")


def test_the_first_commit_can_t_be_taken_back(forked_match: GameService) -> None:
    first_operation = forked_match.operations("nim/main")[0]
    with pytest.raises(GameError, match="a line can't go back to before its first commit"):
        forked_match.take_back("nim/main", first_operation.id, by="ann")


@dataclass(frozen=True)
class GameRecord:
    """A naive record of a game: the name of each line by stream, the current line, and the head of each stream."""

    names: frozenset[tuple[str, str]]
    current_line: str
    heads_by_stream: dict[str, str]


def game_record(service: GameService) -> GameRecord:
    infos, streams = service.lines("nim", by="ann"), service._repository.names("nim").lines
    current_line = next(info.name for info in infos if info.current)
    return GameRecord(frozenset(streams.items()), current_line, {streams[info.name]: info.digest for info in infos})


def place_of(service: GameService, stream: str) -> str:
    """The line of a stream; the current one if that has no name now."""
    names = service._repository.names("nim")
    return f"nim/{next((name for name, line in names.lines.items() if line == stream), names.current_line('ann'))}"


OPERATION_STEPS = ["play", "undo", "redo", "goto", "fork", "switch", "rename", "forget", "back", "back to one"]


def test_a_renamed_line_gets_no_second_name() -> None:
    service = service_on("memory:")
    service.new("nim", {"stones": "300"}, name="nim", by="ann")
    service.fork("nim@0", "old", by="ann")
    service.take_back("nim/old", by="ann")
    last_operation = service.operations("nim")[-1]
    service.take_back("nim", by="ann")
    service.rename("nim/old", "new", by="ann")
    with pytest.raises(UnknownError, match="nim/new is that line: it was called old, and has a new name"):
        service.take_back("nim", last_operation.id, by="ann")
    assert sorted(service._repository.names("nim").lines) == ["main", "new"]


@given(st.lists(st.tuples(st.sampled_from(OPERATION_STEPS), st.integers(0, 99), st.integers(0, 99)), max_size=25))
def test_every_operation_can_be_taken_back_and_restored(steps: list[tuple[str, int, int]]) -> None:
    service = service_on("memory:")
    service.new("nim", {"stones": "300"}, name="nim", by="ann")
    for step, line_choice, number in steps:
        record_before = game_record(service)
        name, stream = sorted(record_before.names)[line_choice % len(record_before.names)]
        try:
            perform(service, step, f"nim/{name}", number)
        except GameError:
            assert game_record(service) == record_before, "a refused step moves nothing"
            continue
        record_after = game_record(service)
        if record_after != record_before:
            service.take_back(place_of(service, stream), by="ann")
            assert game_record(service) == record_before
            service.take_back(place_of(service, stream), by="ann")
            assert game_record(service) == record_after


def perform(service: GameService, step: str, place: str, number: int) -> None:
    operations = service.operations(place)
    actions: dict[str, Callable[[], object]] = {
        "play": lambda: service.play(place, "take 1", by="ann"),
        "undo": lambda: service.undo(place, number % 3 + 1, by="ann"),
        "redo": lambda: service.redo(place, number % 3 + 1, by="ann"),
        "goto": lambda: service.goto(f"{place}@{number % 5}", by="ann"),
        "fork": lambda: service.fork(f"{place}@{number % 3}", f"line{number}", by="ann"),
        "switch": lambda: service.switch(place, by="ann"),
        "rename": lambda: service.rename(place, f"name{number}", by="ann"),
        "forget": lambda: service.forget(place, by="ann"),
        "back": lambda: service.take_back(place, by="ann"),
        "back to one": lambda: service.take_back(place, operations[number % len(operations)].id, by="ann"),
    }
    assert not isinstance(actions[step](), Refused)
