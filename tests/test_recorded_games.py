"""Recorded games, replayed whole: a script dropped into tests/games is a test (`scripts/conformance --script`)."""

from pathlib import Path

import pytest

from zimcli.output.output import Output
from zimcli.session.script import run_script
from zimcli.session.session import Session
from zimcli.shell.exit_codes import ProblemError
from zimcore.service import open_service

SCRIPT_FILES = sorted((Path(__file__).parent / "games").glob("*.zim"))


def play(lines: list[str]) -> Session:
    session = Session(Output(), by="recorder", service=open_service("memory:"))
    run_script(session, lines, "recorded")
    return session


@pytest.mark.parametrize("script", SCRIPT_FILES, ids=lambda script: script.stem)
def test_a_recorded_game_replays_as_recorded(script: Path) -> None:
    lines = script.read_text("utf-8").splitlines()
    assert any(line.startswith("expect winner ==") for line in lines), "a recorded game says who won"
    session = play(lines)
    audit = session.service.verify(session.place)
    assert audit.fault is None
    assert audit.commits == 1 + sum(line.split(":")[0].isalpha() and ":" in line for line in lines if line[0] != "#")


def test_a_changed_recording_is_noticed() -> None:
    lines = SCRIPT_FILES[0].read_text("utf-8").replace("kilwa.vp == 1 ", "kilwa.vp == 2 ").splitlines()
    with pytest.raises(ProblemError, match=r"kilwa\.vp"):
        play(lines)
