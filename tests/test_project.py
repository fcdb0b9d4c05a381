"""The project as a package: one version, pins for all that it needs, and no path of a developer's machine in it."""

import ast
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterable
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import second_chances
from tests.project_files import project_files
from tests.test_import_rules import imported_names
from zimcli import __version__

ROOT = Path(__file__).parent.parent
SECOND_CHANCE = re.compile(r"mark\.flaky|\breruns?\b", re.IGNORECASE)


def test_there_is_one_version() -> None:
    output = run_command([Path(sys.executable).with_name("zim"), "--version"])
    assert metadata.version("great-zim") == __version__, (
        "the installation is older than zimcli/__init__.py: run scripts/zim"
    )
    assert output == run_command([sys.executable, "-m", "zimcli", "--ascii", "--version"]) == f"zim {__version__}\n"


def test_all_installed_distributions_are_pinned() -> None:
    unpinned_names = {"great-zim", "pip", "setuptools"}  # ours, and what a new venv has
    installed_versions = {
        (name, metadata.version(name)) for name in required_distributions({"great-zim", "hatchling"}) - unpinned_names
    }
    assert installed_versions <= pins("test").keys(), "run scripts/lock"


def test_the_pins_satisfy_the_requirements_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [*chain.from_iterable(project["optional-dependencies"].values())]
    light_requirements = chain.from_iterable(project["optional-dependencies"][extra] for extra in light_extras())
    for purpose, requirements in (
        ("run", [*project["dependencies"], *light_requirements]),
        ("test", project["dependencies"] + extras),
    ):
        allowed_versions = {
            canonical_name(requirement.name): requirement.specifier for requirement in map(Requirement, requirements)
        }
        versions = dict(pins(purpose).keys())
        outdated_pins = [
            name for name, version_range in allowed_versions.items() if versions.get(name, "0") not in version_range
        ]
        assert outdated_pins == [], "run scripts/lock"


def test_players_get_the_tested_versions() -> None:
    assert pins("run").items() < pins("test").items()


@pytest.mark.parametrize("purpose", ["run", "test"])
def test_every_pin_has_the_hashes_of_its_files(purpose: str) -> None:
    assert [pin for pin, hashes in pins(purpose).items() if not hashes] == []


def test_the_wheel_holds_the_three_rooms_and_their_data(tmp_path: Path) -> None:
    run_command([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path])
    (wheel,) = tmp_path.glob("*.whl")
    wheel_files = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    repository_files = project_files("zimcore", "zimcli", "event_store")
    assert repository_files <= wheel_files
    assert {name.split("/")[0] for name in wheel_files} == {"zimcore", "zimcli", "event_store"}


def test_no_file_names_a_package_registry() -> None:
    registry_pattern = re.compile(rb"pypi[.](org|python)|pythonhosted[.]|registry[.]npmjs|(index|find)-(url|links)")
    assert [name for name in project_files() if registry_pattern.search((ROOT / name).read_bytes())] == []


def light_extras() -> list[str]:
    """The extras that the first run of a checkout installs."""
    return re.search(r"for extra in ([a-z ]+);", (ROOT / "scripts/lock").read_text())[1].split()  # type: ignore[index]


def test_a_suggested_extra_comes_with_the_first_run_or_weighs_much() -> None:
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    sources = [(ROOT / name).read_text() for name in project_files("zimcore", "zimcli", "event_store") if ".py" in name]
    suggested_extras = set(re.findall(r'\b(?:lacking_extra|import_failure)\("(\w+)"', "".join(sources)))
    assert {"server", "png"} < suggested_extras
    assert suggested_extras - {"cluster", "tables"} <= set(light_extras()) <= extras
    assert not re.search(r"(?<!great-)zim\[[a-z]", "".join(sources))


def undeclared_imports(sources: Iterable[tuple[str, str]], requirements: Iterable[str]) -> list[str]:
    """The imports of other distributions that the project does not require: `a.py: markupsafe`."""
    distributions = metadata.packages_distributions()
    declared_names = {canonical_name(Requirement(requirement).name) for requirement in requirements}
    own_names = {"event_store", "scripts", "tests", "zimcli", "zimcore"} | sys.stdlib_module_names
    return [
        f"{path}: {module}"
        for path, source in sources
        for module in sorted(
            {name.split(".")[0] for _, name in imported_names(ast.parse(source), path, is_package=False)}
        )
        if module not in own_names
        and not declared_names & {canonical_name(name) for name in distributions.get(module, [module])}
    ]


def test_what_the_product_imports_is_required_by_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: value for name, value in project["optional-dependencies"].items() if name != "dev"}
    requirements = [*project["dependencies"], *chain.from_iterable(extras.values())]
    names = sorted(name for name in project_files("event_store", "zimcore", "zimcli") if name.endswith(".py"))
    sources = [(name, (ROOT / name).read_text("utf-8")) for name in names]
    assert undeclared_imports(sources, requirements) == []
    without_markupsafe = [each for each in requirements if not each.startswith("markupsafe")]
    assert {line.split(": ")[1] for line in undeclared_imports(sources, without_markupsafe)} == {"markupsafe"}


def test_what_scripts_and_tests_import_is_required_by_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    names = sorted(name for name in project_files("scripts", "tests") if name.endswith(".py"))
    assert undeclared_imports(((name, (ROOT / name).read_text("utf-8")) for name in names), requirements) == []


def test_an_extra_requires_what_its_room_imports() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = {extra: {canonical_name(Requirement(each).name) for each in extras[extra]} for extra in extras}
    assert {"cryptography", "httpx", "py-vapid"} <= names["notices"], "zimcore/server/web_push.py imports them"
    assert {"jinja2", "markupsafe", "litestar"} <= names["server"]


def pins(purpose: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The pins for `run` or `test`: the hashes of the files of each name and version."""
    lines = (ROOT / f"scripts/requirements-{purpose}.txt").read_text().replace("\\\n", "").splitlines()
    matches = (re.match(r"([\w.-]+)==(\S+)(.*)", line) for line in lines if not line.startswith("#"))
    return {(canonical_name(pin[1]), pin[2]): tuple(re.findall(r"sha256:\w{64}\b", pin[3])) for pin in matches if pin}


def required_distributions(names: set[str]) -> set[str]:
    """These installed distributions and all installed ones that they name, theirs too, whatever the extra."""
    known_names: set[str] = set()
    installed_names = {
        canonical_name(distribution.name)
        for distribution in metadata.distributions(path=[sysconfig.get_path("purelib")])
    }
    while names:
        known_names |= names
        matches = {re.match(r"[\w.-]+", line) for name in names for line in metadata.requires(name) or ()}
        names = {canonical_name(match[0]) for match in matches if match} & installed_names - known_names
    return known_names


def canonical_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_top_folder_has_nothing_unknown() -> None:
    top_names = {name.partition("/")[0] for name in project_files()}
    known_folders = {".ci", "docs", "event_store", "scripts", "tests", "zimcli", "zimcore"}
    hidden_names = {".editorconfig", ".gitattributes", ".github", ".gitignore", ".pre-commit-config.yaml"}
    # NOTICE stands beside LICENSE, where those who pass Zim on look for both.
    visible_names = {"LICENSE", "NOTICE", "README.md", "pyproject.toml"}
    assert top_names - {"PKG-INFO"} == known_folders | hidden_names | visible_names  # an sdist has PKG-INFO


def run_command(command: list[str | Path]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("source", "is_reported"),
    [
        ("@pytest.mark.flaky(reruns=2)", True),
        ('addopts = "--reruns 3"', True),
        ("def test_a_second_answer(): ...", False),
    ],
)
def test_a_second_chance_in_a_source_is_noticed(source: str, is_reported: bool) -> None:
    assert bool(SECOND_CHANCE.search(source)) == is_reported


def test_only_listed_files_have_a_second_chance() -> None:
    """A flaky test shows nothing. Tests that wait for other processes use `timeouts.py`."""
    files = {ROOT / "pyproject.toml", ROOT / "scripts" / "test", *(ROOT / "tests").rglob("*.py")}
    files -= {Path(__file__), ROOT / "pyproject.toml", ROOT / "tests" / "conftest.py"}
    assert [path.name for path in files if SECOND_CHANCE.search(path.read_text("utf-8"))] == []
    assert (
        "reruns" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["addopts"]
    )


def waits_for_a_screen(source: str) -> bool:
    """Whether a file of tests uses a pseudo-terminal or a browser."""
    return bool(re.search(r"\bimport .*\b(Terminal|OpenTable|Browser)\b|pexpect", source))


@pytest.mark.parametrize(
    ("source", "is_reported"),
    [
        ("from tests.cli.screen import Terminal", True),
        ("from tests.server.browser import Browser, view", True),
        ("import pexpect", True),
        ("from zimcore.service import GameService", False),
    ],
)
def test_a_screen_in_a_source_is_noticed(source: str, is_reported: bool) -> None:
    assert waits_for_a_screen(source) == is_reported


def test_a_second_chance_is_for_a_terminal_or_a_browser() -> None:
    for name, reason in second_chances().items():
        assert reason
        assert waits_for_a_screen((ROOT / name).read_text("utf-8")), name
        assert not {"event_store", "service", "remote"} & {*Path(name).parts}, name
