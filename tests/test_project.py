"""The project as a package: one version, pins for all that it needs, and no path of a developer's machine in it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import second_chances
from zimcli import __version__

ROOT = Path(__file__).parent.parent
SECOND_CHANCE = re.compile(r"mark\.flaky|\breruns?\b", re.IGNORECASE)


def test_there_is_one_version() -> None:
    output = run([Path(sys.executable).with_name("zim"), "--version"])
    assert metadata.version("great-zim") == __version__, (
        "the installation is older than zimcli/__init__.py: run scripts/zim"
    )
    assert output == run([sys.executable, "-m", "zimcli", "--ascii", "--version"]) == f"zim {__version__}\n"


def test_everything_installed_for_zim_is_pinned() -> None:
    not_pinned = {"great-zim", "pip", "setuptools"}  # ours, and what a new venv has
    needed = {(name, metadata.version(name)) for name in needs({"great-zim", "hatchling"}) - not_pinned}
    assert needed <= pins("test").keys(), "run scripts/lock"


def test_the_pins_are_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [*chain.from_iterable(project["optional-dependencies"].values())]
    found = chain.from_iterable(project["optional-dependencies"][extra] for extra in light())
    for of, lines in (("run", [*project["dependencies"], *found]), ("test", project["dependencies"] + extras)):
        required = {canonical(each.name): each.specifier for each in map(Requirement, lines)}
        versions = dict(pins(of).keys())
        stale = [name for name, bounds in required.items() if versions.get(name, "0") not in bounds]
        assert stale == [], "run scripts/lock"


def test_who_only_plays_gets_what_was_tested() -> None:
    assert pins("run").items() < pins("test").items()


@pytest.mark.parametrize("of", ["run", "test"])
def test_every_pin_says_what_its_files_hash_to(of: str) -> None:
    assert [pin for pin, hashes in pins(of).items() if not hashes] == []


def test_the_readme_is_named_once_it_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    expected = "README.md" if (ROOT / "README.md").exists() else None
    assert project.get("readme") == expected, 'a missing one stops the build: readme = "README.md" goes with the file'


def test_the_wheel_holds_the_three_rooms_and_their_data(tmp_path: Path) -> None:
    run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path])
    (wheel,) = tmp_path.glob("*.whl")
    built = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    tracked = tracked_files("zimcore", "zimcli", "event_store")
    assert tracked <= built
    assert {name.split("/")[0] for name in built} == {"zimcore", "zimcli", "event_store"}


def test_no_file_names_a_package_registry() -> None:
    hosts = re.compile(rb"pypi[.](org|python)|pythonhosted[.]|registry[.]npmjs|(index|find)-(url|links)")
    assert [name for name in tracked_files() if hosts.search((ROOT / name).read_bytes())] == []


def light() -> list[str]:
    """The extras that the first run of a checkout installs."""
    return re.search(r"for extra in ([a-z ]+);", (ROOT / "scripts/lock").read_text())[1].split()  # type: ignore[index]


def test_what_is_said_to_install_is_an_extra_that_the_first_run_has_or_that_weighs_much() -> None:
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    sources = [(ROOT / name).read_text() for name in tracked_files("zimcore", "zimcli", "event_store") if ".py" in name]
    said = set(re.findall(r"pip install 'great-zim\[(\w+)\]'", "".join(sources)))
    assert "server" in said
    assert said - {"cluster", "tables"} <= set(light()) <= extras
    assert not re.search(r"(?<!great-)zim\[[a-z]", "".join(sources))


def pins(of: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """What is pinned for `run` or `test`: the hashes, by name and version, of which a Python may need its own."""
    lines = (ROOT / f"scripts/requirements-{of}.txt").read_text().replace("\\\n", "").splitlines()
    match_ = (re.match(r"([\w.-]+)==(\S+)(.*)", line) for line in lines if not line.startswith("#"))
    return {(canonical(pin[1]), pin[2]): tuple(re.findall(r"sha256:\w{64}\b", pin[3])) for pin in match_ if pin}


def needs(names: set[str]) -> set[str]:
    """These installed distributions and all installed ones that they name, theirs too, whatever the extra."""
    extras: set[str] = set()
    installed = {canonical(each.name) for each in metadata.distributions()}
    while names:
        extras |= names
        matches = {re.match(r"[\w.-]+", line) for name in names for line in metadata.requires(name) or ()}
        names = {canonical(match[0]) for match in matches if match} & installed - extras
    return extras


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def tracked_files(*under: str) -> set[str]:
    return {name for name in run(["git", "ls-files", "-z", "--", *under]).split("\0") if (ROOT / name).is_file()}


def test_nothing_else_is_at_the_top_of_the_project() -> None:
    top = {name.partition("/")[0] for name in tracked_files(".")}
    folders = {".ci", "docs", "event_store", "scripts", "tests", "zimcli", "zimcore"}
    assert top == folders | {".gitattributes", ".gitignore", "LICENSE", "README.md", "pyproject.toml"}


def run(command: list[str | Path]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("source", "is_reported"),
    [
        ("@pytest.mark.flaky(reruns=2)", True),
        ('addopts = "--reruns 3"', True),
        ("def test_a_second_answer(): ...", False),
    ],
)
def test_a_second_chance_is_seen(source: str, is_reported: bool) -> None:
    assert bool(SECOND_CHANCE.search(source)) == is_reported


def test_only_what_is_listed_has_a_second_chance() -> None:
    """A flaky test shows nothing. Tests that wait for other processes use `waiting.py`."""
    files = {ROOT / "pyproject.toml", ROOT / "scripts" / "test", *(ROOT / "tests").rglob("*.py")}
    files -= {Path(__file__), ROOT / "pyproject.toml", ROOT / "tests" / "conftest.py"}
    assert [path.name for path in files if SECOND_CHANCE.search(path.read_text("utf-8"))] == []
    assert (
        "reruns" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["addopts"]
    )


def waits_for_a_screen(source: str) -> bool:
    """Whether a file of tests uses a pseudo-terminal or a browser."""
    return bool(re.search(r"\bimport .*\b(Terminal|Sit|Browser)\b|pexpect", source))


@pytest.mark.parametrize(
    ("source", "it_does"),
    [
        ("from tests.cli.screen import Terminal", True),
        ("from tests.server.browsing import Browser, view", True),
        ("import pexpect", True),
        ("from zimcore.service import GameService", False),
    ],
)
def test_a_screen_is_seen(source: str, it_does: bool) -> None:
    assert waits_for_a_screen(source) == it_does


def test_a_second_chance_is_for_a_terminal_or_a_browser() -> None:
    for name, reason in second_chances().items():
        assert reason
        assert waits_for_a_screen((ROOT / name).read_text("utf-8")), name
        assert not {"event_store", "service", "remote"} & {*Path(name).parts}, name
