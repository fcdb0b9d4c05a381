"""Hints begin with the command that started zim, and work when you type them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.screen import Terminal
from zimcli.shell.program_name import command_pattern, typable

ROOT = Path(__file__).parent.parent.parent
START_COMMANDS = {
    "launcher": ("scripts/zim", "scripts/zim"),
    "launcher of another folder": ("./scripts/../scripts/zim", "./scripts/../scripts/zim"),
    "module": (f"{shlex.quote(sys.executable)} -m zimcli", f"{shlex.quote(sys.executable)} -m zimcli"),
    "path": ("zim", "zim"),
    "other name": ("great-zim", "great-zim"),
}
"""How the program is started, and the command that its hints then begin with."""


@pytest.fixture
def shell_folder(tmp_path: Path) -> Path:
    """A folder with the launcher at its usual place, the installed command, and a PATH of its own."""
    (tmp_path / "scripts").mkdir()
    script = f'#!/bin/sh\nZIM_STARTED_AS=$0 exec {shlex.quote(str(zim_program()))} "$@"\n'
    assert 'ZIM_STARTED_AS=$0 exec "$venv/bin/zim" "$@"' in (ROOT / "scripts/zim").read_text()
    (tmp_path / "scripts/zim").write_text(script)
    (tmp_path / "scripts/zim").chmod(0o755)
    return tmp_path


def zim_program() -> Path:
    return Path(sys.executable).with_name("zim")


def run_line(folder: Path, line: str, exit_code: int, on_path: bool) -> str:
    """Types a line; returns the output."""
    search_path = f"{zim_program().parent}:/usr/bin:/bin" if on_path else "/usr/bin:/bin"
    inherited_variables = {name: value for name, value in os.environ.items() if not name.startswith("ZIM_")}
    environment = inherited_variables | {
        "PATH": search_path,
        "HOME": str(folder),
        "ZIM_STORE": f"sqlite:///{folder}/games.zim",
    }
    process = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, stdin=-3)
    assert process.returncode == exit_code, process.stderr
    return process.stdout + process.stderr


@pytest.mark.parametrize("start_kind", START_COMMANDS)
def test_hints_begin_with_what_was_typed_and_can_be_typed(shell_folder: Path, start_kind: str) -> None:
    start_command, shown_command = START_COMMANDS[start_kind]
    on_path = start_kind in ("path", "other name")
    text = run_line(shell_folder, f"{start_command} log", 4, on_path)
    hint = re.search(r"try: (.*?) · ", text)
    assert hint, text
    assert hint[1] == f"{shown_command} new"
    run_line(shell_folder, f"{hint[1]} kilwa-7 seed=7", 0, on_path)
    assert f"try: {shown_command} league open cup" in run_line(shell_folder, f"{start_command} league", 0, on_path), (
        "notes are typed, too"
    )
    text = run_line(shell_folder, f"{start_command} fork kilwa-7 a", 0, on_path)
    assert f"; {shown_command} switch kilwa-7/main goes back" in text
    run_line(shell_folder, f"{shown_command} switch kilwa-7/main", 0, on_path)
    text = run_line(shell_folder, f"{start_command} log --help", 0, on_path)
    assert f"Usage: {shown_command} log" in text
    examples = re.findall(rf"^ +({re.escape(shown_command)} .*)$", text, re.MULTILINE)
    assert examples, text


def test_help_names_the_program_file_where_the_path_has_no_zim(shell_folder: Path) -> None:
    text = run_line(shell_folder, f"{shlex.quote(str(zim_program()))} log --help", 0, on_path=False)
    assert f"Usage: {zim_program()} log" in text
    assert "Usage: zim log" in run_line(shell_folder, f"{shlex.quote(str(zim_program()))} log --help", 0, on_path=True)


@pytest.mark.parametrize(
    ("text", "is_command"),
    [
        ("zim log kilwa-7", True),
        ("try: zim --store URL", True),
        ("Usage: zim [OPTIONS] COMMAND", True),
        ("one that zim knows", False),
        ("a bug in zim, not", False),
        ("great-zim log", False),
        ("scripts/zim log", False),
    ],
)
def test_commands_are_recognised_in_a_text(text: str, is_command: bool) -> None:
    assert bool(command_pattern().search(text)) == is_command
    assert typable(text) == text, "the tests start the program as zim"


def test_a_new_game_at_a_terminal_gets_a_hint_how_to_play_it(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    terminal = Terminal(tmp_path, "-m", "zimcli", "--store", store, "new", "friday", "seed=1", columns=200)
    text = terminal.wait_for_text("to play it: ")
    proposed_command = text.partition("to play it: ")[2].splitlines()[0]
    assert proposed_command.endswith(f" --store {store} play friday")
    assert "Traceback" not in terminal.wait_for_silence()
