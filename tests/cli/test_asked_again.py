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

Types = Callable[..., Result]


@pytest.fixture
def types(service: GameService) -> Types:
    """A player types a command in the shell."""

    def run(by: str, *words: str) -> Result:
        return CliRunner().invoke(cli, words, obj=Session(Output(), by=by, service=service), prog_name="zim")

    return run


@pytest.fixture
def zim_with_game(zim: Zim) -> Zim:
    for words in (["new", "k", "seed=7"], ["do", "k", "take 1", "take 2"]):
        assert zim(*words).exit_code == 0
    return zim


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def numbers(zim: Zim, place: str = "k/main") -> list[int]:
    return [commit["number"] for commit in document(zim("log", place, "--json"))["commits"]]


COMMANDS: dict[str, list[str]] = {
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


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_with_an_id_is_done_once(zim_with_game: Zim, service: GameService, words: list[str]) -> None:
    first = document(zim_with_game(*words, "--id", "c1", "--json"))
    before = list(service.store.rows())
    again = document(zim_with_game(*words, "--id", "c1", "--json"))
    assert not again.get("left"), "nobody leaves a line the second time"
    assert {**again, "left": ""} == {**first, "left": ""}
    assert list(service.store.rows()) == before


def test_an_id_used_by_another_player_is_a_conflict(zim_with_game: Zim, types: Types) -> None:
    types("ben", "do", "k", "take 1", "--id", "c1")
    result = types("anna", "do", "k", "take 1", "--id", "c1")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "the command id 'c1' is taken\n  ben has done something with it" in result.stderr


@pytest.mark.parametrize("words", [["do", "k", "take 1"], ["undo", "k"], ["goto", "k@1"], ["fork", "k", "a"]], ids=str)
def test_what_was_expected_is_not_there_any_more(zim_with_game: Zim, types: Types, words: list[str]) -> None:
    digest = document(zim_with_game("show", "k", "--json"))["position"]["digest"]
    assert types("ben", "do", "k", "take 1").exit_code == 0
    before = numbers(zim_with_game)
    result = zim_with_game(*words, "--expect", digest)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "k/main has moved on" in result.stderr
    assert "ben has brought it to @3: take 1" in result.stderr
    assert numbers(zim_with_game) == before


def test_of_several_commands_those_that_were_played_are_not_played_again(zim_with_game: Zim) -> None:
    texts = ["take 1", "take 9", "take 1"]
    assert zim_with_game("do", "k", *texts, "--id", "c1").exit_code == 1
    assert numbers(zim_with_game) == [0, 1, 2, 3]
    assert zim_with_game("do", "k", *texts, "--id", "c1").exit_code == 1
    assert numbers(zim_with_game) == [0, 1, 2, 3]


def test_a_line_of_a_session_may_have_an_id(script: Callable[..., Result], zim: Zim) -> None:
    lines = ["new k seed=7", "do --id c1 take 1", "do --id c1 take 1", "do k/main --id=c1 'take 1'"]
    assert script(*lines).exit_code == 0
    assert numbers(zim) == [0, 1]


def test_everybody_has_a_current_line(zim_with_game: Zim, types: Types) -> None:
    """The current line depends on the person: no command lands on a line that another player switched to."""
    types("ben", "fork", "k@1", "think")
    assert "k main @3" in types("anna", "undo", "k", "1").stdout or numbers(zim_with_game) == [0, 1]
    assert types("ben", "do", "k", "take 3").exit_code == 0
    assert numbers(zim_with_game, "k/think") == [0, 1, 2]
    for by, line in {"anna": "main", "ben": "think"}.items():
        lines = document(types(by, "lines", "k", "--json"))["lines"]
        assert [each["name"] for each in lines if each["current"]] == [line]


def test_at_a_machine_that_is_shared_each_seat_has_a_current_line() -> None:
    """Italy thinks about something on a line of its own, under the same name as France."""
    with EventStore.open("memory:") as store:
        service = GameService(store)

        def zim(*words: str) -> Result:
            return CliRunner().invoke(cli, words, obj=Session(Output(), by="us", service=service), prog_name="zim")

        assert zim("new", "k", "--game", "africana", "players=2").exit_code == 0
        first = document(zim("show", "k", "--json"))["position"]
        assert zim("fork", "k", "think", "--redeal", "--as", "italy").exit_code == 0
        for words in (["--as", "france"], []):
            assert document(zim("show", "k", "--json", *words))["position"]["line"] == "main"
        assert document(zim("--as", "italy", "show", "k", "--json"))["position"]["line"] == "think"
        (move,) = document(zim("legal", "k", "--json"))["legal"][:1]
        assert zim("do", "k", move).exit_code == 0
        assert document(zim("show", "k/main", "--json"))["position"]["digest"] != first["digest"]
        assert len(document(zim("log", "k/think", "--json"))["commits"]) == 2, "the set-up and the new deal"


@pytest.mark.parametrize("other", [["take 1"], ["take 1", "take 2", "take 1"], ["take 1", "take 1"]], ids=len)
def test_other_commands_with_the_same_id_are_a_conflict(zim_with_game: Zim, other: list[str]) -> None:
    assert zim_with_game("do", "k/main", "take 1", "take 2", "--id", "j").exit_code == 0
    before = numbers(zim_with_game)
    assert zim_with_game("do", "k/main", *other, "--id", "j").exit_code == 3
    assert numbers(zim_with_game) == before


CHANGING: dict[str, list[str]] = {
    "fork": ["fork", "k@1", "what-if"],
    "fork of the head": ["fork", "k", "what-if"],
    "fork of the only game": ["fork", "what-if"],
    "amend": ["amend", "k@2", "take 1"],
    "undo of a fork": ["undo", "k", "--op"],
}
"""Commands that change the current line, on that."""


@pytest.mark.parametrize("words", CHANGING.values(), ids=CHANGING)
def test_what_changes_the_current_line_is_done_once_on_it(
    zim_with_game: Zim, service: GameService, words: list[str]
) -> None:
    assert zim_with_game("fork", "k@1", "other").exit_code == 0
    assert zim_with_game("do", "k", "take 1").exit_code == 0
    first = document(zim_with_game(*words, "--id", "c1", "--json"))
    before = list(service.store.rows())
    again = document(zim_with_game(*words, "--id", "c1", "--json"))
    assert {**again, "left": ""} == {**first, "left": ""}
    assert list(service.store.rows()) == before
    other = zim_with_game(
        *[word.replace("what-if", "why-not").replace("take 1", "take 2") for word in words], "--id", "c1"
    )
    assert other.exit_code == (3 if words != CHANGING["undo of a fork"] else 0), "something else is no retry"


def test_in_a_script_a_retry_means_where_it_was_asked_first(zim_with_game: Zim, script: Types) -> None:
    """The retry comes when another line exists and yet another one may be current."""
    zim_with_game("fork", "k@1", "other")
    lines = ["switch k/main", "switch k/other", "play k/main", "fork @1 a --id c1"]
    for again in ([], ["fork @1 a --id c1"], ["fork @1 a --id c1", "do a 'take 1'", "fork @1 a --id c1"]):
        assert script(*lines, *again).exit_code == 0, script(*lines, *again).output
    refused = script("play k/other", "fork other@1 a --id c1")
    assert (refused.exit_code, "the command id 'c1' is taken" in refused.stderr) == (3, True), "the line was typed"
