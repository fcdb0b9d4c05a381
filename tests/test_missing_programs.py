"""Tests that need what this machine lacks are skipped at home, and fail in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS_WITH_NEEDS = (
    "tests/picture/test_replay.py::test_the_page_shows_board_log_and_tables",
    "tests/cli/test_completion.py::test_the_completion_script_has_valid_syntax[fish]",
)


@pytest.mark.parametrize(("ci", "outcome"), [("", "2 skipped"), ("true", "1 failed, 1 error")])
def test_tests_without_their_programs_skip_at_home_and_fail_in_ci(ci: str, outcome: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *TESTS_WITH_NEEDS],
        cwd=Path(__file__).parent.parent,
        env=os.environ | {"CI": ci, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert outcome in result.stdout.splitlines()[-1], result.stdout
