"""`scripts/attack`, a few tries of each: everything is held off."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parent.parent
ATTACKS = (
    *("flips", "truncations", "swapped pages", "tampering", "taken back"),
    *("hostile certificates", "hostile exports", "hostile components", "namers"),
    *("kills", "kills postgresql", "sessions", "restarts", "service", "secrecy"),
)


def test_every_attack_is_held_off(missing: Callable[[str], NoReturn]) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "attack.py"), "--short"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    heads, *rows = ran.stdout.splitlines()
    assert heads.split() == ["attack", "tries", "result"]
    assert tuple(row[:22].strip() for row in rows) == ATTACKS
    assert all(row[28:].strip() for row in rows), "each try came to something"
    if "not tried: " in ran.stdout:
        missing(ran.stdout)
