"""`scripts/mutants` in short: a few changes of one module, judged by the tests of one file."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cosmic_ray.mutating import mutate_code

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from mutants_left_out import OPERATORS  # noqa: E402

SHORT = ["--only", "africana/rules/limits.py", "--tests", "test_end_of_turn", "--seed", "3"]


def mutants(session: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "mutants.py"), "--session", str(session), *SHORT, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_changes_are_noticed_and_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    first = mutants(session, "--sample", "4")
    assert first.stderr == ""
    assert "\nkilled " in f"\n{first.stdout}"
    assert len(session.read_text("utf-8").splitlines()) == 4
    # What was tried is not tried again: only the two that are new.
    second = mutants(session, "--sample", "6")
    lines = [line for line in second.stdout.splitlines() if " s  zimcore/" in line]
    assert len(lines) == 2
    assert len(session.read_text("utf-8").splitlines()) == 6
    assert "killed (" in second.stdout


def test_no_time_is_no_trial(tmp_path: Path) -> None:
    none = mutants(tmp_path / "session.jsonl", "--sample", "3", "--minutes", "0")
    assert none.returncode == 1
    assert "3 of the sample are still to be tried" in none.stdout


def test_what_is_explained_still_stands_there() -> None:
    """So that an explanation goes with the line that it is about."""
    for each in tomllib.loads((ROOT / "scripts" / "mutants.toml").read_text("utf-8"))["survivor"]:
        lines = " ".join(map(str.strip, (ROOT / each["module"]).read_text("utf-8").splitlines()))
        assert each["was"] in lines, each
        assert each["why"]
        assert each["was"] != each["now"]


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_left_out(name: str) -> None:
    for example in OPERATORS[name].examples():
        assert mutate_code(example.pre_mutation_code, OPERATORS[name], example.occurrence) == example.post_mutation_code


@pytest.mark.parametrize(
    "code",
    [
        "def f(a):\n    b = 1\n    return b",  # its next line would miss it at once
        "a.x = 1",  # in no function
        "def f(a):\n    x: int\n    return a(b=1)",  # nothing is assigned; not made anew
        "@guard(Thing(b=1))\ndef f(a):\n    pass",
    ],
)
def test_what_is_not_left_out(code: str) -> None:
    for operator in OPERATORS.values():
        assert mutate_code(code, operator, 0) is None
