"""The commands in the README work as printed, one after the other in one shell."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import PICTURE, broken_links, documented_steps, output_pattern

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
MAX_WORDS = 700
"""The README has at most so many words: it is read in three minutes."""


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= MAX_WORDS


def test_the_readme_opens_with_a_description_the_demo_and_the_tests() -> None:
    description, _, text_after_description = README.partition("```console\n")
    assert text_after_description.startswith("$ scripts/zim demo\n$ scripts/test\n```\n")
    assert description.startswith("# Zim\n")
    assert PICTURE.findall(description) == ["docs/table.webp"]
    assert all(os.access(ROOT / script, os.X_OK) for script in ("scripts/zim", "scripts/test"))


def test_the_links_of_the_readme_lead_to_files_and_headings() -> None:
    assert broken_links(ROOT / "README.md") == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with nothing but `scripts/zim`, which starts the installed Zim: a wheel brings no other files."""
    (tmp_path / "scripts").mkdir()
    launcher, installed_program = tmp_path / "scripts/zim", Path(sys.executable).with_name("zim")
    launcher.write_text(f'#!/bin/sh\nZIM_STARTED_AS=$0 exec {shlex.quote(str(installed_program))} "$@"\n')
    launcher.chmod(0o755)
    return tmp_path


def test_the_commands_of_the_readme_work_in_their_order(checkout: Path) -> None:
    commands = [
        (command.split("#")[0].strip(), expected_output) for command, expected_output in documented_steps(README)
    ]
    (export_command,) = (command for command, _ in commands if command.startswith("export "))
    commands_after_export = commands[commands.index((export_command, "")) + 1 :]
    assert len(commands_after_export) > 5
    for command, expected_output in commands_after_export:
        output = type_command(checkout, export_command, command.replace("zim host", "zim host --listen 127.0.0.1:0"))
        if expected_output:
            assert re.fullmatch(output_pattern(expected_output), output), f"$ {command}\n{output}"
    assert " zim log demo-zimbabwe\n" in type_command(checkout, export_command, "! zim log none"), (
        "its hints begin with what was typed"
    )


def type_command(folder: Path, export: str, command: str) -> str:
    """Types a command in a shell after `export`, and returns its output. Stops a server once it listens."""
    inherited_environment = {name: value for name, value in os.environ.items() if not name.startswith(("ZIM_", "XDG_"))}
    shell_environment = inherited_environment | {"PATH": "/usr/bin:/bin", "HOME": str(folder), "ZIM_BY": "anna"}
    shell = subprocess.Popen(
        ["bash", "-c", f"exec 2>&1; {export}; {command}"],
        cwd=folder,
        env=shell_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert shell.stdout
    output = ""
    for line in shell.stdout:
        output += line
        if "zim join LINK" in line:  # it serves, and has said all there is to say
            os.killpg(shell.pid, signal.SIGINT)
    assert shell.wait() == 0, f"$ {command}\n{output}"
    return output
