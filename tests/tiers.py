"""Which tier each test is in (tiers.toml), and which searches a change asks for."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
NIGHTLY = "nightly"
CHOICES = ("fast", "all", NIGHTLY, "ci")
"""What `--tier` takes. `all` has the fast tests, too; `ci` is `all` and the searches that the changed files ask for."""


class Tier(NamedTuple):
    """A row of tiers.toml. Each of the long searches is a row of its own."""

    name: str
    holds: str
    tests: Sequence[str]
    changed: Sequence[str] = ()

    @property
    def is_search(self) -> bool:
        """Whether it is one of the long searches."""
        return self.name.startswith(NIGHTLY)


def read_tiers(table: dict[str, Any]) -> Iterator[Tier]:
    """The rows of a table as in tiers.toml. A column that is unknown or missing is a `TypeError`."""
    rows = {name: row for name, row in table.items() if name != NIGHTLY}
    searches = {f"{NIGHTLY}.{name}": row for name, row in table[NIGHTLY].items()}
    return (Tier(name, **row) for name, row in (rows | searches).items())


TIERS = tuple(read_tiers(tomllib.loads(Path(__file__).with_name("tiers.toml").read_text("utf-8"))))


def is_within(place: str, folder_or_test: str) -> bool:
    """Whether a file or a test is this one, or in this folder, file or function.

    >>> [is_within("tests/a.py::test_b[1]", each) for each in ("tests/", "tests/a.py", "tests/a.py::test_b")]
    [True, True, True]
    >>> [is_within("tests/a.py::test_b[1]", each) for each in ("tests/a", "tests/a.py::test")]
    [False, False]
    """
    rest = place[len(folder_or_test) :]
    return place.startswith(folder_or_test) and (folder_or_test[-1] == "/" or rest[:1] in ("", ":", "["))


def tier_of(test: str, tiers: Iterable[Tier] = TIERS) -> Tier:
    """The tier of a test or of a file: the longest place in the table that it is within decides.

    Raises `LookupError` if there is none.
    """
    places = ((len(place), tier) for tier in tiers for place in tier.tests if is_within(test, place))
    if found := max(places, key=lambda each: each[0], default=None):
        return found[1]
    raise LookupError(f"{test} is in no tier of tests/tiers.toml")


@cache
def tiers_of_file(path: str) -> frozenset[str]:
    """The names of the tiers that tests of this file are in."""
    tiers_of_its_tests = (tier.name for tier in TIERS if any(place.startswith(path + "::") for place in tier.tests))
    return frozenset([tier_of(path).name, *tiers_of_its_tests])


@cache
def chosen_tiers(choice: str) -> frozenset[str]:
    """The names of the tiers that a choice runs."""
    changes = changed_files() if choice == "ci" else []
    searches = [tier.name for tier in TIERS if tier.is_search and (choice != "ci" or is_asked_for(tier, changes))]
    chosen = {"fast": ["fast"], "all": ["fast", "all"], NIGHTLY: searches, "ci": ["fast", "all", *searches]}
    return frozenset(chosen[choice])


def is_asked_for(search: Tier, changes: Iterable[str] | None) -> bool:
    """Whether one of these changed files is of this search, or what it searches. None, unknown changes, ask for all."""
    places = [*search.tests, *search.changed]
    return changes is None or any(is_within(file, place.partition("::")[0]) for file in changes for place in places)


def changed_files() -> list[str] | None:
    """The files that differ from the commit in CI_BASE, else from main, on main from the commit before.

    None where git does not know.
    """
    for base in (os.environ.get("CI_BASE", ""), "origin/main", "main"):
        if (merge_base := git("merge-base", "HEAD", base)) and merge_base != git("rev-parse", "HEAD"):
            break
    else:
        merge_base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    return (git("diff", "--name-only", *merge_base) or []) if merge_base else None


def git(*words: str) -> list[str] | None:
    """The lines that git prints; None if it fails."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return None
