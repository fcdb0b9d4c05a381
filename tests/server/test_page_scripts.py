"""TypeScript checks the page scripts by the types in their comments; oxlint finds habits that hide faults; oxfmt checks
their format. To format them: `.venv/bin/oxfmt -c tests/oxfmt.json FILES`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "tests" / "tsconfig.json"
FAULTY_SCRIPT = """import { state } from "./state.js";
import { nothingOfTheKind } from "./steps.js";
const unused = 1;
state.all.steps[0].unheardOf.trim();
"""
FAULT_CODES = ["TS2305", "TS6133", "TS6133", "TS2339"]
"""The faults in FAULTY_SCRIPT, as TypeScript numbers them: no such export, two unused names, no such field."""


def test_page_scripts_have_no_type_errors(find_program: Callable[..., str], tmp_path: Path) -> None:
    """One run checks our scripts, and that faults are found: each run takes seconds."""
    (tmp_path / "faulty.js").write_text(FAULTY_SCRIPT, "utf-8")
    settings = json.loads(CONFIG.read_text("utf-8"))
    roots = [str((CONFIG.parent / each).resolve()) for each in settings["compilerOptions"]["rootDirs"]]
    scripts = [str((CONFIG.parent / each).parent.resolve() / Path(each).name) for each in settings["include"]]
    settings = {
        "extends": str(CONFIG),
        "compilerOptions": {"rootDirs": [*roots, str(tmp_path)]},
        "include": [*scripts, "faulty.js"],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    command = [find_program("tsc"), "--pretty", "false", "-p", str(tmp_path)]
    errors = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    assert [line for line in errors if not line.startswith("faulty.js")] == []
    assert sorted(line.split("error ")[1][:6] for line in errors) == sorted(FAULT_CODES)


SCRIPT_FOLDERS = [str(ROOT / "zimcore" / "server" / "pages" / "static"), str(ROOT / "zimcore" / "picture")]
RULES_OF_TASTE = ("no-shadow", "prefer-add-event-listener", "no-array-sort")
MISTAKEN_RULES = ("no-useless-spread", "no-unmodified-loop-condition")
"""Rules that are mistaken here: one loop removes from the list that it copies; another ends by a change elsewhere."""
LINT_OPTIONS = (
    "-D",
    "correctness",
    "-D",
    "suspicious",
    *(word for rule in (*RULES_OF_TASTE, *MISTAKEN_RULES) for word in ("-A", rule)),
)


def test_page_scripts_have_no_lint_errors(find_program: Callable[..., str], tmp_path: Path) -> None:
    faulty_file = tmp_path / "faulty.js"
    faulty_file.write_text(
        "export const f = x => { if (x = 1) return 1; else if (x === NaN) return 2; return x; debugger; };\n"
    )
    command = [find_program("oxlint"), "--format", "unix", *LINT_OPTIONS]
    clean_run = subprocess.run([*command, *SCRIPT_FOLDERS], capture_output=True, text=True, check=False)
    assert (clean_run.returncode, clean_run.stdout) == (0, ""), clean_run.stdout
    faulty_run = subprocess.run([*command, str(faulty_file)], capture_output=True, text=True, check=False)
    assert faulty_run.returncode == 1
    for rule in ("no-cond-assign", "use-isnan", "no-debugger", "no-unreachable"):
        assert rule in faulty_run.stdout, rule


def test_page_scripts_are_formatted(find_program: Callable[..., str], tmp_path: Path) -> None:
    unformatted_file = tmp_path / "untidy.js"
    unformatted_file.write_text("export const f = (x) => {return x}\n")
    scripts = [str(path) for folder in SCRIPT_FOLDERS for path in Path(folder).glob("*.js")]
    command = [find_program("oxfmt"), "-c", str(ROOT / "tests" / "oxfmt.json"), "--list-different"]
    process = subprocess.run([*command, *scripts, str(unformatted_file)], capture_output=True, text=True, check=False)
    assert [Path(line).name for line in process.stdout.splitlines()] == ["untidy.js"], process.stdout + process.stderr


PLAYABLE = {".my-turn #now h2", ".my-turn #act", ".lights rect", ".cards li.turn", ".play", ".primary"}
"""The selectors that may be red: whose turn it is, what is lit, the button that plays."""
RED = re.compile(r"var\(--(?:red|primary)\)|#b3261e")


def red_selectors(style: str) -> set[str]:
    """The selectors of all rules of a style that use red, without the rules that define it."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    return {selector.strip() for selector, body in rules if RED.search(body) and selector.strip() != ":root"}


def test_red_means_what_can_be_played_and_nothing_else() -> None:
    styles = [path.read_text("utf-8") for folder in SCRIPT_FOLDERS for path in sorted(Path(folder).glob("*.css"))]
    found = set[str]().union(*map(red_selectors, styles))
    assert {each for each in found if each not in PLAYABLE} == set()
    assert {".play", ".lights rect"} <= found
    assert red_selectors(".problem { color: var(--red); }") == {".problem"}, "a fault is found"
