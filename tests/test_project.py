"""The project as a package: one version, pins for all that it needs, and nothing of anybody's machine in it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

from zimcli import __version__

ROOT = Path(__file__).parent.parent


def test_there_is_one_version() -> None:
    said = run([Path(sys.executable).with_name("zim"), "--version"])
    assert metadata.version("zim") == __version__, "the installation is older than zimcli/__init__.py: run scripts/zim"
    assert said == run([sys.executable, "-m", "zimcli", "--ascii", "--version"]) == f"zim {__version__}\n"


def test_everything_installed_for_zim_is_pinned() -> None:
    lines = (ROOT / "scripts/constraints.txt").read_text().splitlines()
    pinned = {canonical(name): version for name, equals, version in (line.partition("==") for line in lines) if equals}
    not_pinned = {"zim", "pip", "setuptools"}  # ours, and what a new venv has
    needed = {name: metadata.version(name) for name in needs({"zim", "hatchling"}) - not_pinned}
    assert needed.items() <= pinned.items(), "run scripts/lock"


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


def needs(names: set[str]) -> set[str]:
    """These installed distributions and all installed ones that they name, theirs too, whatever the extra."""
    found: set[str] = set()
    installed = {canonical(each.name) for each in metadata.distributions()}
    while names:
        found |= names
        asked = {re.match(r"[\w.-]+", line) for name in names for line in metadata.requires(name) or ()}
        names = {canonical(match[0]) for match in asked if match} & installed - found
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def tracked_files(*under: str) -> set[str]:
    return {name for name in run(["git", "ls-files", "-z", "--", *under]).split("\0") if (ROOT / name).is_file()}


def run(command: list[str | Path]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
