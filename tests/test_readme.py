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

from tests.test_docs import PICTURE, broken_links, pattern, steps

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
MOST = 700
"""Words of it: what it is, and what to type, is read in three minutes."""


def test_it_is_short() -> None:
    assert len(README.split()) <= MOST


def test_it_opens_with_what_it_is_and_then_the_demo_and_the_tests() -> None:
    beginning, _, after = README.partition("```console\n")
    assert after.startswith("$ scripts/zim demo\n$ scripts/test\n```\n")
    assert beginning.startswith("# Zim\n")
    assert PICTURE.findall(beginning) == ["docs/table.webp"]
    assert all(os.access(ROOT / script, os.X_OK) for script in ("scripts/zim", "scripts/test"))


def test_its_links_lead_somewhere() -> None:
    assert broken_links(ROOT / "README.md") == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the launcher at its place, which starts what is installed here."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "zimcore").symlink_to(ROOT / "zimcore")
    launcher, installed = tmp_path / "scripts/zim", Path(sys.executable).with_name("zim")
    launcher.write_text(f'#!/bin/sh\nZIM_STARTED_AS=$0 exec {shlex.quote(str(installed))} "$@"\n')
    launcher.chmod(0o755)
    return tmp_path


def test_what_it_says_to_type_works_in_the_order_in_which_it_stands(checkout: Path) -> None:
    commands = [(command.split("#")[0].strip(), printed) for command, printed in steps(README)]
    (export,) = (command for command, _ in commands if command.startswith("export "))
    typed = commands[commands.index((export, "")) + 1 :]
    assert len(typed) > 5
    for command, printed in typed:
        text = types(checkout, export, command.replace("zim host", "zim host --listen 127.0.0.1:0"))
        if printed:
            assert re.fullmatch(pattern(printed), text), f"$ {command}\n{text}"
    assert " zim log demo\n" in types(checkout, export, "! zim log none"), "its hints begin with what was typed"


def types(folder: Path, export: str, command: str) -> str:
    """Types a command in a shell where that was exported; what it says. One that serves is ended when it listens."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ZIM_", "XDG_"))}
    settings = inherited | {"PATH": "/usr/bin:/bin", "HOME": str(folder), "ZIM_BY": "anna"}
    shell = subprocess.Popen(
        ["bash", "-c", f"exec 2>&1; {export}; {command}"],
        cwd=folder,
        env=settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert shell.stdout
    text = ""
    for line in shell.stdout:
        text += line
        if "zim join LINK" in line:  # it serves, and has said all there is to say
            os.killpg(shell.pid, signal.SIGINT)
    assert shell.wait() == 0, f"$ {command}\n{text}"
    return text
