"""The output of commands: plain text without a terminal, and documents."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Zim
from tests.cli.documents import format_compactly, render_answer

GAME_LINES = (
    "new k herd=9",
    "take 2",
    "zulu: take 1",
    "build a1",
    "take 3",
    "undo",
    "fork @2 what-if",
    "take 1",
    "switch main",
)
QUESTIONS = {
    "new": ["new", "other", "herd=5"],
    "games": ["games"],
    "lines": ["lines", "k"],
    "log": ["log", "k"],
    "log of a position": ["log", "k@r2"],
    "log with facts": ["log", "k", "--events"],
    "log with what was undone": ["log", "k", "--all"],
    "log of all lines": ["log", "k", "--graph"],
    "events": ["events", "k@1"],
    "show": ["show", "k@2"],
    "board": ["board", "k"],
    "board of a row": ["board", "k", "--row", "a1"],
    "board of what is legal": ["board", "k", "--legal", "build"],
    "legal": ["legal", "k"],
    "legal of a kind": ["legal", "k", "take"],
    "legal counted": ["legal", "k", "build", "--count"],
    "plan": ["plan", "k"],
    "preview": ["preview", "k", "take 2"],
    "stats": ["stats", "k"],
    "explain": ["explain", "k", "take 2"],
    "explain what is refused": ["explain", "k", "take 7"],
    "do": ["do", "k", "take 1", "kilwa: build c3"],
    "try": ["try", "k", "take 1", "build c3"],
    "try each": ["try", "k", "--each"],
    "try each of a kind": ["try", "k", "take", "--each", "--by", "herd", "--by", "kilwa.cattle + 1", "--most", "2"],
    "undo": ["undo", "k", "2"],
    "redo": ["redo", "k"],
    "goto": ["goto", "k@r2"],
    "fork": ["fork", "k@1", "early"],
    "switch": ["switch", "k/what-if"],
    "compare": ["compare", "k/main", "what-if"],
    "verify": ["verify", "k"],
    "expect": ["expect", "k", "kilwa.vp == 1"],
    "rules": ["rules"],
    "rules by code": ["rules", "r-her-01"],
}
SNAPSHOT_DOCUMENTS = (
    *("new", "games", "lines", "log with what was undone", "events", "show", "board of what is legal", "legal", "plan"),
    *("preview", "stats", "explain", "explain what is refused", "do", "try", "try each", "compare", "verify", "expect"),
    "rules",
)
"""One answer of each kind, or with a form of its own. Snapshots of the text cover the others."""


@pytest.fixture
def zim_with_game(zim: Zim, run_script: Callable[..., Result]) -> Zim:
    assert run_script(*GAME_LINES).exit_code == 0
    return zim


@pytest.mark.parametrize("question_name", QUESTIONS)
def test_text_of_an_answer(zim_with_game: Zim, snapshot: SnapshotAssertion, question_name: str) -> None:
    result = zim_with_game(*QUESTIONS[question_name])
    assert (result.exit_code, result.stderr[:8]) == ((1, "refused:") if "is refused" in question_name else (0, ""))
    assert not any(line.endswith(" ") for line in result.stdout.splitlines())
    assert result.stdout == snapshot


@pytest.mark.parametrize("question_name", QUESTIONS)
def test_document_of_an_answer(
    zim_with_game: Zim, other_zim: Zim, snapshot: SnapshotAssertion, question_name: str
) -> None:
    result = zim_with_game(*QUESTIONS[question_name], "--json")
    assert (result.exit_code, result.stderr[:8]) == ((1, '{"error"') if "is refused" in question_name else (0, ""))
    assert len(result.stdout.splitlines()) == 1
    assert other_zim("run", "-", stdin="\n".join(GAME_LINES)).exit_code == 0
    assert render_answer(result.stdout, QUESTIONS[question_name][0]) == other_zim(*QUESTIONS[question_name]).stdout
    if question_name in SNAPSHOT_DOCUMENTS:
        assert format_compactly(result.stdout) == snapshot


def test_output_of_a_script(run_script: Callable[..., Result], snapshot: SnapshotAssertion) -> None:
    result = run_script(*GAME_LINES, "show", "log --all", "compare what-if")
    assert result.stdout == snapshot


def test_a_script_with_json_prints_a_document_for_each_line(zim: Zim) -> None:
    result = zim("--json", "run", "-", stdin="\n".join(GAME_LINES))
    assert [next(iter(json.loads(line))) for line in result.stdout.splitlines()] == [
        *("position", "played", "played", "played", "played", "position", "position", "played", "position")
    ]


def test_output_of_the_demo(zim: Zim, snapshot: SnapshotAssertion) -> None:
    result = zim("--store", "memory:", "demo")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == snapshot
    assert result.stderr == "", "a store in memory is gone: there is no game to go on with"


def test_a_note_beside_an_answer_is_a_document(zim: Zim, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/demo.db"
    (message,) = map(json.loads, zim("--store", store, "demo", "--json").stderr.splitlines())
    assert f"--store {store} play " in message["note"]


def test_games_in_an_empty_store_gives_a_hint(zim: Zim) -> None:
    result = zim("games")
    assert (result.stdout, result.stderr) == ("", "no games yet; try: zim new\n")


def test_the_only_game_need_not_be_named(run_script: Callable[..., Result], zim: Zim) -> None:
    run_script("new k", "take 2")
    assert zim("log").stdout == zim("log", "k").stdout != ""


def test_output_has_colours_only_for_a_terminal(zim_with_game: Zim) -> None:
    assert "\x1b[" not in zim_with_game("log", "k").stdout
    assert "\x1b[" in zim_with_game("--color", "always", "log", "k").stdout


def test_ascii_output_has_only_ascii(zim_with_game: Zim) -> None:
    for question_name in ("board", "show", "log with what was undone", "verify"):
        assert zim_with_game("--ascii", *QUESTIONS[question_name]).stdout.isascii()


def test_a_preview_of_a_plain_effect_proposes_try(zim_with_game: Zim) -> None:
    result = zim_with_game("preview", "k", "build", "a2")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    assert "try" in result.stderr
