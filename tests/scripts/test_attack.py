"""`scripts/attack` with a few tries: the program withstands each attack, and each attack finds its planted fault."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
ATTACKS = (
    *("flips", "truncations", "pages", "edits", "relabelled", "triggers", "rollbacks"),
    *("hostile certificates", "hostile exports", "hostile components", "name races"),
    *("kills", "kills postgresql", "sessions", "power", "restarts", "service", "deployment", "secrecy"),
    *("backups", "salvage", "stopped work", "witness logs", "foreign code", "outputs"),
    *("replaced files", "two names", "clocks", "command ids", "tokens", "delays"),
)


@pytest.fixture(autouse=True)
def attacked_folder(disk_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks are on a disk, as their victims are."""
    monkeypatch.setenv("TMPDIR", str(disk_path))


def run_attack(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "scripts.attacks.attack", *arguments], capture_output=True, text=True, check=False
    )


def test_every_attack_is_held_off(skip_or_fail: Callable[[str], NoReturn]) -> None:
    result = run_attack("--short")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    heading, *rows = result.stdout.splitlines()
    assert heading.split() == ["attack", "tries", "result"]
    assert tuple(row[:22].strip() for row in rows) == ATTACKS
    assert all(row[28:].strip() for row in rows), "each try came to something"
    if "not tried: " in result.stdout:
        skip_or_fail(result.stdout)


@pytest.mark.parametrize("name", ATTACKS)
def test_each_planted_fault_is_caught(name: str) -> None:
    result = run_attack("--planted", "--short", name)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    _, *rows = result.stdout.splitlines()
    assert rows, "there is a fault for it"
    assert all("BREACH: " in row or "not tried: " in row for row in rows), "the attack came to its end"


def test_a_fault_that_is_missed_is_named() -> None:
    """One try only cuts off an end, and rewrites nothing."""
    result = run_attack("--planted", "rollbacks", "--tries", "1")
    assert result.returncode == 1
    assert [
        line for line in result.stdout.splitlines() if "a witness misses only cut ends" in line and "MISSED: " in line
    ]


@pytest.mark.parametrize(
    ("words", "exit_code", "message"),
    [
        ("service --url https://zim.example --token t", 2, "--i-operate-this-server"),
        ("service --url http://127.0.0.1:1", 2, "ZIM_TOKEN"),
        ("service --url ftp://127.0.0.1 --token t", 2, "an address is"),
        ("service --url http://127.0.0.1:1 --token t --writers 0", 2, "at least 1"),
        ("power --url http://127.0.0.1:1 --token t", 2, "attack service --url URL"),
        ("service --url http://127.0.0.1:1 --token t", 1, "can't be used"),
    ],
)
def test_attack_refuses_a_server_that_it_may_not_or_cannot_use(words: str, exit_code: int, message: str) -> None:
    result = run_attack(*words.split())
    assert (result.returncode, message in result.stdout + result.stderr) == (exit_code, True)


def test_help_needs_no_installation(tmp_path: Path) -> None:
    """In a checkout without its venv, `--help` lists the attacks and creates no venv."""
    scripts = tmp_path / "scripts"
    (scripts / "attacks").mkdir(parents=True)
    for name in ("attack", "__init__.py", "attacks/__init__.py", "attacks/attack.py", "venv.sh"):
        (scripts / name).write_bytes((SCRIPTS / name).read_bytes())
    result = subprocess.run(["sh", str(scripts / "attack"), "--help"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "power" in result.stdout
    assert not (tmp_path / ".venv").exists()
