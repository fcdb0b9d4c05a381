"""Questions about the past: the answers as plain text and as documents."""

from collections.abc import Callable

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Zim
from tests.cli.documents import format_compactly, render_answer

GAME_LINES = (
    *("new k herd=12", "take 2", "zulu: take 1", "build a1", "take 3", "take 1", "build b3", "undo 2"),
    *("take 3", "take 1", "fork @3 what-if", "take 1", "take 2", "switch main"),
)
QUESTIONS = {
    "why a figure": ["why", "k", "kilwa.cattle", "@5"],
    "why a square": ["why", "k", "a1"],
    "why an expression": ["why", "k", "kilwa.vp - zulu.vp"],
    "compare by rounds": ["compare", "k/main", "what-if"],
    "compare one line": ["compare", "k@3", "k@5"],
    "log with branches": ["log", "k", "--all"],
    "log where": ["log", "k", "--where", "zulu.cattle > 1"],
    "log where with branches": ["log", "k", "--all", "--where", "kilwa.cattle > 1"],
    "log of operations": ["log", "k", "--ops"],
    "story": ["story", "k"],
    "amend": ["amend", "k@2", "take 3"],
    "amend and skip": ["amend", "k@1", "take 1", "--skip", "--name", "shorter"],
    "amend and stop": ["amend", "k@3", "take 2", "--stop"],
    "amend dry": ["amend", "k@2", "take 3", "--dry-run"],
    "pick": ["pick", "k/what-if", "main@4..5"],
    "pick a round and skip": ["pick", "k", "what-if@r1..r2", "--skip"],
    "pick dry": ["pick", "k/what-if", "main@4..5", "--dry-run"],
    "rename": ["rename", "k/what-if", "better"],
    "forget": ["forget", "k/what-if"],
    "undo an operation": ["undo", "k", "--op"],
    "try": ["try", "k", "take 1", "build c3"],
    "bisect": ["bisect", "k", "zulu.cattle >= 3"],
    "bisect what comes and goes": ["bisect", "k", "kilwa.cattle > zulu.cattle"],
    "bisect what holds at the start": ["bisect", "k", "herd > 3"],
}
FAILING_QUESTIONS = {
    "why nothing of that name": (2, ["why", "k", "kilwa.cows"]),
    "why no square": (2, ["why", "k", "d7"]),
    "amend the set-up": (2, ["amend", "k@start", "take 1"]),
    "amend by what is refused": (1, ["amend", "k@2", "take 4"]),
    "try what is refused": (1, ["try", "k", "take 1", "take 9", "take 1"]),
    "forget the current line": (2, ["forget", "k/main"]),
    "undo an operation that is not there": (2, ["undo", "k", "--op", "ffff"]),
    "pick a range that is none": (2, ["pick", "k", "what-if@5..3"]),
    "bisect what never holds": (1, ["bisect", "k", "kilwa.vp > 5"]),
    "bisect no expression": (2, ["bisect", "k", "kilwa.vp = 5"]),
}
SNAPSHOT_DOCUMENTS = ("why a figure", "why a square", "log of operations", "story", "amend", "bisect")
"""One answer of each kind. Snapshots of the text cover the others."""


@pytest.fixture
def zim_with_game(zim: Zim, run_script: Callable[..., Result]) -> Zim:
    result = run_script(*GAME_LINES)
    assert result.exit_code == 0, result.stderr
    return zim


@pytest.mark.parametrize("question_name", QUESTIONS)
def test_text_of_an_answer(zim_with_game: Zim, snapshot: SnapshotAssertion, question_name: str) -> None:
    result = zim_with_game(*QUESTIONS[question_name])
    assert (result.exit_code, result.stderr) == (0, "")
    assert not any(line.endswith(" ") for line in result.stdout.splitlines())
    assert result.stdout == snapshot


@pytest.mark.parametrize("question_name", QUESTIONS)
def test_document_of_an_answer(
    zim_with_game: Zim, other_zim: Zim, snapshot: SnapshotAssertion, question_name: str
) -> None:
    result = zim_with_game(*QUESTIONS[question_name], "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert len(result.stdout.splitlines()) == 1
    assert other_zim("run", "-", stdin="\n".join(GAME_LINES)).exit_code == 0
    assert render_answer(result.stdout, QUESTIONS[question_name][0]) == other_zim(*QUESTIONS[question_name]).stdout
    if question_name in SNAPSHOT_DOCUMENTS:
        assert format_compactly(result.stdout) == snapshot


@pytest.mark.parametrize("question_name", FAILING_QUESTIONS)
def test_text_of_a_failing_question(zim_with_game: Zim, snapshot: SnapshotAssertion, question_name: str) -> None:
    exit_code, words = FAILING_QUESTIONS[question_name]
    result = zim_with_game(*words)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert result.stderr == snapshot


@pytest.mark.parametrize("options", [[], ["--skip"], ["--stop"], ["--dry-run"]])
def test_output_of_a_conflict(
    zim: Zim, run_script: Callable[..., Result], snapshot: SnapshotAssertion, options: list[str]
) -> None:
    run_script("new c herd=5", "take 1", "take 1", "take 2", "build b3")
    result = zim("amend", "c@1", "take 3", *options)
    assert result.exit_code == (0 if "--skip" in options or "--stop" in options else 1)
    assert result.output == snapshot
    assert zim("lines", "c").stdout.count("\n") == (3 if "--skip" in options or "--stop" in options else 2)


@pytest.mark.parametrize("option", ["--skip", "--stop"])
def test_a_pick_that_keeps_nothing_fails(zim: Zim, run_script: Callable[..., Result], option: str) -> None:
    run_script("new c herd=5", "take 1", "take 1", "take 2")
    result = zim("pick", "c", "main@1", option)
    assert (result.exit_code, "is no longer legal, and nothing is kept" in result.stderr) == (1, True)


def test_output_of_questions_in_a_session(run_script: Callable[..., Result], snapshot: SnapshotAssertion) -> None:
    amending_lines = ("why kilwa.cattle @3", "amend @2 take 3", "undo", "pick main@6")
    naming_lines = ("rename better", "undo --op", "switch main", "forget amend-2", "lines")
    result = run_script(*GAME_LINES, *amending_lines, *naming_lines)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot
