"""Long answers at a terminal go through a pager; short ones, pipes and documents never do."""

from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from zimcli.commands.running import STOP_PROMPT, narrate_script
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.service import open_service

PAGER = "sed 's/^/paged: /'"
PROMPT = "to place the first monument"


@pytest.fixture
def store(tmp_path: Path) -> str:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new("zimbabwe", {"players": "2", "seed": "1"}, name="kilwa-7", by="anna")
    service.store.close()
    return store


def terminal_output(home: Path, store: str, *words: str, **environment: str) -> str:
    terminal = Terminal(home, "-m", "zimcli", "--store", store, *words, lines=24, columns=100, **environment)
    assert terminal.wait_for_end() == 0
    return terminal.raw_output


@pytest.mark.parametrize(
    ("words", "environment", "is_paged"),
    [
        (("rules",), {"PAGER": PAGER}, True),
        (("rules",), {"PAGER": "cat"}, False),
        (("rules",), {"PAGER": ""}, False),
        (("rules",), {"PAGER": PAGER, "TERM": "dumb"}, False),
        (("rules", "--json"), {"PAGER": PAGER}, False),
        (("legal", "kilwa-7"), {"PAGER": PAGER}, False),
    ],
)
def test_only_long_output_at_a_terminal_is_paged(
    tmp_path: Path, store: str, words: tuple[str, ...], environment: dict[str, str], is_paged: bool
) -> None:
    assert ("paged: " in terminal_output(tmp_path, store, *words, **environment)) == is_paged


def test_the_demo_stops_before_each_round_instead_of_paging(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "-m", "zimcli", "demo", lines=24, columns=100, PAGER=PAGER)
    terminal.wait_for_text(STOP_PROMPT.strip())
    assert "# round 1" not in terminal.raw_output
    terminal.child.waitnoecho()  # keys typed before the terminal reads single keys are lost
    terminal.type_keys("x\r")  # another key is no answer
    terminal.wait_until(lambda text: "# round 1" in terminal.raw_output and text.endswith(STOP_PROMPT.rstrip()))
    terminal.child.waitnoecho()
    terminal.type_keys("q")  # one key, without Enter
    assert terminal.wait_for_end() == 0
    assert "to see it in a browser:\r\nzim --store " in terminal.raw_output, (
        "the terminal breaks no word of the command"
    )
    assert " replay demo --html demo.html" in terminal.raw_output
    assert "the game is stored; try: zim --store " in terminal.raw_output
    assert "# round 2" not in terminal.raw_output
    assert "paged: " not in terminal.raw_output


@pytest.mark.parametrize(
    ("answers", "played_lines"), [(["q"], "a"), (["", "q"], "a b"), (["", ""], "a b c"), (["e"], "a b c")]
)
def test_in_a_demo_enter_goes_on_e_plays_to_the_end_and_q_quits(answers: list[str], played_lines: str) -> None:
    remaining_answers = iter(answers)
    lines = narrate_script(
        Session(Output(quiet=True)), "# one\na\n# two\n# and more\nb\n# three\nc", lambda: next(remaining_answers)
    )
    assert [line for line in lines if line[:1] != "#"] == played_lines.split()
    assert not [*remaining_answers]


def test_a_setting_turns_the_pager_off(tmp_path: Path, store: str) -> None:
    (tmp_path / "zim").mkdir()
    (tmp_path / "zim" / "config.toml").write_text("pager = false\n")
    assert "paged: " not in terminal_output(tmp_path, store, "rules", PAGER=PAGER)


def test_long_answers_at_the_prompt_are_paged(tmp_path: Path, store: str) -> None:
    terminal = Terminal(tmp_path, "-m", "zimcli", "--store", store, "play", "kilwa-7", "--lines", PAGER=PAGER)
    terminal.wait_for_text(f"{PROMPT} >")
    terminal.type_keys("rules R-TURN-02\r")
    wait_for_answer(terminal, "R-TURN-02")
    assert "paged: " not in terminal.raw_output
    terminal.type_keys("rules\r")
    wait_for_answer(terminal, "paged: ")  # a Ctrl-D before the prompt would be lost
    terminal.type_keys("\x04")
    assert terminal.wait_for_end() == 0


def wait_for_answer(terminal: Terminal, answer_text: str) -> None:
    """Reads until there is an answer, and a prompt after it."""
    terminal.wait_until(
        lambda _: PROMPT in terminal.raw_output.rpartition(answer_text)[2] and answer_text in terminal.raw_output
    )
    terminal.wait_for_silence()
