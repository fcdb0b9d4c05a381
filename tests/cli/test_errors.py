"""Errors: the message on stderr, nothing on stdout, and an exit code for each kind of error."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from event_store import EventStore
from tests.cli.conftest import TEST_GAMES, Zim, make_zim
from tests.service.nim_service import NIM_ONLY
from zimcli.main import cli
from zimcli.shell.exit_codes import READER_GONE
from zimcore.documents.play import RunAnswer
from zimcore.documents.problems import ErrorDocument
from zimcore.service import GameService, Trial

FAILING_COMMANDS = {
    "refused": (1, ["do", "k", "kilwa: take 7"]),
    "refused to try": (1, ["try", "k", "take 1", "take 7"]),
    "not so": (1, ["expect", "k", "zulu.vp", "==", "7"]),
    "notation": (2, ["do", "k", "frobnicate"]),
    "ambiguous": (2, ["do", "k", "t"]),
    "option": (2, ["new", "other", "cows=5"]),
    "expression": (2, ["expect", "k", "zulu.cows == 7"]),
    "unknown game": (2, ["log", "nope"]),
    "a game written otherwise": (2, ["log", "K"]),
    "neither a line nor a game": (2, ["compare", "k", "mian"]),
    "too much to undo": (2, ["undo", "k", "9"]),
    "a seed too large": (2, ["new", "other", "seed=18446744073709551616"]),
    "more than there can be": (2, ["legal", "k", "--most", "99999999999999999999"]),
    "a name like an option": (2, ["new", "--", "-x"]),
    "a command written otherwise": (2, ["lgo", "k"]),
    "unknown position": (2, ["log", "k@99"]),
    "taken name": (2, ["new", "k"]),
    "two names": (2, ["new", "a", "b"]),
    "playing at a position": (2, ["play", "k@0"]),
    "an option twice": (2, ["new", "a", "herd=5", "herd=6"]),
    "unknown question": (2, ["reach", "k", "a1"]),
    "unknown rule": (2, ["rules", "R-XYZ"]),
    "unknown command": (2, ["frobnicate"]),
    "unknown option": (2, ["log", "k", "--frobnicate"]),
    "missing argument": (2, ["do", "k"]),
    "missing argument after a place": (2, ["fork", "k"]),
    "missing file": (2, ["import"]),
    "no help": (2, ["help", "frobnicate"]),
    "bug": (255, ["do", "k", "boom"]),
}


@pytest.mark.parametrize("command_name", FAILING_COMMANDS)
def test_error_message_and_exit_code(zim: Zim, snapshot: SnapshotAssertion, command_name: str) -> None:
    exit_code, words = FAILING_COMMANDS[command_name]
    zim("new", "k")
    zim("do", "k", "take 2")
    result = zim(*words)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert result.stderr == snapshot


def test_a_game_with_the_name_of_a_command_is_proposed_as_a_game(zim: Zim) -> None:
    zim("new", "demo")
    assert "try: zim undo demo\n" in zim("undo", "friday").stderr
    zim("delete", "demo", "--yes")
    assert "try: zim new\n" in zim("undo", "friday").stderr


def test_a_word_in_place_of_a_number_is_an_error(zim: Zim) -> None:
    zim("new", "k")
    assert "'fridy' is not a whole number" in zim("undo", "k", "fridy").stderr


def test_an_error_with_json_is_a_document(zim: Zim) -> None:
    zim("new", "k")
    result = zim("do", "k", "zulu: take 7", "--json")
    assert result.stdout == ""
    assert json.loads(result.stderr)["error"] == {
        "kind": "refused",
        "what": "zulu: take 7",
        "code": 1,
        "why": [
            {"text": "it is kilwa's turn, not zulu's", "code": "R-TUR-01"},
            {"text": "1 to 3 of the 9 cattle, not 7", "code": "R-HER-01"},
        ],
        "hints": ["zim legal k take"],
        "where": [],
        "command": "do",
        "place": "k",
    }


@pytest.mark.parametrize("command_name", [name for name in FAILING_COMMANDS if name != "bug"])
@pytest.mark.parametrize("option_position", ["before", "after"])
def test_every_error_is_a_document_where_documents_are_wanted(
    zim: Zim, command_name: str, option_position: str
) -> None:
    exit_code, words = FAILING_COMMANDS[command_name]
    zim("new", "k")
    zim("do", "k", "take 2")
    if "--" in words:
        words = words[:-2]
    result = zim("--json", *words) if option_position == "before" else zim(*words, "--json")
    for line in result.stderr.splitlines():
        assert msgspec.json.decode(line, type=ErrorDocument).error.code == result.exit_code
    assert result.exit_code == exit_code or command_name == "a name like an option"


EMPTY_TEXT_COMMANDS = (
    *(["do", "k", ""], ["do", "k", "take 1", " "], ["try", "k", ""], ["preview", "k", ""], ["legal", "k", ""]),
    *(["explain", "k", ""], ["expect", "k", ""], ["log", ""], ["log", "k", "--where", ""], ["log", "k", "--where="]),
    *(["new", ""], ["fork", "k", ""], ["help", ""], ["run", ""], ["--store", "", "games"], ["--by", "", "games"]),
)


@pytest.mark.parametrize("words", EMPTY_TEXT_COMMANDS, ids=" ".join)
def test_an_empty_text_is_an_error(zim: Zim, words: list[str]) -> None:
    zim("new", "k")
    result = zim(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "an empty text says nothing" in result.stderr


@pytest.mark.parametrize("line", ["do ''", "log ''", "new ''", "log --where ''"])
def test_an_empty_text_in_a_script_is_an_error(zim: Zim, line: str) -> None:
    result = zim("run", "-", stdin=f"new k\n{line}\n")
    assert result.exit_code == 2
    assert "an empty text says nothing" in result.stderr


INVALID_BYTES = b"k\xff"


@pytest.mark.parametrize(
    "words",
    [
        ["do", "k", INVALID_BYTES],
        ["log", INVALID_BYTES],
        [INVALID_BYTES],
        ["--by", INVALID_BYTES, "games"],
        ["--store", INVALID_BYTES, "games"],
        ["verify", INVALID_BYTES],
    ],
    ids=str,
)
@pytest.mark.parametrize("as_json", [True, False])
def test_bytes_that_are_no_text_are_an_error(words: list[str | bytes], as_json: bool, tmp_path: Path) -> None:
    result = run_in_folder(*words, *["--json"] * as_json, folder=tmp_path)
    assert (result.returncode, result.stdout) == (2, b"")
    assert (b"k\\\\xff" if as_json else b"k\\xff") in result.stderr
    if as_json:
        assert msgspec.json.decode(result.stderr, type=ErrorDocument).error.code == 2


@pytest.mark.parametrize("name", ["ZIM_BY", "ZIM_STORE"])
def test_bytes_that_are_no_text_in_the_environment_are_an_error(name: str, tmp_path: Path) -> None:
    assert run_in_folder("new", "k", "--json", folder=tmp_path, **{name: "k\udcff"}).returncode == 2


def test_a_file_name_may_have_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "k\udcff").write_bytes(b"k\xff\n")
    for options in ([], ["--json"]):
        result = run_in_folder("run", INVALID_BYTES, *options, folder=tmp_path)
        assert result.returncode == 2
        assert b"k\\xff:1" in result.stderr.replace(b"\\\\", b"\\")


def run_in_folder(*words: str | bytes, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Runs zim with a store of its own."""
    environment = os.environ | {"ZIM_STORE": f"sqlite:///{folder}/games.db", "ZIM_BY": "anna"} | variables
    command = [sys.executable, "-m", "zimcli", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)


def test_moves_before_a_refused_one_stay_played(zim: Zim) -> None:
    zim("new", "k")
    result = zim("do", "k", "take 2", "take 9", "take 1")
    assert result.exit_code == 1
    assert "take 2" in result.stdout
    assert zim("log", "k").stdout.count("take") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["do", "k", "build a1", "zulu: build a2", "take 7"], {"number": 4, "kind": "refused"}),
        (["bisect", "k", "round > 9"], {"at_end": False, "kind": "never"}),
        (["expect", "k", "zulu.vp > 9"], {"holds": False, "kind": "not so"}),
        (["amend", "k@1", "take 3"], {"stored": False, "kind": "conflict"}),
        (["preview", "k", "zulu:", "build", "a3"], {"preview": [], "kind": "refused"}),
    ],
    ids=lambda parameter: parameter[0] if isinstance(parameter, list) else "",
)
def test_an_answer_that_is_a_failure_too_is_shown_first(
    zim: Zim, words: list[str], expected: dict[str, object]
) -> None:
    zim("run", "-", stdin="new k herd=5\ntake 1\ntake 3")
    result = zim(*words, "--json")
    document, error = json.loads(result.stdout), json.loads(result.stderr)["error"]
    assert (result.exit_code, expected.pop("kind")) == (error["code"], error["kind"])
    assert expected.items() <= {**document, **document.get("position", {})}.items()


def test_try_and_explain_report_hidden_cards(zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    zim("new", "k")
    monkeypatch.setattr(GameService, "try_", lambda *_: Trial((), hidden="nobody has seen that card"))
    for command, words in (("try", "take 1"), ("explain", "kilwa: take 1")):
        result = zim(command, "k", "take 1")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"hidden: {words}\n  nobody has seen that card\n")


def test_a_script_stops_at_its_first_error(run_script: Callable[..., Result], zim: Zim) -> None:
    result = run_script("new k", "take 2", "", "take 9  # too many", "take 1")
    assert result.exit_code == 1
    assert result.stderr.endswith("  at <stdin>:4: take 9  # too many\n")
    assert zim("log", "k").stdout.count("take") == 1


def test_a_script_that_goes_on_after_errors_leaves_with_the_worst(zim: Zim, tmp_path: Path) -> None:
    script_file = tmp_path / "game.zim"
    script_file.write_text("new k\ntake 9\n\n# a comment\ntake 2\nlog nope\nexpect zulu.vp == 7\nshow\n")
    result = zim("run", str(script_file), "--keep-going")
    assert result.exit_code == 2
    assert result.stdout.count("take 2") == 2
    errors, _, summary = result.stderr.partition("failed: ")
    assert errors.count("\n  at ") == 3
    assert summary.splitlines() == [
        "3 of 6 lines failed",
        "  2: take 9: kilwa: take 9",
        "  6: log nope: there is no game and no line of k called 'nope'",
        "  7: expect zulu.vp == 7: zulu.vp == 7",
    ]
    script_file.write_text(script_file.read_text().replace("new k", "new l"))
    json_result = zim("run", str(script_file), "--keep-going", "--json")
    run_answer = msgspec.json.decode(json_result.stdout.splitlines()[-1], type=RunAnswer)
    assert (run_answer.lines, [(failure.number, failure.code) for failure in run_answer.failed]) == (
        6,
        [(2, 1), (6, 2), (7, 1)],
    )
    assert [json.loads(line)["error"]["code"] for line in json_result.stderr.splitlines()] == [1, 2, 1, 2]


def test_a_script_without_errors_says_so(zim: Zim, tmp_path: Path) -> None:
    result = zim("run", "-", "--keep-going", stdin="new k\ntake 1\nquit\nnonsense\n")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "3 lines run without an error")


def test_scripts_that_run_each_other_end(tmp_path: Path, zim: Zim) -> None:
    looping_script = tmp_path / "loop.zim"
    looping_script.write_text(f"run {looping_script}\n")
    assert zim("run", str(looping_script)).exit_code == 2


def test_a_conflict_exits_with_3(service: GameService, zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    zim("new", "k")
    original_play = service.play

    def play_after_ben(place: str, text: str, **options: object) -> object:
        original_play(place, "take 1", by="ben")
        return original_play(place, text, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(service, "play", play_after_ben)
    result = zim("run", "-", stdin="play k\ntake 2\n")
    assert result.exit_code == 3
    assert result.stderr.startswith("conflict: ")


def test_a_file_that_is_no_store_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    file.write_text("this is no database, and never was one\n" * 100)
    result = CliRunner().invoke(cli, ["--store", f"sqlite:///{file}", "games"])
    assert result.exit_code == 4
    assert result.stderr.startswith("store: ")


READING_COMMANDS = (
    *(
        ["games"],
        ["verify", "--all"],
        ["export", "--jsonl"],
        ["log", "k"],
        ["do", "k", "take 1"],
        ["log"],
        ["play", "k"],
    ),
    *(["backup", "copy.db"], ["db", "check"], ["sign", "k.cert"], ["run", "games.zim"]),
)


@pytest.mark.parametrize("words", READING_COMMANDS, ids=" ".join)
def test_a_missing_store_is_an_error_and_not_created(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "games.zim").write_text("games\n")
    result = run_in_folder(*words, folder=tmp_path)
    assert (result.returncode, result.stdout) == (4, b"")
    assert (b"k.cert" if words[0] == "sign" else b"store: there is no store sqlite:///") in result.stderr
    assert not (tmp_path / "games.db").exists()


@pytest.mark.parametrize("lines", ["new k\ngames", "db init\ngames\nnew k", "games\nnew k\ngames", "import x\nnew k"])
def test_new_and_import_create_a_store(tmp_path: Path, lines: str) -> None:
    (tmp_path / "lines.zim").write_text(lines)
    assert run_in_folder("run", "--keep-going", "lines.zim", folder=tmp_path).stdout.count(b"k") > 0
    assert run_in_folder("verify", "--all", folder=tmp_path).returncode == 0


def test_verifying_an_empty_store_fails(tmp_path: Path) -> None:
    assert run_in_folder("db", "init", folder=tmp_path).returncode == 0
    result = run_in_folder("verify", "--all", folder=tmp_path)
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr.startswith(b"empty: there is nothing to verify in sqlite:///")
    assert run_in_folder("verify", "--all", "--empty-ok", folder=tmp_path).returncode == 0


def test_explain_exits_with_1_for_an_illegal_move(zim: Zim) -> None:
    zim("new", "k")
    result = zim("explain", "k", "take 7")
    assert (result.exit_code, result.stderr) == (1, "refused: kilwa: take 7\n  try: zim legal k take\n")
    assert result.stdout.startswith("not legal: kilwa: take 7\n  R-HER-01")


def test_an_error_says_which_of_several_commands_failed(zim: Zim) -> None:
    zim("new", "k")
    assert zim("do", "k", "take 1", "take 9").stderr.endswith("  at command 2 of 2: take 9\n")


def test_the_hint_after_a_conflict_can_be_typed(zim: Zim) -> None:
    zim("run", "-", stdin="new k herd=5\ntake 1\ntake 3")
    hint = zim("amend", "k@1", "take 3").stderr.splitlines()[-1].partition("try: ")[2].split(" · ")[0]
    assert hint == "zim amend k@1 'take 3' --skip"


def test_a_bug_shows_its_traceback_with_zim_debug(zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    zim("new", "k")
    monkeypatch.setenv("ZIM_DEBUG", "1")
    assert "Traceback" in zim("do", "k", "boom").stderr


@pytest.mark.parametrize("options", [["--color=always"], ["--color=never"], ["--json"]])
def test_a_reader_that_leaves_is_no_error(options: list[str]) -> None:
    script = "new k herd=99\n" + "take 1\n" * 90 + "log\n" * 50
    read_end, write_end = os.pipe()
    os.close(read_end)
    words = [sys.executable, "-m", "tests.cli.terminal", "memory:", *options, "run", "-"]
    process = subprocess.run(words, input=script, stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert (process.stderr, process.returncode) == ("", READER_GONE)


def test_a_script_may_begin_with_a_byte_order_mark(tmp_path: Path, zim: Zim) -> None:
    file = tmp_path / "game.zim"
    file.write_bytes(b"\xef\xbb\xbfnew k\ntake 2\n")
    assert zim("run", str(file)).exit_code == 0


def test_a_script_that_is_no_text_is_an_error(tmp_path: Path, zim: Zim) -> None:
    file = tmp_path / "game.zim"
    file.write_bytes(b"new k\n\xff\xfe\n")
    assert zim("run", str(file)).exit_code == 2


def test_help_and_rules_need_no_store() -> None:
    for words in (["new", "--help"], ["rules"], ["help"]):
        assert CliRunner().invoke(cli, ["--store", "nonsense:", *words]).exit_code == 0


@pytest.mark.parametrize("closed_stream", ["stdin", "stdout", "stderr"])
def test_a_closed_stream_is_no_error(closed_stream: str) -> None:
    descriptor = ("stdin", "stdout", "stderr").index(closed_stream)
    words = [sys.executable, "-m", "zimcli", "--store", "memory:", "games"]
    process = subprocess.run(
        ["sh", "-c", f'exec "$@" {descriptor}>&-', "sh", *words], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (
        0,
        "" if closed_stream == "stderr" else "no games yet; try: zim new\n",
    )


def test_moves_of_different_games_are_neither_compared_nor_picked() -> None:
    with EventStore.open("memory:") as store:
        service = GameService(store, games=TEST_GAMES | NIM_ONLY)
        zim = make_zim(service)
        service.new("herd", {}, name="h", by="ann")
        service.new("nim", {}, name="n", by="ann")
        service.play("n", "take 1", by="ann")
        for words in (["compare", "h", "n"], ["compare", "n", "h"]):
            result = zim(*words)
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr.startswith(f"error: {words[1]} and {words[2]}\n  one plays ")
        assert "you can only pick moves of the same game" in zim("pick", "h", "n/main@1").stderr
