"""The README is short, and begins with its commands. test_reading_order.py types them."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from tests.test_docs import PICTURE, broken_links, documented_steps

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
README_STEPS = [(command.split("#")[0].strip(), output) for command, output in documented_steps(README)]
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


def make_checkout(folder: Path) -> None:
    """Gives a folder nothing but `scripts/zim`, which starts the installed Zim: a wheel brings no other files."""
    (folder / "scripts").mkdir()
    launcher, installed_program = folder / "scripts/zim", Path(sys.executable).with_name("zim")
    launcher.write_text(f'#!/bin/sh\nZIM_STARTED_AS=$0 exec {shlex.quote(str(installed_program))} "$@"\n')
    launcher.chmod(0o755)


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
