"""`scripts/attack`, a few tries of each: everything is held off; and each catches what is planted for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
ATTACKS = (
    *("flips", "truncations", "pages", "edits", "relabelled", "triggers", "taken back"),
    *("hostile certificates", "hostile exports", "hostile components", "namers"),
    *("kills", "kills postgresql", "sessions", "power", "restarts", "service", "deployment", "secrecy"),
)
QUICK = (
    "flips",
    "pages",
    "edits",
    "relabelled",
    "triggers",
    "taken back",
    "hostile exports",
    "namers",
    "power",
    "deployment",
    "secrecy",
)
"""Attacks that find their planted fault within a few seconds."""


def attack(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / "attack.py"), *words], capture_output=True, text=True, check=False
    )


def test_every_attack_is_held_off(missing: Callable[[str], NoReturn]) -> None:
    result = attack("--short")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    heads, *rows = result.stdout.splitlines()
    assert heads.split() == ["attack", "tries", "result"]
    assert tuple(row[:22].strip() for row in rows) == ATTACKS
    assert all(row[28:].strip() for row in rows), "each try came to something"
    if "not tried: " in result.stdout:
        missing(result.stdout)


@pytest.mark.parametrize("name", QUICK)
def test_it_catches_what_is_planted(name: str) -> None:
    few = ("--tries", "14") if name == "deployment" else ()  # each is a move, and needs a server
    result = attack("--planted", name, *few)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert result.stdout.count(": ") >= 1, "there is a fault for it"


def test_a_fault_that_is_missed_is_named() -> None:
    """One try only cuts off an end, and rewrites nothing."""
    result = attack("--planted", "taken back", "--tries", "1")
    assert result.returncode == 1
    assert [
        line for line in result.stdout.splitlines() if "a witness misses only cut ends" in line and "MISSED: " in line
    ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("service --url https://zim.example --token t", 2, "--i-operate-this-server"),
        ("service --url http://127.0.0.1:1", 2, "ZIM_TOKEN"),
        ("service --url ftp://127.0.0.1 --token t", 2, "an address is"),
        ("service --url http://127.0.0.1:1 --token t --writers 0", 2, "at least 1"),
        ("power --url http://127.0.0.1:1 --token t", 2, "attack service --url URL"),
        ("service --url http://127.0.0.1:1 --token t", 1, "can't be used"),
    ],
)
def test_a_server_that_may_not_or_can_not_be_attacked(words: str, code: int, message: str) -> None:
    result = attack(*words.split())
    assert (result.returncode, message in result.stdout + result.stderr) == (code, True)


def test_help_needs_nothing_installed(tmp_path: Path) -> None:
    """In a checkout without its venv it says what there is, and makes none."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("attack", "attack.py", "venv.sh"):
        (scripts / name).write_bytes((SCRIPTS / name).read_bytes())
    result = subprocess.run(["sh", str(scripts / "attack"), "--help"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "power" in result.stdout
    assert not (tmp_path / ".venv").exists()
