"""`scripts/mutants` in short: a few changes of one module, judged by the tests of one file."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cosmic_ray.mutating import mutate_code

from scripts.rules import mutants_exchanged, mutants_left_out

ROOT = Path(__file__).parents[2]
OPERATORS = {**mutants_left_out.OPERATORS, **mutants_exchanged.OPERATORS}

SHORT_RUN = ["--only", "africana/rules/limits.py", "--tests", "test_end_of_turn", "--seed", "3"]


def run_mutants(session: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "scripts.rules.mutants", "--session", str(session), *SHORT_RUN, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_mutants_are_killed_and_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    first_run = run_mutants(session, "--sample", "4")
    assert first_run.stderr == ""
    assert "\nkilled " in f"\n{first_run.stdout}"
    assert len(session.read_text("utf-8").splitlines()) == 4
    # What was tried is not tried again: only the two that are new.
    second_run = run_mutants(session, "--sample", "6")
    lines = [line for line in second_run.stdout.splitlines() if " s  zimcore/" in line]
    assert len(lines) == 2
    assert len(session.read_text("utf-8").splitlines()) == 6
    assert "killed (" in second_run.stdout


def test_a_run_without_time_tries_nothing(tmp_path: Path) -> None:
    result = run_mutants(tmp_path / "session.jsonl", "--sample", "3", "--minutes", "0")
    assert result.returncode == 1
    assert "3 of the sample are still to be tried" in result.stdout


def test_explained_survivors_match_the_source() -> None:
    """So that an explanation goes with the line that it is about."""
    for survivor in tomllib.loads((ROOT / "scripts" / "rules" / "mutants.toml").read_text("utf-8"))["survivor"]:
        lines = " ".join(map(str.strip, (ROOT / survivor["module"]).read_text("utf-8").splitlines()))
        assert survivor["was"] in lines, survivor
        assert survivor["why"]
        assert survivor["was"] != survivor["now"]


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_changes_its_examples(name: str) -> None:
    for example in OPERATORS[name].examples():
        assert mutate_code(example.pre_mutation_code, OPERATORS[name], example.occurrence) == example.post_mutation_code


@pytest.mark.parametrize(
    "code",
    [
        '@guard("T-1", Move)\ndef f(a):\n    pass',  # a guard of one command
        "a.happen(min(b))",  # in no function
        "def f(a):\n    return g(a, a)",
        "def f(a):\n    b = 1\n    return b",  # its next line would miss it at once
        "a.x = 1",  # in no function
        "def f(a):\n    x: int\n    return a(b=1)",  # nothing is assigned; not made anew
        "@guard(Thing(b=1))\ndef f(a):\n    pass",
    ],
)
def test_no_operator_changes_other_code(code: str) -> None:
    for operator in OPERATORS.values():
        assert mutate_code(code, operator, 0) is None


def test_arguments_of_min_and_max_are_not_swapped() -> None:
    operator = OPERATORS["exchanged/arguments"]
    assert mutate_code("def f(a):\n    return min(a, 2)", operator, 0) is None
    assert mutate_code("def f(a):\n    return pay(a, 2)", operator, 0) is not None
