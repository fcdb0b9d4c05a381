"""The table of tiers (tiers.toml): it covers what exists, and what a run of tests takes from it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import tiers
from tests.test_project import waits_for_a_screen
from tests.tiers import TIERS, Tier, is_asked_for, tier_of

ROOT = Path(__file__).parent.parent
TEST_FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
TEST_FILES = [file for file in TEST_FILES if file not in ("tests/test_tiers.py", "tests/test_project.py")]
"""The files of tests, without those that speak of terminals and use none."""
PARTS = {
    "PostgreSQL": r"\bpostgres_(url|schema|store)\b|\bstore_url\b",
    "a server as a process": r"tests\.server\.server_process|tests\.server\.deployment",
    "a terminal": r"tests\.cli\.screen|pexpect",
    "a browser": r"tests\.server\.browser",
}
"""What a file of tests that uses a real part has in its source."""
TABLE_ROW = re.compile(r"^\|`(scripts/test[^`]*)`\|([^|]+)\|$", re.MULTILINE)


def sample_tiers(*fast: str, search: str = "tests/oracle/") -> list[Tier]:
    return [Tier("fast", "", fast), Tier("nightly.oracle", "", [search], ["zimcore/games/"])]


def test_the_longest_place_decides() -> None:
    table = sample_tiers("tests/", "tests/oracle/test_a.py::test_b")
    assert tier_of("tests/new/test_c.py::test_d", table).name == "fast"
    assert tier_of("tests/oracle/test_a.py::test_c", table).name == "nightly.oracle"
    assert tier_of("tests/oracle/test_a.py::test_b[1]", table).name == "fast"


def test_a_test_in_no_tier_is_an_error() -> None:
    with pytest.raises(LookupError, match=r"tests/cli/test_a\.py is in no tier of tests/tiers\.toml"):
        tier_of("tests/cli/test_a.py", sample_tiers("tests/oracle/"))


def test_every_test_is_in_a_tier() -> None:
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]["testpaths"]
    places = [*(f"{folder}/" for folder in folders), *TEST_FILES]
    assert {tier_of(place).name for place in places} <= {tier.name for tier in TIERS}


def missing_places(table: list[Tier]) -> list[str]:
    """The places in a table that lead nowhere, and those that stand in it twice."""
    places = [place for tier in table for place in tier.tests]
    lost = [place for tier in table for place in (*tier.tests, *tier.changed) if not exists(place)]
    return lost + [place for place in places if places.count(place) > 1]


def exists(place: str) -> bool:
    """Whether there is this folder, file or test."""
    file, _, test = place.partition("::")
    path = ROOT / file
    if place.endswith("/"):
        return path.is_dir()
    return path.is_file() and (not test or f"def {test.partition('[')[0]}(" in path.read_text("utf-8"))


def test_every_place_of_the_table_exists() -> None:
    assert missing_places([*TIERS]) == []


@pytest.mark.parametrize(
    "place", ["tests/nowhere/", "tests/test_nothing.py", "tests/test_tiers.py::test_nothing", "tests/test_tiers"]
)
def test_a_place_that_leads_nowhere_is_named(place: str) -> None:
    assert missing_places(sample_tiers("tests/", place)) == [place]
    assert missing_places(sample_tiers("tests/oracle/")) == ["tests/oracle/", "tests/oracle/"]


def fast_places(file: str) -> list[str]:
    """What of a file is in the fast tier: the file itself, or the tests that are named."""
    if tier_of(file).name == "fast":
        return [file]
    return [place for place in TIERS[0].tests if place.startswith(file + "::")]


@pytest.mark.parametrize("part", PARTS)
def test_the_fast_tier_passes_through_each_real_part(part: str) -> None:
    files = [file for file in TEST_FILES if re.search(PARTS[part], (ROOT / file).read_text("utf-8"))]
    assert any(fast_places(file) for file in files)


def test_no_file_with_a_screen_is_fast_but_by_name() -> None:
    """Terminals and browsers take seconds. Give a new file a row in tests/tiers.toml, beside files like it."""
    screens = [file for file in TEST_FILES if waits_for_a_screen((ROOT / file).read_text("utf-8"))]
    named = {place for tier in TIERS for place in tier.tests}
    assert [file for file in screens if tier_of(file).name == "fast" and file not in named] == []


def test_a_search_runs_when_it_or_what_it_searches_has_changed() -> None:
    search = sample_tiers(search="tests/oracle/test_a.py::test_b")[1]
    assert is_asked_for(search, ["docs/tour.md", "zimcore/games/zimbabwe/board.py"])
    assert is_asked_for(search, ["tests/oracle/test_a.py"])
    assert is_asked_for(search, None), "where the changes are unknown"
    assert not is_asked_for(search, ["docs/tour.md", "tests/tiers.toml", "zimcore/game.py"])


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, find_program: Callable[..., str]) -> Path:
    """A repository with two commits on main, where each changed a file of its own."""
    find_program("git")
    monkeypatch.setattr(tiers, "ROOT", tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "anna")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "anna@localhost")
    run_git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for name in ("one", "two"):
        commit_file(tmp_path, name)
    return tmp_path


def run_git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def commit_file(folder: Path, name: str) -> None:
    (folder / name).write_text(name)
    run_git(folder, "add", name)
    run_git(folder, "commit", "--quiet", "--message", f"Add {name}")


def test_the_changes_of_a_branch_are_those_since_main(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI_BASE", raising=False)
    assert tiers.changed_files() == ["two"], "on main, those of the last commit"
    monkeypatch.setenv("CI_BASE", "HEAD~2")
    commit_file(repository, "six")
    assert tiers.changed_files() == ["six", "two"], "those since the commit that was tested last"
    monkeypatch.delenv("CI_BASE")
    run_git(repository, "switch", "--quiet", "--create", "branch")
    for name in ("three", "four"):
        commit_file(repository, name)
    (repository / "one").write_text("not committed")
    assert tiers.changed_files() == ["four", "one", "three"]


def test_without_a_commit_before_or_git_the_changes_are_unknown(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(repository, "checkout", "--quiet", "--orphan", "new")
    commit_file(repository, "five")
    run_git(repository, "branch", "--delete", "--force", "main")
    assert tiers.changed_files() is None
    monkeypatch.setattr(tiers, "ROOT", tmp_path_factory.mktemp("no repository"))
    assert tiers.changed_files() is None


def test_the_page_says_what_each_tier_holds() -> None:
    text = (ROOT / "docs" / "contributing.md").read_text("utf-8")
    searches = "; ".join(tier.holds for tier in TIERS if tier.is_search)
    assert TABLE_ROW.findall(text) == [
        ("scripts/test", TIERS[0].holds),
        ("scripts/test --all", TIERS[1].holds),
        ("scripts/test --nightly", searches),
    ]


def run_tests(*arguments: str, **variables: str) -> str:
    """What a run of tests prints."""
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    return process.stdout + process.stderr


def collected_tests(*arguments: str) -> list[str]:
    """The tests of two files, a search and a fast one, that a run with these arguments would run."""
    files = ("tests/oracle/test_oracle.py", "tests/test_project.py")
    return [line for line in run_tests("--collect-only", *arguments, *files).splitlines() if "::" in line]


def test_a_tier_is_chosen_and_a_seed_shuffles() -> None:
    fast_tests, searches = collected_tests("--tier", "fast"), collected_tests("--tier", "nightly")
    assert {test.partition("::")[0] for test in fast_tests} == {"tests/test_project.py"}
    assert {test.partition("::")[0] for test in searches} == {"tests/oracle/test_oracle.py"}
    shuffled_tests = collected_tests("--tier", "fast", "--shuffle", "7")
    assert shuffled_tests != fast_tests
    assert sorted(shuffled_tests) == sorted(fast_tests)


def test_no_test_touches_the_store_of_the_developer(tmp_path: Path) -> None:
    store = tmp_path / "own.db"
    store.write_bytes(b"the games of a developer")
    variables = {"ZIM_STORE": f"sqlite:///{store}", "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    output = run_tests("tests/toolkit/test_new_game.py", "-k", "broken_game", **variables)
    assert output.startswith(". "), output
    assert store.read_bytes() == b"the games of a developer"
    assert [path.name for path in tmp_path.iterdir()] == ["own.db"]


STUBS = {
    "ruff": 'echo "ruff $*"; echo "ruff $* ends"; [ "$1" != format ]',
    "mypy": "echo mypy",
    "python": 'echo "pytest $*"',
}
"""Programs in place of the checks. The format is wrong."""


def run_script(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a copy of scripts/test in an environment of stubs."""
    for name in ("scripts", "bin"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "scripts" / "venv.sh").write_text("venv=$root\nprepare() { :; }\n")
    (folder / "scripts" / "test").write_text((ROOT / "scripts" / "test").read_text("utf-8"))
    for name, program in STUBS.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{program}\n")
        (folder / "bin" / name).chmod(0o755)
    return subprocess.run(
        ["sh", str(folder / "scripts" / "test"), *arguments], capture_output=True, text=True, check=False
    )


def test_the_script_reports_each_check_whole_and_names_what_failed(tmp_path: Path) -> None:
    process = run_script(tmp_path)
    assert process.returncode == 1
    assert process.stderr == "\nfailed:\n  format: run '.venv/bin/ruff format'\n"
    tests, *checks = process.stdout.split("\n== ")[1:]
    assert tests.startswith("tests\npytest -m pytest -n ")
    assert tests.endswith(" --tier=fast\n")
    assert checks[:3] == [
        "lint\nruff check\nruff check ends\n",
        "format\nruff format --check\nruff format --check ends\n",
        "types\nmypy\n",
    ]
    assert checks[3].startswith("imports\npytest -m pytest ")
    assert len(checks) == 4


@pytest.mark.parametrize(
    ("arguments", "expected_end"),
    [
        (["--all", "-x"], "--tier=all -x"),
        (["--nightly"], "--tier=nightly"),
        (["--ci"], "--tier=ci"),
        (["-k", "a potter"], "--durations-min=5 -k a potter"),
    ],
)
def test_the_first_argument_of_the_script_chooses_a_tier(
    tmp_path: Path, arguments: list[str], expected_end: str
) -> None:
    (tests,) = re.findall("^pytest .* -n .*$", run_script(tmp_path, *arguments).stdout, re.MULTILINE)
    assert tests.endswith(expected_end)
