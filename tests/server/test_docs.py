"""Every example of docs/api.md works as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.process import serving
from tests.test_docs import ROOT, pattern, run, steps

HERE = "http://127.0.0.1:8321"


def test_what_the_page_says_is_so(tmp_path: Path, program: Callable[..., str]) -> None:
    for needed in ("jq", "curl"):
        program(needed)
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    with serving(tmp_path) as server:
        done = 0
        for command, printed in steps(text.replace(HERE, server.url)):
            answer = run(command, tmp_path, {"ZIM_STORE": f"sqlite:///{tmp_path}/games.db"})
            if not re.fullmatch(pattern(printed), answer):
                pytest.fail(f"$ {command}{answer}\nand the page says\n{printed}")
            done += 1
    assert done > 20


def test_who_may_what_is_what_the_table_says() -> None:
    made = subprocess.run([sys.executable, "scripts/matrix.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert made.stdout in (ROOT / "docs" / "api.md").read_text("utf-8"), "put what scripts/matrix.py prints there"
