"""Runs the kit of authors over all planted faults and all games without faults, and counts what it finds.

The short form is tests/toolkit/test_planted_faults.py; here matches are as many and as long as you say.

Example::

    python -m scripts.research.check_kit --games 3 --moves 60 --deals 3
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from tests.toolkit.test_planted_faults import CORRECT_GAMES, FAULTS, line_of_finding, source_with_fault
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.check import TrialCounts, check


def main() -> None:
    """Prints each fault that is not found at its line, each correct game that is accused, and the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, count in (("games", 3), ("moves", 60), ("deals", 3)):
        parser.add_argument(f"--{name}", type=int, default=count, help=f"how many {name} ({count})")
    sizes = parser.parse_args()
    counts = [sizes.games, sizes.moves, sizes.deals]
    accused = [game.name for game in CORRECT_GAMES if is_accused(game, *counts)]
    found = [fault["name"] for number, fault in enumerate(FAULTS) if is_found(number, *counts)]
    missed = [fault["name"] for fault in FAULTS if fault["name"] not in found]
    print(f"{len(found)} of {len(FAULTS)} planted faults found and located", *missed, sep="\n  missed: ")
    print(f"{len(accused)} of {len(CORRECT_GAMES)} correct games accused", *accused, sep="\n  accused: ")
    sys.exit(bool(missed or accused))


def is_accused(game: Bundle, matches: int, moves: int, deals: int) -> bool:
    """Whether a correct game has a finding. Prints it, and what was tried."""
    counts = TrialCounts()
    findings = [*check(game, matches=matches, moves=moves, deals=deals, counts=counts)]
    worlds = f"{counts.impossible_worlds} of {counts.worlds} worlds impossible"
    print(f"{game.name}: {counts.pairs} pairs, {worlds}", *findings, sep="\n  ", flush=True)
    return bool(findings)


def is_found(number: int, matches: int, moves: int, deals: int) -> bool:
    """Whether a planted fault is found at one of its lines."""
    fault, name = FAULTS[number], f"faulty_{number}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.py"
        file.write_text(source_with_fault(fault), "utf-8")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        lines = file.read_text("utf-8").splitlines()
        faulty_lines = {index for index, line in enumerate(lines, 1) if line.endswith("# fault")}
        findings = check(Bundle(name, name, "Faulty", "1"), matches=matches, moves=moves, deals=deals)
        is_located = any(
            finding.member == fault["member"] and line_of_finding(finding) in faulty_lines for finding in findings
        )
        sys.path.remove(folder)
    return is_located


if __name__ == "__main__":
    main()
