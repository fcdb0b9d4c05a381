"""Commands that are tried again, by hand or by a script that does not know whether they got through."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from click.core import ParameterSource
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim, open_reproducible_service
from tests.predictable_salts import salt_maker
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.pipe_requests import parameters
from zimcli.session.session import Session
from zimcli.shell.registry import ENTRIES, ENTRIES_BY_NAME
from zimcore.bots.bot import Choice
from zimcore.bots.bot_match import think
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


def test_a_store_of_this_machine_needs_no_library_of_the_network(
    zim_with_game: Zim, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.startswith("zimcore.remote.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "httpx", None)
    for _ in range(2):
        assert zim_with_game("fork", "k", "what-if", "--id", "c1").exit_code == 0


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


def test_a_retry_finishes_what_a_killed_bot_began_and_thinks_no_move_again(
    zim_with_game: Zim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots of others may play something else each time: the first choice for a position counts."""
    most = 3

    def think_at_most(*args: Any) -> Choice:
        nonlocal most
        most -= 1
        if most < 0:
            raise KeyboardInterrupt
        return think(*args)

    monkeypatch.setattr("zimcore.bots.bot_match.think", think_at_most)
    words, texts = ("bot", "k", "random", "--to-end", "--id", "c1", "--json"), list[list[str]]()
    for tries in (3, 100, 0, 0):
        most = tries
        zim_with_game(*words)
        texts += [[commit["text"] for commit in parse_document(zim_with_game("log", "k", "--json"))["commits"][3:]]]
    assert len(texts[0]) == 3
    assert texts[1][:3] == texts[0]
    assert len(texts[1]) > 3
    assert texts[3] == texts[2] == texts[1]
    assert [move["text"] for move in parse_document(zim_with_game(*words))["played"]] == texts[1]


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


def test_who_begins_a_line_without_switching_leaves_the_current_one_to_all_seats() -> None:
    """Italy thinks on a line of its own, and types under the same name as France."""
    with EventStore.open("memory:") as store:
        service = GameService(store)

        def zim(*words: str) -> Result:
            return CliRunner().invoke(cli, words, obj=Session(Output(), by="us", service=service), prog_name="zim")

        def current_line(*seat_options: str) -> str:
            return str(parse_document(zim("show", "k", "--json", *seat_options))["position"]["line"])

        assert zim("new", "k", "--game", "africana", "players=2").exit_code == 0
        result = zim("fork", "k", "think", "--redeal", "--as", "italy", "--no-switch")
        assert (result.exit_code, "current line" in result.stdout) == (0, False)
        assert [current_line("--as", "italy"), current_line("--as", "france"), current_line()] == ["main"] * 3
        assert zim("--as", "italy", "switch", "k/think").exit_code == 0
        assert [current_line("--as", "italy"), current_line("--as", "france"), current_line()] == ["think"] * 3
        (move,) = parse_document(zim("legal", "k/main", "--json"))["legal"][:1]
        assert zim("do", "k/main", move).exit_code == 0
        assert current_line() == "think"


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


class Retried(NamedTuple):
    """A command with implied words: what comes before it, the same id with other content, and what has its answer."""

    words: str
    others: tuple[str, ...]
    before: tuple[str, ...] = ()
    answers_with_now: bool = False
    """Whether a retry tells how things stand now, as with the chat's list of requests."""


KEY = "ab" * 32
RETRIED_COMMANDS = {
    "new": [Retried("new n seed=8", ("new n seed=9", "new m seed=8"))],
    "do": [
        Retried("do k 'take 1'", ("do k 'take 2'", "undo k")),
        Retried("do k 'take 1' 'take 1'", ("do k 'take 1'",)),
    ],
    "order": [Retried("order k 'kilwa: take 1'", ("order k 'kilwa: take 2'",), answers_with_now=True)],
    "say": [
        Retried("say k well played", ("say k badly played", "say k --note well played", "say k@1 well played")),
        Retried("say k@1 well played", ("say k@0 well played", "say k/main@2 well played")),
        Retried("say k --note well played", ("say k --note what",)),
    ],
    "takeback": [Retried("takeback k 1 --as kilwa", ("takeback k 2 --as kilwa",), answers_with_now=True)],
    "accept": [
        Retried("accept k --as zulu", ("decline k --as zulu", "accept k 1 --as zulu"), ("takeback k --as kilwa",))
    ],
    "decline": [Retried("decline k --as zulu", ("accept k --as zulu",), ("takeback k --as kilwa",))],
    "withdraw": [Retried("withdraw k --as kilwa", ("accept k --as zulu",), ("takeback k --as kilwa",))],
    "leave": [
        Retried("leave k --seat kilwa", ("leave k --seat zulu", "leave k --seat kilwa --how left")),
        Retried("leave k --back kilwa", ("leave k --back zulu",), ("leave k --seat kilwa",)),
    ],
    "league": [
        Retried("league open cup", ("league open cup rounds=3",)),
        Retried("league enter cup anna ben", ("league enter cup anna cleo",), ("league open cup",)),
    ],
    "undo": [
        Retried("undo k", ("undo k 2", "redo k")),
        Retried("undo k --op", ("undo k",), answers_with_now=True),
    ],
    "redo": [Retried("redo k", ("redo k 2",), ("undo k 2",))],
    "goto": [Retried("goto k@1", ("goto k@0",))],
    "fork": [
        Retried("fork k@1 what-if", ("fork k@0 what-if", "fork k@1 why-not", "do k 'take 1'")),
        Retried("fork k what-if", ("fork k@1 what-if",)),
    ],
    "amend": [Retried("amend k@2 'take 1'", ("amend k@2 'take 3'", "amend k@1 'take 1'"))],
    "pick": [Retried("pick k main@1", ("pick k main@1..2",)), Retried("pick k/other k@1", ("pick k/other k@1..2",))],
    "bot": [
        Retried("bot k random", ("bot k random --seed 2", "do k 'take 1'")),
        Retried("bot k random --to-end", ("bot k random --to-end --seed 2",)),
        Retried("bot k random --for zulu", ("bot k random --for kilwa",), answers_with_now=True),
    ],
    "switch": [Retried("switch k/other", ("switch k/main",), answers_with_now=True)],
    "rename": [Retried("rename k better", ("rename k worse",), ("fork k@1 third",), answers_with_now=True)],
    "forget": [Retried("forget k/other", ("forget k/main",), ("switch k/main",), answers_with_now=True)],
    "tag": [
        Retried("tag k opening", ("tag k middle", "tag k@0 opening"), answers_with_now=True),
        Retried("tag k -d opening", ("tag k -d end",), ("tag k opening",), answers_with_now=True),
    ],
    "seat": [Retried(f"seat k zulu {KEY}", (f"seat k kilwa {KEY}",), answers_with_now=True)],
    "archive": [Retried("archive k", ("delete k",)), Retried("archive k --back", ("archive k",), ("archive k",))],
    "delete": [
        Retried("delete k --yes", ("archive k",)),
        Retried("delete k --back", ("delete k --yes",), ("delete k --yes",)),
    ],
}
"""Per command with `--id`, with the words that a user leaves out. `vote` has a test with a clock of its own."""
STORE_LINES = ("new k seed=7", "do k 'take 1' 'take 2'", "fork k@1 other", "do k 'take 1'", "switch k/main")
CHANGES = {
    "nothing": (),
    "another line": ("switch k/other",),
    "a new line": ("fork k@0 idea", "do k 'take 3'"),
    "the first line": ("switch k/main",),
    "a move": ("do k 'take 3'",),
    "an undone move": ("undo k",),
    "another game": ("new other seed=3", "do other 'take 1'"),
    "a renamed line": ("rename k/main first", "fork k@0 main"),
}
"""What may change what the words of a retry leave out."""


def run_in_shell(zim: Zim, line: str) -> tuple[int, Any]:
    """Runs a line in the shell; returns its exit code, and its document or its error."""
    result = zim(*shlex.split(line), "--json")
    return result.exit_code, json.loads(result.stdout) if result.exit_code == 0 else result.stderr


def run_in_pipe(zim: Zim, line: str) -> tuple[int, Any]:
    """Runs a line as a request of `zim pipe`."""
    reply = json.loads(zim("pipe", "--allow", "key", stdin=json.dumps(pipe_request(shlex.split(line)))).stdout)
    return reply["code"], reply.get("error") or reply["answer"]


def pipe_request(words: list[str]) -> dict[str, Any]:
    """A line of the shell as a request."""
    entry = ENTRIES_BY_NAME[words[0]]
    context = entry.load_command().make_context(words[0], words[1:], resilient_parsing=True)
    keys = {name: each.name or "" for name, each in parameters(entry).items()}
    is_typed = {key: context.get_parameter_source(key) == ParameterSource.COMMANDLINE for key in keys.values()}
    values = {name: context.params[key] or True for name, key in keys.items() if is_typed[key]}
    seat = {"as": words[words.index("--as") + 1]} if "--as" in words else {}
    return {words[0]: values, **seat}


def comparable(answer: Any) -> Any:
    """What a retry must answer as the first time: not the name of a line, which may be renamed."""
    if "requests" in answer:
        return [(each["number"], each["status"], each["accepted"]) for each in answer["requests"]]
    return answer["position"]["digest"] if "position" in answer else answer


def test_each_command_with_an_id_has_a_retry_here() -> None:
    commands = {entry.name for entry in ENTRIES if any("--id" in each.opts for each in entry.load_command().params)}
    assert {*RETRIED_COMMANDS, "vote"} == commands


@pytest.mark.parametrize("run_line", [run_in_shell, run_in_pipe])
@pytest.mark.parametrize(
    "retried", [each for commands in RETRIED_COMMANDS.values() for each in commands], ids=lambda each: each.words
)
def test_a_retry_is_the_same_request_whatever_its_words_mean_now(
    retried: Retried, run_line: Callable[[Zim, str], tuple[int, Any]]
) -> None:
    """The current line, the head and the names may have changed: the id and the words say what was meant."""
    faults = list[tuple[object, ...]]()
    for change, change_lines in CHANGES.items():
        with EventStore.open("memory:", salt_maker()) as store:
            zim = make_zim(open_reproducible_service(store))
            for line in (*STORE_LINES, *retried.before):
                code, answer = run_in_shell(zim, line)
                assert code == 0, (line, answer)
            code, first_answer = run_line(zim, f"{retried.words} --id c1")
            assert code == 0, first_answer
            for line in change_lines:
                run_in_shell(zim, line)  # may be refused, as after `delete`
            rows_before = [*store.rows()]

            code, retry_answer = run_line(zim, f"{retried.words} --id c1")

            if code or not (retried.answers_with_now or comparable(retry_answer) == comparable(first_answer)):
                faults.append((change, code, retry_answer, first_answer))
            for other_words in retried.others:
                code, error = run_line(zim, f"{other_words} --id c1")
                if code != 3 or "has done something" not in str(error):
                    faults.append((change, other_words, error))
            if [*store.rows()] != rows_before:
                faults.append((change, "something was stored"))
    assert not faults
