"""`zim play` in a real terminal: the prompt appears, commands are played, Ctrl-C and Ctrl-D do as they should."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from event_store import EventStore
from tests.cli.conftest import TEST_GAMES
from tests.timeouts import PATIENCE
from zimcore.service import GameService

ROOT = Path(__file__).parent.parent.parent
ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")


def spawn_zim(store: str, home: Path, *words: str) -> pexpect.spawn[str]:
    environment = os.environ | {
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "XDG_STATE_HOME": str(home),
        "HOME": str(home),
    }
    words = ("-m", "tests.cli.terminal", store, *words)
    return pexpect.spawn(
        sys.executable,
        list(words),
        env=environment,
        encoding="utf-8",
        timeout=PATIENCE,
        dimensions=(40, 100),
        cwd=str(ROOT),
    )


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'games.db'}"


@pytest.fixture
def terminal(store: str, tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    setup_process = spawn_zim(store, tmp_path, "new", "k")
    setup_process.expect(pexpect.EOF)
    child = spawn_zim(store, tmp_path, "play", "k", "--lines")
    yield child
    child.close(force=True)


def test_a_conversation_at_the_prompt(terminal: pexpect.spawn[str], store: str, tmp_path: Path) -> None:
    terminal.expect("round 1 · Kilwa to act")
    terminal.send("take 2\r")
    terminal.expect(r"\+2 cattle")
    terminal.expect("round 1 · Zulu to act")
    terminal.send("take 9\r")
    terminal.expect("refused: ")
    terminal.expect("R-HER-01")
    terminal.send("half a comm")
    terminal.sendcontrol("c")
    terminal.expect("round 1 · Zulu to act")
    terminal.send("\x1b[200~take 1\ntake 3\n\x1b[201~\r")  # a paste
    terminal.expect(r"\+3 cattle")
    terminal.expect("round 2 · Zulu to act")
    terminal.sendcontrol("d")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0

    log_process = spawn_zim(store, tmp_path, "--color", "never", "log", "k")
    log_process.expect(pexpect.EOF)
    assert re.findall(r"take \d", ANSI.sub("", log_process.before or "")) == ["take 2", "take 1", "take 3"]


def test_moves_and_chat_of_others_appear_while_you_type(terminal: pexpect.spawn[str], store: str) -> None:
    terminal.expect("round 1 · Kilwa to act")
    terminal.send("take")
    ben_service = GameService(EventStore.open(store), games=TEST_GAMES)
    ben_service.play_or_raise("k", "take 2", by="ben")
    terminal.expect("meanwhile:")
    terminal.expect("Zulu to act")
    ben_service.say("k", "well played", by="ben")
    terminal.expect("well played")
    terminal.send(" 1\r")
    terminal.expect(r"\+1 cattle")


def test_lines_are_remembered_from_session_to_session(terminal: pexpect.spawn[str], store: str, tmp_path: Path) -> None:
    terminal.expect("Kilwa to act")
    terminal.send("take 2\r")
    terminal.expect("Zulu to act")
    terminal.send("quit\r")
    terminal.expect(pexpect.EOF)
    next_terminal = spawn_zim(store, tmp_path, "play", "k", "--lines")
    next_terminal.expect("Zulu to act")
    next_terminal.send("\x1b[A\x1b[A\r")  # up: quit, up: take 2
    next_terminal.expect("round 2 · Kilwa to act")
    next_terminal.close(force=True)
