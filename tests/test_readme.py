"""What the README tells one to type works as printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.test_docs import pattern, run, steps

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def commands() -> list[list[list[str]]]:
    """The lines of each console block, as words."""
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    return [
        [shlex.split(line[2:], comments=True) for line in block.splitlines() if line[:2] == "$ "] for block in blocks
    ]


def test_the_readme_opens_with_what_it_is_and_then_the_demo_and_the_tests() -> None:
    beginning, _, after = README.partition("```console\n")
    assert after.startswith("$ scripts/zim demo\n$ scripts/test\n```\n")
    assert beginning.startswith("# Zim\n")
    pictures = re.findall(r'src(?:set)?="([^"]+)"', beginning)
    assert pictures[-1] == "docs/board.svg"
    assert all((ROOT / picture).exists() for picture in pictures)
    assert all(os.access(ROOT / command[0], os.X_OK) for command in commands()[0])


def test_the_tour_is_ten_lines_that_work(tmp_path: Path) -> None:
    tour = commands()[1]
    assert len(tour) == 10
    environment = os.environ | {"ZIM_STORE": f"sqlite:///{tmp_path}/games.db", "HOME": str(tmp_path)}
    for script, *words in tour:
        assert script == "scripts/zim"
        ran = subprocess.run(
            [sys.executable, "-m", "zimcli", *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment
        )
        assert (ran.returncode, ran.stderr) == (0, b""), words
        assert ran.stdout or words[0] == "play", words


def test_what_if_zulu_had_taken_eshu(tmp_path: Path) -> None:
    (tmp_path / "zimcore").symlink_to(ROOT / "zimcore")
    walk = README.partition("## What if Zulu had taken Eshu?")[2].partition("\n## ")[0]
    found = list(steps(walk.replace("scripts/zim", "zim")))
    assert {"fork", "compare", "amend", "bisect", "why", "verify"} <= {command.split()[1] for command, _ in found}
    for command, printed in found:
        told = run(command, tmp_path)
        assert re.fullmatch(pattern(printed), told), f"$ {command}\n{told}"
