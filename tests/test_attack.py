"""`scripts/attack` with a few tries: the program withstands each attack, and each attack finds its planted fault."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
ATTACKS = (
    *("flips", "truncations", "pages", "edits", "relabelled", "triggers", "rollbacks"),
    *("hostile certificates", "hostile exports", "hostile components", "name races"),
    *("kills", "kills postgresql", "sessions", "power", "restarts", "service", "deployment", "secrecy"),
    *("backups", "salvage", "stopped work", "witness logs", "foreign code", "outputs"),
    *("replaced files", "two names", "clocks", "command ids", "tokens", "delays"),
)
QUICK_ATTACKS = (
    "flips",
    "pages",
    "edits",
    "relabelled",
    "triggers",
    "rollbacks",
    "hostile exports",
    "name races",
    "power",
    "deployment",
    "secrecy",
)
"""Attacks that find their planted fault within a few seconds."""
SHORT_ATTACKS = ATTACKS[ATTACKS.index("backups") :]
"""Attacks that find each of their planted faults in their short form."""


@pytest.fixture(autouse=True)
def attacked_folder(disk_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks are on a disk, as their victims are."""
    monkeypatch.setenv("TMPDIR", str(disk_path))


def run_attack(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / "attack.py"), *arguments], capture_output=True, text=True, check=False
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


@pytest.mark.parametrize("name", QUICK_ATTACKS)
def test_each_quick_attack_catches_its_planted_fault(name: str) -> None:
    tries_option = ("--tries", "14") if name == "deployment" else ()  # each is a move, and needs a server
    result = run_attack("--planted", name, *tries_option)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert result.stdout.count(": ") >= 1, "there is a fault for it"


def test_short_attacks_catch_all_their_planted_faults() -> None:
    result = run_attack("--planted", "--short", *SHORT_ATTACKS)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    found_attacks = {row[45:67].strip() for row in result.stdout.splitlines()[1:] if "BREACH: " in row}
    assert found_attacks == {*SHORT_ATTACKS}


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
    scripts.mkdir()
    for name in ("attack", "attack.py", "venv.sh"):
        (scripts / name).write_bytes((SCRIPTS / name).read_bytes())
    result = subprocess.run(["sh", str(scripts / "attack"), "--help"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "power" in result.stdout
    assert not (tmp_path / ".venv").exists()
