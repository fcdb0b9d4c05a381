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

from tests.server.process import serving
from tests.test_docs import BLOCK, ROOT, output_pattern

HERE = "http://127.0.0.1:8321"
PROMPT = re.compile(r"(?m)^(\w+)\$ ")


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """Who types, what, and what that prints."""
    for block in BLOCK.findall(text):
        for who, step in zip(PROMPT.findall(block), PROMPT.split(block)[2::2], strict=True):
            first, *lines = step.splitlines(keepends=True)
            more = list(takewhile(lambda line: line.startswith("> "), lines))
            yield who, first + "".join(line[2:] for line in more), "".join(lines[len(more) :])


def type_command(who: str, command: str, folder: Path, url: str) -> str:
    home = folder / who
    home.mkdir(exist_ok=True)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ZIM_STORE": f"sqlite:///{folder}/games.db" if who == "hanna" else url,
        "ZIM_BY": who,
        **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(home)),
    }
    script = f"exec 2>&1; {command}"
    process = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, input="", text=True, capture_output=True
    )
    return process.stdout


def test_what_the_page_says_is_so(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "playing-together.md").read_text("utf-8")
    with serving(tmp_path) as server:
        count = 0
        for who, command, printed in steps(text.replace(HERE, server.url)):
            answer = type_command(who, command, tmp_path, server.url)
            if not re.fullmatch(output_pattern(printed), answer):
                pytest.fail(f"{who}$ {command}{answer}\nand the page says\n{printed}")
            count += 1
    assert count > 20
