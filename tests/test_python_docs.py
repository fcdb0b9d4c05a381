"""The program in docs/python.md runs as printed, and the installed package has types for its users."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STRICT_MYPY = (
    *(sys.executable, "-m", "mypy", "--strict", "--config-file="),
    *("--cache-dir", str(ROOT / ".mypy_cache" / "docs")),
)
"""Checks files as those of other people, without the settings of this project."""
PROGRAM = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text("utf-8"), re.DOTALL))


def test_the_program_runs() -> None:
    exec(compile(PROGRAM, "docs/python.md", "exec"), {"__name__": "docs"})


def test_the_program_passes_mypy(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    process = subprocess.run(
        [*STRICT_MYPY, str(tmp_path / "program.py")], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout


@pytest.mark.parametrize("package", ["zimcore", "zimcli", "event_store"])
def test_each_package_says_that_it_is_typed(package: str) -> None:
    assert (Path(str(import_module(package).__file__)).parent / "py.typed").exists()
