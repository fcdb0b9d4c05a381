"""TypeScript checks the scripts of the pages by the types in their comments."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "tests" / "tsconfig.json"
FAULTY = """import { state } from "./state.js";
import { nothingOfTheKind } from "./steps.js";
const unused = 1;
state.all.steps[0].unheardOf.trim();
"""
FAULTS = ["TS2305", "TS6133", "TS6133", "TS2339"]
"""What is wrong in FAULTY, by the numbers of TypeScript: no such export, twice something unused, no such field."""


def test_scripts_of_the_pages_have_no_fault_that_types_show(program: Callable[..., str], tmp_path: Path) -> None:
    """One run checks our scripts, and that faults are found: each run takes seconds."""
    (tmp_path / "faulty.js").write_text(FAULTY, "utf-8")
    settings = json.loads(CONFIG.read_text("utf-8"))
    roots = [str((CONFIG.parent / each).resolve()) for each in settings["compilerOptions"]["rootDirs"]]
    ours = [str((CONFIG.parent / each).parent.resolve() / Path(each).name) for each in settings["include"]]
    settings = {
        "extends": str(CONFIG),
        "compilerOptions": {"rootDirs": [*roots, str(tmp_path)]},
        "include": [*ours, "faulty.js"],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [program("tsc"), "--pretty", "false", "-p", str(tmp_path)]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    assert [line for line in said if not line.startswith("faulty.js")] == []
    assert sorted(line.split("error ")[1][:6] for line in said) == sorted(FAULTS)
