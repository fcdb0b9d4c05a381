"""The operator's page is typed on a fresh Debian, and no block of it is left out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.hosts import rehearse
from scripts.hosts.rehearse_machine import missing_requirement


def test_each_block_of_the_page_is_known(tmp_path: Path) -> None:
    """Each replaced command and each block with an action around it is on the page exactly once."""
    page = rehearse.PAGE.read_text("utf-8")
    blocks = [*rehearse.blocks(page)]
    assert len(blocks) == page.count("```") // 2
    for first_line in (*rehearse.STEPS, *rehearse.TYPED_LATER):
        assert sum(block.first_line.startswith(first_line) for block in blocks) == 1, first_line
    for change in rehearse.CHANGES:
        assert sum(change.printed in block.text.split("\n")[0] for block in blocks) >= 1, change
    assert all(package in page for package in rehearse.PACKAGES)


@pytest.mark.skipif("ZIM_REHEARSE" not in os.environ, reason="it takes minutes: ZIM_REHEARSE=1 runs it, as root")
@pytest.mark.skipif(bool(missing_requirement()), reason=missing_requirement())
def test_the_page_is_typed_on_a_fresh_debian() -> None:
    """Runs only on request: it boots a Debian, which takes root, a mirror of packages, and up to 15 minutes.

    Run it when the page changes, or what it types: some faults are found only here.
    """
    process = subprocess.run(
        [sys.executable, "-P", "-m", "scripts.hosts.rehearse", "--short"], capture_output=True, text=True, check=False
    )
    if process.returncode == 2:
        pytest.skip(process.stderr)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "12 of 13 blocks typed" in process.stdout
    assert "restored to an empty database, too" in process.stdout
    assert "stopped in" in process.stdout
