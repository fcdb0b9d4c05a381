"""`zim pipe`: each line is a request, and gets a line of reply, valid or not."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim, open_reproducible_service
from tests.cli.test_answers import GAME_LINES, QUESTIONS
from zimcli.commands.pipe import MAX_LINE_BYTES
from zimcli.session.pipe_requests import function_arguments, parameters, parse_request
from zimcli.shell.registry import ENTRIES, ENTRIES_BY_NAME, CommandEntry

Pipe = Callable[..., list[Any]]


@pytest.fixture
def pipe(zim: Zim) -> Pipe:
    """A function that sends requests, or raw lines, and returns their replies."""

    def send_requests(*requests: dict[str, Any] | str) -> list[Any]:
        request_lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
        result = zim("pipe", stdin="\n".join(request_lines) + "\n")
        assert (result.exit_code, result.stderr) == (0, "")
        replies = [json.loads(line) for line in result.stdout.splitlines()]
        assert len(replies) == len(request_lines)
        return replies

    return send_requests


def test_replies_come_in_order_each_with_its_id_and_go_on_after_errors(pipe: Pipe) -> None:
    replies = pipe(
        {"id": 1, "new": "k"},
        {"id": "two", "do": ["take 9"], "place": "k"},
        {"do": "take 2", "place": "k"},
        {"id": {"any": [1, None]}, "show": "k"},
        {"id": 1, "frobnicate": True},
    )
    assert [(reply["id"], reply["code"]) for reply in replies] == [
        (1, 0),
        ("two", 1),
        (None, 0),
        ({"any": [1, None]}, 0),
        (1, 2),
    ]
    assert replies[1]["error"]["why"][0]["code"] == "R-HER-01"
    assert replies[3]["answer"]["position"]["number"] == 1


@pytest.mark.parametrize("question_name", QUESTIONS)
def test_the_answer_is_the_document_of_the_shell(
    zim: Zim, run_script: Callable[..., Result], pipe: Pipe, question_name: str
) -> None:
    assert run_script(*GAME_LINES).exit_code == 0
    command, *words = QUESTIONS[question_name]
    (reply,) = pipe(request_of(command, words))
    assert set(reply) <= {"id", "code", "answer", "error"}
    assert reply["code"] == ("is refused" in question_name)
    if command not in ("do", "undo", "redo", "goto", "fork", "switch", "new", "try", "preview", "explain"):
        document = json.loads(zim(command, *words, "--json").stdout)
        assert reply["answer"] == document


def request_of(command: str, words: list[str]) -> dict[str, Any]:
    """A request with the meaning of the words of a command in the shell."""
    request: dict[str, Any] = {"id": command, command: []}
    entry = ENTRIES_BY_NAME[command]
    remaining_words = iter(words[1:] if entry.takes_a_place else words)
    if entry.takes_a_place:
        request["place"] = words[0]
    options = parameters(entry)
    for word in remaining_words:
        option_name = word.removeprefix("--")
        if option_name == word:
            request[command].append(word)
        elif isinstance(option := options.get(option_name), click.Option) and option.is_flag:
            request[option_name] = True
        else:
            request[option_name] = [*request.get(option_name, []), next(remaining_words)]
    return request


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_option_of_every_command_is_a_key_of_requests(entry: CommandEntry) -> None:
    if entry.name == "pipe":
        return
    help_text = entry.load_command().get_help(entry.load_command().make_context(entry.name, [], resilient_parsing=True))
    for option_name in parameters(entry):
        assert option_name in help_text.lower() or option_name in {
            parameter.name for parameter in entry.load_command().params
        }
    assert parse_request({entry.name: {}}).entry == entry


@pytest.mark.parametrize(
    ("request_document", "arguments"),
    [
        ({"log": {"place": "k", "all": True, "where": "zulu.vp > 3"}}, ["--all", "--where=zulu.vp > 3", "--", "k"]),
        ({"log": "k", "all": False, "where": None}, ["--", "k"]),
        ({"log": [], "place": "k", "events": True}, ["--events", "--", "k"]),
        ({"undo": 2, "place": "k"}, ["--", "k", "2"]),
        ({"undo": {"place": "k", "op": True}}, ["--op", "--", "k"]),
        ({"undo": {"place": "k", "op": "ab12"}}, ["--op=ab12", "--", "k"]),
        ({"do": ["-1", "--json"], "place": "k"}, ["--", "k", "-1", "--json"]),
        ({"new": "k", "players": 4, "game": "herd"}, ["--game=herd", "--", "k", "--players", "4"]),
        ({"board": "k", "reach": "d4"}, ["--", "k", "--reach", "d4"]),
        ({"board": "k", "legal": ["craft", "potter"]}, ["--", "k", "--legal", "craft", "potter"]),
        ({"compare": "other", "place": "k"}, ["--", "k", "other"]),
        ({"expect": ["zulu.vp", "==", 7], "place": "k"}, ["--", "k", "zulu.vp", "==", "7"]),
        ({"games": None}, ["--"]),
        ({"pick": "main@3", "place": "k", "dry-run": True}, ["--dry-run", "--", "k", "main@3"]),
    ],
)
def test_a_request_has_the_meaning_of_its_words_in_the_shell(
    request_document: dict[str, Any], arguments: list[str]
) -> None:
    parsed_request = parse_request(request_document)
    command, command_name = parsed_request.entry.load_command(), parsed_request.entry.name
    expected = command.make_context(command_name, arguments).params
    assert (
        function_arguments(
            parsed_request.entry, parsed_request.parameter_values, click.Context(command, info_name=command_name)
        )
        == expected
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[",
        "[1]",
        "7",
        "{}",
        '{"id": 1}',
        '{"id": 1, "log": "k", "show": "k"}',
        '{"id": 1, "log": "k", "wher": "x"}',
        '{"id": 1, "log": {"place": "k"}, "place": "k"}',
        '{"id": 1, "log": "k", "all": "yes"}',
        '{"id": 1, "log": "k", "where": true}',
        '{"id": 1, "log": {"place": {"game": "k"}}}',
        '{"id": 1, "games": "k"}',
        '{"id": 1, "log": "k", "as": true}',
        '{"id": 1, "pipe": true}',
        '{"id": 1, "run": "-"}',
        '{"id": 1, "import": "-"}',
        '{"id": 1, "export": {"jsonl": true}}',
        '{"id": 1, "log": ""}',
        '{"id": 1, "do": ["take 1", " "], "place": "k"}',
        '{"id": 1, "verify": "a\\u0000b"}',
    ],
)
def test_an_invalid_request_is_answered_with_an_error(pipe: Pipe, line: str) -> None:
    pipe({"new": "k"})
    reply, next_reply = pipe(line, {"id": 2, "show": "k"})
    assert reply["id"] == (1 if '"id"' in line else None)
    assert (reply["code"], reply["error"]["code"], next_reply["code"]) == (2, 2, 0)
    assert "answer" not in reply


def test_a_line_that_is_too_long_is_skipped(pipe: Pipe) -> None:
    long_reply, next_reply = pipe('{"id": 1, "log": "' + "k" * (2 * MAX_LINE_BYTES) + '"}', {"id": 2, "games": True})
    assert (long_reply["id"], long_reply["code"], next_reply["code"]) == (None, 2, 0)


def test_bytes_that_are_no_text_are_answered_with_an_error(zim: Zim, tmp_path: Path) -> None:
    lines = b'{"id": 1, "games": true}\n{"id": 2, "log": "\xff"}\n\xff\xfe\n{"id": 3, "games": true}'
    pipe_command = [sys.executable, "-m", "zimcli", "--store", "memory:", "pipe"]
    process = subprocess.run(pipe_command, input=lines, capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (0, b"")
    assert [(reply["id"], reply["code"]) for reply in map(json.loads, process.stdout.splitlines())] == [
        (1, 0),
        (2, 2),
        (None, 2),
        (3, 0),
    ]


@given(st.binary(max_size=60))
def test_each_line_of_bytes_gets_a_line_of_reply(content: bytes) -> None:
    with EventStore.open("memory:") as store:
        lines = content.replace(b"\n", b"") + b'\n{"id": 7, "games": true}\n'
        result = make_zim(open_reproducible_service(store))("pipe", stdin=lines)
    first_reply, second_reply = result.stdout_bytes.splitlines()
    assert json.loads(first_reply)["code"] == 2
    assert json.loads(second_reply)["id"] == 7


def test_nothing_is_carried_from_one_request_to_the_next(pipe: Pipe) -> None:
    replies = pipe(
        {"new": "k"},
        {"new": "l"},
        {"log": {}},
        {"play": "k"},
        {"log": {}},
        {"log": "k", "as": "kilwa", "by": "ben"},
        {"do": "take 1", "place": "k", "as": "zulu"},
        {"do": "take 1", "place": "k", "by": "ben"},
        {"do": "take 1", "place": "k"},
    )
    assert [reply["code"] for reply in replies] == [0, 0, 2, 0, 2, 0, 1, 0, 0]
    assert [replies[index]["answer"]["played"][0]["by"] for index in (7, 8)] == ["ben", "anna"]


def test_the_only_game_need_not_be_named(pipe: Pipe) -> None:
    assert [reply["code"] for reply in pipe({"new": "k"}, {"do": "take 1"}, {"legal": "take"}, {"undo": 1})] == [0] * 4


def test_moves_up_to_one_that_is_refused_are_answered_beside_the_error(pipe: Pipe) -> None:
    reply = pipe({"new": "k"}, {"do": ["take 1", "take 9", "take 2"]})[1]
    assert (reply["code"], [move["text"] for move in reply["answer"]["played"]]) == (1, ["take 1"])
    assert reply["error"]["kind"] == "refused"


def test_commands_that_run_others_answer_with_all_their_documents(pipe: Pipe, tmp_path: Path) -> None:
    (tmp_path / "game.zim").write_text("new k\ntake 1\ntake 9\ntake 2\n")
    (reply,) = pipe({"run": str(tmp_path / "game.zim")})
    assert [next(iter(document)) for document in reply["answers"]] == ["position", "played"]
    assert (reply["code"], reply["error"]["where"]) == (1, [f"{tmp_path}/game.zim:3: take 9"])


def test_a_reply_comes_before_the_next_request(tmp_path: Path) -> None:
    pipe_command = [sys.executable, "-m", "zimcli", "--store", "memory:", "pipe"]
    with subprocess.Popen(pipe_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as pipe_process:
        assert pipe_process.stdin
        assert pipe_process.stdout
        for number in range(3):
            print(json.dumps({"id": number, "games": True}), file=pipe_process.stdin, flush=True)
            assert json.loads(pipe_process.stdout.readline())["id"] == number
        pipe_process.stdin.close()
        assert pipe_process.wait() == 0


def test_a_game_is_played_at_random_by_drawing_what_is_legal(pipe: Pipe) -> None:
    replies = pipe({"new": "k"}, *({"legal": {"sample": seed}} for seed in range(20)))[1:]
    drawn_commands = [command for reply in replies for command in reply["answer"]["legal"]]
    assert len(drawn_commands) == 20
    assert 1 < len(set(drawn_commands)) < 20
    assert {reply["code"] for reply in pipe(*({"try": command} for command in drawn_commands))} == {0}


def test_do_with_a_sample_draws_a_legal_next_move(pipe: Pipe) -> None:
    replies = pipe({"new": "k"}, *({"do": "take 1", "sample": seed} for seed in (1, 2)), {"do": "take 1"})
    commands = [reply["answer"].get("drawn") for reply in replies[1:]]
    assert pipe(*({"try": command} for command in commands[:2]))
    assert commands[2] is None
    (legal_reply,) = pipe({"legal": {"place": "k@2", "sample": 2}})
    assert legal_reply["answer"]["legal"] == [commands[1]]


def test_a_pipe_goes_on_after_a_bug(pipe: Pipe) -> None:
    replies = pipe({"new": "k"}, {"id": 1, "do": "boom"}, {"id": 2, "games": True})
    assert [(reply["code"], reply.get("error", {}).get("kind")) for reply in replies[1:]] == [(255, "bug"), (0, None)]


def test_an_empty_text_leaves_a_move_out_and_is_an_error_where_nothing_comes_after_it(pipe: Pipe) -> None:
    play_request = {"do": ["take 1", "take 2", "take 1"], "place": "k"}
    *_, first_reply, last_move_reply, do_reply = pipe(
        {"new": "k"},
        play_request,
        {"amend": "", "place": "k/main@1", "skip": True},
        {"amend": "", "place": "k/main@3"},
        {"do": "", "place": "k/main"},
    )
    assert (first_reply["code"], first_reply["answer"]["position"]["line"]) == (0, "amend-1")
    assert last_move_reply["error"]["what"] == "no move is left after k/main@3"
    assert last_move_reply["error"]["hints"] == ["zim undo k/main"]
    assert do_reply["error"]["why"][0]["text"] == "an empty text says nothing", "only a move can be left out"


def test_by_is_who_asks_next_to_a_command_and_a_figure_inside_it(pipe: Pipe) -> None:
    [_, tried, played] = pipe(
        {"new": "k"},
        {"by": "ben", "try": {"place": "k", "commands": ["take"], "each": True, "by": ["herd"]}},
        {"by": "ben", "do": {"place": "k", "commands": ["take 1"]}},
    )
    assert tried["answer"]["by"] == ["herd"], tried
    assert played["answer"]["played"][0]["by"] == "ben"
    [refused] = pipe({"try": {"place": "k", "command": "take 1"}})
    assert refused["error"]["why"][0]["text"].split(", ").count("by") == 1


def test_moves_that_are_not_yours_are_listed_with_a_note(pipe: Pipe) -> None:
    begun, listed = pipe({"new": "k"}, {"legal": {"place": "k"}})
    assert "notes" not in listed
    position = begun["answer"]["position"]
    waiting_seat = next(seat for seat in position["scores"] if seat != position["actor"])
    (listed,) = pipe({"legal": {"place": "k"}, "as": waiting_seat})
    assert listed["notes"] == [f"{position['actor'].title()} to move: these are not yours to play"]
