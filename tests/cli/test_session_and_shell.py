"""One language: a session takes what the shell takes, with the place left out or shortened."""

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import Result

from event_store import EventStore
from tests.cli.conftest import Zim, make_zim, open_reproducible_service
from tests.predictable_salts import salt_maker

OPENING_LINES = ("new k", "take 2", "take 1", "fork @1 what-if", "take 3", "switch main")
SHELL_WORDS = {
    "log": ["log", "k"],
    "log @r2": ["log", "k@r2"],
    "log --events": ["log", "k", "--events"],
    "log --events @1": ["log", "--events", "k@1"],
    "log what-if": ["log", "k/what-if"],
    "log what-if@1": ["log", "k/what-if@1"],
    "log k": ["log", "k"],
    "log k/what-if": ["log", "k/what-if"],
    "board": ["board", "k"],
    "show @-1": ["show", "k@-1"],
    "lines": ["lines", "k"],
    "games": ["games"],
    "legal": ["legal", "k"],
    "legal take 1": ["legal", "k", "take", "1"],
    "legal @1 take": ["legal", "k@1", "take"],
    "try take 3": ["try", "k", "take 3"],
    "try @1 take 3": ["try", "k@1", "take 3"],
    "try 'take 3' \"build a1\"": ["try", "k", "take 3", "build a1"],
    "take 3": ["do", "k", "take 3"],
    "kilwa: take 3": ["do", "k", "kilwa: take 3"],
    "undo": ["undo", "k"],
    "undo 2": ["undo", "k", "2"],
    "undo k 2": ["undo", "k", "2"],
    "goto @1": ["goto", "k@1"],
    "fork other": ["fork", "k", "other"],
    "fork @1 other": ["fork", "k@1", "other"],
    "switch what-if": ["switch", "k/what-if"],
    "compare what-if": ["compare", "k/main", "k/what-if"],
    "compare @1 what-if": ["compare", "k@1", "what-if"],
    "compare main what-if@1": ["compare", "k/main", "what-if@1"],
    "verify": ["verify", "k"],
    "verify what-if": ["verify", "k/what-if"],
    "expect kilwa.vp == 0": ["expect", "k", "kilwa.vp == 0"],
    "expect not -1 > kilwa.vp": ["expect", "k", "not -1 > kilwa.vp"],
    "expect @1 kilwa.cattle // 2 == 1": ["expect", "k@1", "kilwa.cattle // 2 == 1"],
    "take 1; take 2": ["do", "k", "take 1; take 2"],
    "try take 1; take 2": ["try", "k", "take 1; take 2"],
    "rules R-HER-01": ["rules", "R-HER-01"],
    "help log": ["help", "log"],
    "?log": ["help", "log"],
    "? log": ["help", "log"],
    "new": ["new"],
}


@pytest.fixture
def zim_with_game(run_script: Callable[..., Result], zim: Zim) -> Zim:
    assert run_script(*OPENING_LINES).exit_code == 0
    return zim


@pytest.fixture
def twin_zim(zim_with_game: Zim) -> Iterator[Zim]:
    """`zim` on a second store with the same games."""
    with EventStore.open("memory:", salt_maker()) as store:
        zim = make_zim(open_reproducible_service(store))
        assert zim("run", "-", stdin="\n".join(OPENING_LINES)).exit_code == 0
        yield zim


FORK_LINES = [line for line in SHELL_WORDS if line.startswith("fork")]


@pytest.mark.parametrize("line", [line for line in SHELL_WORDS if line not in FORK_LINES])
def test_a_session_does_as_the_shell(zim_with_game: Zim, twin_zim: Zim, line: str) -> None:
    session_result = zim_with_game("--json", "run", "-", stdin=f"play k\n{line}\nlines k\n")
    assert (session_result.exit_code, session_result.stderr) == (0, "")
    _, answer, lines = session_result.stdout.splitlines(keepends=True)
    assert answer == twin_zim("--json", *SHELL_WORDS[line]).stdout
    assert lines == twin_zim("--json", "lines", "k").stdout


@pytest.mark.parametrize("line", FORK_LINES)
def test_a_fork_is_the_same_but_a_script_leaves_the_current_line_alone(
    zim_with_game: Zim, twin_zim: Zim, line: str
) -> None:
    session_result = zim_with_game("--json", "run", "-", stdin=f"play k\n{line}\nlines k\n")
    assert (session_result.exit_code, session_result.stderr) == (0, "")
    _, answer, lines = map(json.loads, session_result.stdout.splitlines())
    shell_document = json.loads(twin_zim("--json", *SHELL_WORDS[line]).stdout)
    assert answer == {name: value for name, value in shell_document.items() if name != "left"}
    expected = json.loads(twin_zim("--json", "lines", "k").stdout)
    assert [listed_line["name"] for listed_line in expected["lines"] if listed_line["current"]] == ["other"]
    for listed_line in expected["lines"]:
        listed_line["current"] = listed_line["name"] == shell_document["left"]
    assert lines == expected


READING_LINES = [line for line in SHELL_WORDS if not line.startswith(("take", "kilwa", "undo", "goto", "new", "fork"))]


@pytest.mark.parametrize("line", READING_LINES)
def test_a_session_prints_as_the_shell(zim_with_game: Zim, line: str) -> None:
    greeting = zim_with_game("run", "-", stdin="play k").stdout
    session_result = zim_with_game("run", "-", stdin=f"play k\n{line}\n")
    assert (session_result.exit_code, session_result.stderr) == (0, "")
    assert session_result.stdout.removeprefix(greeting) == zim_with_game(*SHELL_WORDS[line]).stdout


def test_a_seat_typed_before_a_move_is_checked(zim_with_game: Zim) -> None:
    assert zim_with_game("run", "-", stdin="play k\nzulu: take 1").exit_code == 1


def test_a_word_that_is_no_command_goes_to_the_game(zim_with_game: Zim) -> None:
    assert "choose from take, build" in zim_with_game("run", "-", stdin="play k\nbo").stderr
    assert "no game has been begun" in zim_with_game("run", "-", stdin="bo").stderr


def test_quit_ends_a_script(zim_with_game: Zim) -> None:
    assert zim_with_game("run", "-", stdin="quit\nfrobnicate").exit_code == 0


def test_undo_in_another_game_leaves_the_current_game_alone(zim_with_game: Zim) -> None:
    result = zim_with_game("--json", "run", "-", stdin="new z\nundo k\nlines")
    assert '"name":"main","head":0' in result.stdout.splitlines()[-1]
