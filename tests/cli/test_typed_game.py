"""A whole game typed at a prompt in a real terminal, which is killed now and then, is the same game as its script."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from event_store import EventStore
from tests.timeouts import PATIENCE
from zimcli.output.output import Output
from zimcli.session.script import run_script
from zimcli.session.session import Session
from zimcore.service import Commit, GameService, open_service

SCRIPT_FILE = Path(__file__).parent.parent / "games" / "bot-2p-015.zim"
SCRIPT_LINES = [line for line in SCRIPT_FILE.read_text("utf-8").splitlines() if not line.startswith(("#", "expect"))]
KILL_AFTER = (1, 7, 30, 55)
"""Moves after which the process is killed, before anything else can happen."""


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'games.db'}"


def comparable_facts(commits: list[Commit]) -> Iterator[tuple[object, ...]]:
    """What has to be equal: everything but author and time, and so the digest of the commit."""
    return ((commit.number, commit.seat, commit.text, commit.events, commit.state) for commit in commits)


def spawn_prompt(store: str, home: Path) -> pexpect.spawn[str]:
    environment = os.environ | {
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "XDG_STATE_HOME": str(home),
        "HOME": str(home),
    }
    play_command = ["-m", "zimcli", "--store", store, "play", "zimbabwe-1", "--lines"]
    return pexpect.spawn(
        sys.executable, play_command, env=environment, encoding="utf-8", timeout=PATIENCE, dimensions=(40, 200)
    )


def test_a_typed_game_is_the_same_as_its_script(store: str, tmp_path: Path) -> None:
    with EventStore.open(store) as typed_store:
        service = GameService(typed_store)
        options = dict(word.split("=") for word in SCRIPT_LINES[0].split()[1:])
        service.new("zimbabwe", options, name="zimbabwe-1", by="anna")
        terminal = spawn_prompt(store, tmp_path)
        for number, line in enumerate(SCRIPT_LINES[1:], 1):
            terminal.expect(rf"@{number - 1}\D")  # the prompt has the number of the last move: it was played
            if number - 1 in KILL_AFTER:
                terminal.kill(signal.SIGKILL)
                terminal.expect(pexpect.EOF)
                assert service.position("zimbabwe-1").commit.number == number - 1
                terminal = spawn_prompt(store, tmp_path)
                terminal.expect(rf"@{number - 1}\D")
            terminal.send(line + "\r")
        terminal.expect("Mutapa has won")
        terminal.expect(
            r"has won: furthest above the VR\S* > "
        )  # a Ctrl-D typed before the prompt is there belongs to no line
        terminal.sendeof()
        terminal.expect(pexpect.EOF)
        typed_commits = list(service.log("zimbabwe-1"))
        assert service.verify("zimbabwe-1").fault is None

    session = Session(Output(), by="bert", service=open_service("memory:"))
    run_script(session, SCRIPT_LINES, SCRIPT_FILE.name)
    assert list(comparable_facts(typed_commits)) == list(comparable_facts(list(session.service.log("zimbabwe-1"))))
    assert len(typed_commits) == len(SCRIPT_LINES)
