"""Faults planted in the engine, one at a time, to see the oracle find them: `planted_faults.toml` has them.

Each is tried in a process of its own, where the module is imported as changed; no file is touched. In that process:

    python -m tests.oracle.planted_faults GAME NUMBER SEED DECISIONS

says as JSON whether there was a difference, after how many decisions, and which.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.source_importer import SourceImporter

ROOT = Path(__file__).parent.parent.parent
MAX_DECISIONS = 150_000
"""Decisions after which a fault counts as not found."""


@dataclass(frozen=True)
class Fault:
    """A fault: its description, its module, and the text there with its replacement."""

    game: str
    number: int
    description: str
    module: str
    original: str
    replacement: str

    @property
    def path(self) -> Path:
        return ROOT / f"{self.module.replace('.', '/')}.py"

    def source_with_fault(self) -> str:
        """The module's source with the fault. Raises `ValueError` if the text is not there exactly once."""
        source = self.path.read_text("utf-8")
        if source.count(self.original) != 1:
            raise ValueError(
                f"{self.path.name} has this {source.count(self.original)} times, not once: {self.original!r}"
            )
        return source.replace(self.original, self.replacement)


@dataclass(frozen=True)
class TrialResult:
    """The result of a fault: whether it was found, after how many decisions, and the first lines of the difference."""

    is_found: bool
    decisions: int
    difference: str


def faults(game: str) -> list[Fault]:
    """All that are planted in a game."""
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[game]
    return [Fault(game, number, **entry) for number, entry in enumerate(entries)]


def try_fault(fault: Fault, seed: int, max_decisions: int = MAX_DECISIONS) -> TrialResult:
    """Plants a fault in another process, and plays there until it is found. Raises `RuntimeError` where that fails."""
    command = [
        sys.executable,
        "-m",
        "tests.oracle.planted_faults",
        fault.game,
        str(fault.number),
        str(seed),
        str(max_decisions),
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if process.returncode:
        raise RuntimeError(f"{fault.description}\n{process.stderr}")
    return TrialResult(**json.loads(process.stdout))


def main(game: str, number: str, seed: str, max_decisions: str) -> None:
    """Plants a fault, plays, and prints the result."""
    fault = faults(game)[int(number)]
    sys.meta_path.insert(0, SourceImporter(fault.path, fault.module, fault.source_with_fault()))
    from tests.oracle.compare import run_campaign
    from tests.oracle.tables import TABLES

    importlib.import_module(fault.module)  # a source that can't be run is no fault for the oracle
    tally = run_campaign(TABLES[game], int(seed), is_enough=lambda tally: tally.decisions >= int(max_decisions))
    difference = tally.differences[0] if tally.differences else None
    text = (
        f"{difference.subject}: oracle {difference.oracle_answer}, engine {difference.engine_answer}"
        if difference
        else ""
    )
    print(json.dumps({"is_found": bool(difference), "decisions": tally.decisions, "difference": text}))


if __name__ == "__main__":
    main(*sys.argv[1:])
