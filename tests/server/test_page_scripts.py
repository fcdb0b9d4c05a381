"""TypeScript checks the scripts of the pages by the types in their comments, oxlint for habits that hide faults, and
oxfmt how they are set out: `.venv/bin/oxfmt -c tests/oxfmt.json FILES` sets them out so.
"""

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
    errors = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    assert [line for line in errors if not line.startswith("faulty.js")] == []
    assert sorted(line.split("error ")[1][:6] for line in errors) == sorted(FAULTS)


OURS = [str(ROOT / "zimcore" / "server" / "pages" / "static"), str(ROOT / "zimcore" / "picture")]
TASTE = ("no-shadow", "prefer-add-event-listener", "no-array-sort")
WRONG = ("no-useless-spread", "no-unmodified-loop-condition")
"""Rules that are mistaken here: what a loop removes from is copied before; what ends a loop changes while it waits."""
LINT = ("-D", "correctness", "-D", "suspicious", *(word for rule in (*TASTE, *WRONG) for word in ("-A", rule)))


def test_scripts_of_the_pages_have_no_fault_that_a_linter_finds(program: Callable[..., str], tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.js"
    faulty.write_text(
        "export const f = x => { if (x = 1) return 1; else if (x === NaN) return 2; return x; debugger; };\n"
    )
    command = [program("oxlint"), "--format", "unix", *LINT]
    run = subprocess.run([*command, *OURS], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, ""), run.stdout
    process = subprocess.run([*command, str(faulty)], capture_output=True, text=True, check=False)
    assert process.returncode == 1
    for rule in ("no-cond-assign", "use-isnan", "no-debugger", "no-unreachable"):
        assert rule in process.stdout, rule


def test_scripts_of_the_pages_are_set_out_alike(program: Callable[..., str], tmp_path: Path) -> None:
    untidy = tmp_path / "untidy.js"
    untidy.write_text("export const f = (x) => {return x}\n")
    ours = [str(path) for folder in OURS for path in Path(folder).glob("*.js")]
    command = [program("oxfmt"), "-c", str(ROOT / "tests" / "oxfmt.json"), "--list-different"]
    run = subprocess.run([*command, *ours, str(untidy)], capture_output=True, text=True, check=False)
    assert [Path(line).name for line in run.stdout.splitlines()] == ["untidy.js"], run.stdout + run.stderr
