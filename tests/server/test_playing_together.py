"""docs/playing-together.md works as printed; each person has their own home folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest

from tests.server.server_process import running_server
from tests.test_docs import CONSOLE_BLOCK, ROOT, output_pattern

DOCUMENTED_URL = "http://127.0.0.1:8321"
PROMPT = re.compile(r"(?m)^(\w+)\$ ")


def typed_steps(text: str) -> Iterator[tuple[str, str, str]]:
    """The person, the command and the output of each step."""
    for block in CONSOLE_BLOCK.findall(text):
        for person, step_text in zip(PROMPT.findall(block), PROMPT.split(block)[2::2], strict=True):
            first_line, *lines = step_text.splitlines(keepends=True)
            continuation = list(takewhile(lambda line: line.startswith("> "), lines))
            yield person, first_line + "".join(line[2:] for line in continuation), "".join(lines[len(continuation) :])


def type_command(person: str, command: str, folder: Path, url: str) -> str:
    home = folder / person
    home.mkdir(exist_ok=True)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ZIM_STORE": f"sqlite:///{folder}/games.db" if person == "hanna" else url,
        "ZIM_BY": person,
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(home)),
    }
    script = f"exec 2>&1; {command}"
    process = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, input="", text=True, capture_output=True
    )
    return process.stdout


def test_the_examples_of_the_page_work_as_printed(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "playing-together.md").read_text("utf-8")
    with running_server(tmp_path) as server:
        command_count = 0
        for person, command, expected_output in typed_steps(text.replace(DOCUMENTED_URL, server.url)):
            output = type_command(person, command, tmp_path, server.url)
            if not re.fullmatch(output_pattern(expected_output), output):
                pytest.fail(f"{person}$ {command}{output}\nand the page says\n{expected_output}")
            command_count += 1
    assert command_count > 20
