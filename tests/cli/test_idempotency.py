"""Commands that are tried again, by hand or by a script that does not know whether they got through."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.cli.conftest import Zim
from zimcli.main import cli
from zimcli.output import Output
from zimcli.session import Session
from zimcore.service import GameService

RunZim = Callable[..., Result]


@pytest.fixture
def run_as(service: GameService) -> RunZim:
    """A function that runs a command in the shell as a player."""

    def run_zim(by: str, *words: str) -> Result:
        return CliRunner().invoke(cli, words, obj=Session(Output(), by=by, service=service), prog_name="zim")

    return run_zim


@pytest.fixture
def zim_with_game(zim: Zim) -> Zim:
    for words in (["new", "k", "seed=7"], ["do", "k", "take 1", "take 2"]):
        assert zim(*words).exit_code == 0
    return zim


def parse_document(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def move_numbers(zim: Zim, place: str = "k/main") -> list[int]:
    return [commit["number"] for commit in parse_document(zim("log", place, "--json"))["commits"]]


WRITING_COMMANDS: dict[str, list[str]] = {
    "new": ["new", "n", "seed=8"],
    "do": ["do", "k/main", "take 1"],
    "do several": ["do", "k/main", "take 1", "take 1"],
    "undo": ["undo", "k/main", "1"],
    "undo an operation": ["undo", "k/main", "--op"],
    "goto": ["goto", "k/main@1"],
    "fork": ["fork", "k/main@1", "what-if"],
    "rename": ["rename", "k/main", "first"],
    "amend": ["amend", "k/main@2", "take 1"],
    "pick": ["pick", "k/main", "main@1"],
}


@pytest.mark.parametrize("words", WRITING_COMMANDS.values(), ids=WRITING_COMMANDS)
def test_a_command_with_an_id_is_done_once(zim_with_game: Zim, service: GameService, words: list[str]) -> None:
    first_answer = parse_document(zim_with_game(*words, "--id", "c1", "--json"))
    rows_before = list(service.store.rows())
    retry_answer = parse_document(zim_with_game(*words, "--id", "c1", "--json"))
    assert not retry_answer.get("left"), "the retry leaves no line"
    assert {**retry_answer, "left": ""} == {**first_answer, "left": ""}
    assert list(service.store.rows()) == rows_before


def test_an_id_used_by_another_player_is_a_conflict(zim_with_game: Zim, run_as: RunZim) -> None:
    run_as("ben", "do", "k", "take 1", "--id", "c1")
    result = run_as("anna", "do", "k", "take 1", "--id", "c1")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "the command id 'c1' is taken\n  ben has done something with it" in result.stderr


@pytest.mark.parametrize("words", [["do", "k", "take 1"], ["undo", "k"], ["goto", "k@1"], ["fork", "k", "a"]], ids=str)
def test_a_stale_expected_head_is_a_conflict(zim_with_game: Zim, run_as: RunZim, words: list[str]) -> None:
    digest = parse_document(zim_with_game("show", "k", "--json"))["position"]["digest"]
    assert run_as("ben", "do", "k", "take 1").exit_code == 0
    numbers_before = move_numbers(zim_with_game)
    result = zim_with_game(*words, "--expect", digest)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "k/main has moved on" in result.stderr
    assert "ben has brought it to @3: take 1" in result.stderr
    assert move_numbers(zim_with_game) == numbers_before


def test_a_retry_of_several_commands_plays_none_twice(zim_with_game: Zim) -> None:
    moves = ["take 1", "take 9", "take 1"]
    assert zim_with_game("do", "k", *moves, "--id", "c1").exit_code == 1
    assert move_numbers(zim_with_game) == [0, 1, 2, 3]
    assert zim_with_game("do", "k", *moves, "--id", "c1").exit_code == 1
    assert move_numbers(zim_with_game) == [0, 1, 2, 3]


def test_a_line_of_a_session_may_have_an_id(run_script: Callable[..., Result], zim: Zim) -> None:
    script_lines = ["new k seed=7", "do --id c1 take 1", "do --id c1 take 1", "do k/main --id=c1 'take 1'"]
    assert run_script(*script_lines).exit_code == 0
    assert move_numbers(zim) == [0, 1]


def test_everybody_has_a_current_line(zim_with_game: Zim, run_as: RunZim) -> None:
    """The current line depends on the person: no command lands on a line that another player switched to."""
    run_as("ben", "fork", "k@1", "think")
    assert "k main @3" in run_as("anna", "undo", "k", "1").stdout or move_numbers(zim_with_game) == [0, 1]
    assert run_as("ben", "do", "k", "take 3").exit_code == 0
    assert move_numbers(zim_with_game, "k/think") == [0, 1, 2]
    for author, line_name in {"anna": "main", "ben": "think"}.items():
        lines = parse_document(run_as(author, "lines", "k", "--json"))["lines"]
        assert [line_answer["name"] for line_answer in lines if line_answer["current"]] == [line_name]


def test_at_a_machine_that_is_shared_each_seat_has_a_current_line() -> None:
    """Italy thinks on a line of its own, and types under the same name as France."""
    with EventStore.open("memory:") as store:
        service = GameService(store)

        def zim(*words: str) -> Result:
            return CliRunner().invoke(cli, words, obj=Session(Output(), by="us", service=service), prog_name="zim")

        assert zim("new", "k", "--game", "africana", "players=2").exit_code == 0
        position_before = parse_document(zim("show", "k", "--json"))["position"]
        assert zim("fork", "k", "think", "--redeal", "--as", "italy").exit_code == 0
        for seat_options in (["--as", "france"], []):
            assert parse_document(zim("show", "k", "--json", *seat_options))["position"]["line"] == "main"
        assert parse_document(zim("--as", "italy", "show", "k", "--json"))["position"]["line"] == "think"
        (move,) = parse_document(zim("legal", "k", "--json"))["legal"][:1]
        assert zim("do", "k", move).exit_code == 0
        assert parse_document(zim("show", "k/main", "--json"))["position"]["digest"] != position_before["digest"]
        assert len(parse_document(zim("log", "k/think", "--json"))["commits"]) == 2, "the set-up and the new deal"


@pytest.mark.parametrize("other_moves", [["take 1"], ["take 1", "take 2", "take 1"], ["take 1", "take 1"]], ids=len)
def test_other_commands_with_the_same_id_are_a_conflict(zim_with_game: Zim, other_moves: list[str]) -> None:
    assert zim_with_game("do", "k/main", "take 1", "take 2", "--id", "j").exit_code == 0
    numbers_before = move_numbers(zim_with_game)
    assert zim_with_game("do", "k/main", *other_moves, "--id", "j").exit_code == 3
    assert move_numbers(zim_with_game) == numbers_before


CURRENT_LINE_COMMANDS: dict[str, list[str]] = {
    "fork": ["fork", "k@1", "what-if"],
    "fork of the head": ["fork", "k", "what-if"],
    "fork of the only game": ["fork", "what-if"],
    "amend": ["amend", "k@2", "take 1"],
    "undo of a fork": ["undo", "k", "--op"],
}
"""Commands that change the current line, typed on that line."""


@pytest.mark.parametrize("words", CURRENT_LINE_COMMANDS.values(), ids=CURRENT_LINE_COMMANDS)
def test_a_command_that_changes_the_current_line_is_done_once(
    zim_with_game: Zim, service: GameService, words: list[str]
) -> None:
    assert zim_with_game("fork", "k@1", "other").exit_code == 0
    assert zim_with_game("do", "k", "take 1").exit_code == 0
    first_answer = parse_document(zim_with_game(*words, "--id", "c1", "--json"))
    rows_before = list(service.store.rows())
    retry_answer = parse_document(zim_with_game(*words, "--id", "c1", "--json"))
    assert {**retry_answer, "left": ""} == {**first_answer, "left": ""}
    assert list(service.store.rows()) == rows_before
    other_result = zim_with_game(
        *[word.replace("what-if", "why-not").replace("take 1", "take 2") for word in words], "--id", "c1"
    )
    assert other_result.exit_code == (3 if words != CURRENT_LINE_COMMANDS["undo of a fork"] else 0), (
        "another command is no retry"
    )


def test_a_retry_in_a_script_means_the_line_of_the_first_try(zim_with_game: Zim, run_script: RunZim) -> None:
    """By the time of the retry another line exists, and a third one may be current."""
    zim_with_game("fork", "k@1", "other")
    script_lines = ["switch k/main", "switch k/other", "play k/main", "fork @1 a --id c1"]
    for retry_lines in ([], ["fork @1 a --id c1"], ["fork @1 a --id c1", "do a 'take 1'", "fork @1 a --id c1"]):
        assert run_script(*script_lines, *retry_lines).exit_code == 0, run_script(*script_lines, *retry_lines).output
    refusal = run_script("play k/other", "fork other@1 a --id c1")
    assert (refusal.exit_code, "the command id 'c1' is taken" in refusal.stderr) == (3, True), (
        "the command names its line"
    )
