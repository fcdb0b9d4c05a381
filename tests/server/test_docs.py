"""Every example of docs/api.md works as printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.process import serving
from tests.test_docs import ROOT, output_pattern, run, steps
from zimcore.documents.endpoints import ENDPOINTS

HERE = "http://127.0.0.1:8321"


def test_what_the_page_says_is_so(tmp_path: Path, program: Callable[..., str]) -> None:
    for needed in ("jq", "curl"):
        program(needed)
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    with serving(tmp_path) as server:
        count = 0
        for command, printed in steps(text.replace(HERE, server.url)):
            answer = run(command, tmp_path, {"ZIM_STORE": f"sqlite:///{tmp_path}/games.db"})
            if not re.fullmatch(output_pattern(printed), answer):
                pytest.fail(f"$ {command}{answer}\nand the page says\n{printed}")
            count += 1
    assert count > 20


def test_the_reference_says_who_may_use_each_endpoint() -> None:
    """That it says the same as the table is held by tests/cli/test_registry.py."""
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+) (/v1\S+)` \| (.+) \|$", text, re.MULTILINE)
    assert [(method, path) for method, path, _ in rows] == [(row.method, row.path) for row in ENDPOINTS]
    roles = {f"{method} {path}": who for method, path, who in rows}
    assert roles["POST /v1/games"] == "host"
    assert roles["POST /v1/tokens"] == "no token"
    assert roles["DELETE /v1/games/{game}/lines/{line}"] == "seat (own line), bot (own line)"
