"""Really installs Zim, each time in a new home directory: from a checkout and from a wheel, by pip, pipx and uv.

This loads packages from the registry, and so runs in CI only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_hints import all_hints, proposed_commands
from tests.project_files import project_files
from tests.test_project import run_command
from zimcli import __version__

pytestmark = pytest.mark.skipif(os.environ.get("CI") != "true", reason="it loads packages: CI=true runs it")

ROOT = Path(__file__).parent.parent

INSTALL = {
    "pip": "python3 -m venv venv && venv/bin/python -m pip install {source} && ln -s ../venv/bin/zim bin",
    "pipx": "pipx install {source}",
    "uv": "uv tool install {source}",
}
"""How zim is installed with each tool, so that its command is in ~/bin."""

COMMANDS_WITH_EXTRAS = {
    "board kilwa-7 --png board.png": "/board.png",
    "key": "ed25519",
    "serve tokens": "there are no tokens",
    "--store postgresql://postgres@127.0.0.1:9/none games": "Connection refused",
}
"""Commands that need an extra if zim was installed as a wheel, and a part of the answer once they have it."""

HINT_CHECKING_PROGRAM = """
import json, sys
import click
from zimcli.shell.registry import ENTRIES_BY_NAME

for text, ways in json.load(open(sys.argv[1])):
    problems = []
    for words in ways:
        try:
            ENTRIES_BY_NAME[words[0]].load_command().make_context(words[0], words[1:])
        except click.ClickException as error:
            problems.append(error.format_message())
    if len(problems) == len(ways):
        print(f"{text}: {problems[-1]}")
"""
"""A program that prints the hints that are no commands of the Zim that is installed with it."""


class InstallationHome:
    """A home in which there is nothing but Python and one tool. What tools load is kept in this user's own home."""

    def __init__(self, folder: Path, *tools: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        (folder / "bin/python3").symlink_to(sys.executable)
        for tool in tools:
            (folder / "bin" / tool.name).symlink_to(tool)
        unset_prefixes = ("XDG_", "ZIM_", "PYTHONDONTWRITEBYTECODE")
        inherited_environment = {name: os.environ[name] for name in os.environ if not name.startswith(unset_prefixes)}
        tool_folders = {"PIPX_HOME": "pipx", "PIPX_BIN_DIR": "bin", "UV_TOOL_DIR": "uv", "UV_TOOL_BIN_DIR": "bin"}
        self.environment = inherited_environment | {
            name: str(folder / subfolder) for name, subfolder in tool_folders.items()
        }
        self.environment |= {"HOME": str(folder), "PATH": f"{folder}/bin:/usr/bin:/bin", "UV_PYTHON": sys.executable}
        caches = Path.home() / ".cache"
        self.environment |= {"PIP_CACHE_DIR": str(caches / "pip"), "UV_CACHE_DIR": str(caches / "uv")}
        # Pip compiles all packages, which is half of its work: here few of them are imported.
        self.environment |= {"PIP_COMPILE": "0"}

    def run_command(self, command: str, expected_code: int = 0) -> str:
        """What a command prints. It has to exit with this code."""
        process = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True
        )
        output = (process.stdout + process.stderr).decode()
        assert process.returncode == expected_code, f"$ {command}\n{output}"
        return output


@pytest.fixture(scope="module")
def find_tool(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Path]]:
    """The path of a tool; "" for pip, which comes with Python."""

    def find_installer(name: str) -> list[Path]:
        folder = tmp_path_factory.getbasetemp() / name
        if name != "pip" and not folder.exists():
            run_command([sys.executable, "-m", "venv", folder])
            run_command([folder / "bin/python", "-m", "pip", "install", "--quiet", name])
        return [] if name == "pip" else [folder / "bin" / name]

    return find_installer


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run_command([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder])
    return next(folder.glob("*.whl"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in project_files():
        (tmp_path / "check out" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "check out" / name)
    return tmp_path / "check out"


@pytest.mark.parametrize(("name", "kind"), [("pip", "wheel"), ("pipx", "checkout"), ("uv", "wheel")])
def test_zim_is_installed_and_its_hint_installs_what_is_missing(
    request: pytest.FixtureRequest, tmp_path: Path, find_tool: Callable[[str], list[Path]], name: str, kind: str
) -> None:
    home = InstallationHome(tmp_path / "home", *find_tool(name))
    home.run_command(INSTALL[name].format(source=f"'{request.getfixturevalue(kind)}'"))
    assert home.run_command("bin/zim --version") == f"zim {__version__}\n"
    assert "zulu wins" in home.run_command("bin/zim demo")
    if name == "pip":
        assert refused_hints(home, []) == "", "every hint can be typed"
        assert "archive --bak: " in refused_hints(home, [("archive --bak", [["archive", "--bak"]])]), (
            "or else it is found"
        )
    home.run_command("bin/zim new kilwa-7")
    for words, answer in list(COMMANDS_WITH_EXTRAS.items())[
        : None if name == "pip" else 1
    ]:  # one hint shows how a tool installs more
        hint = re.search(r"try: (.*(?:great-zim\[|pipx inject ).*)", home.run_command(f"! bin/zim {words}"))
        assert hint, words
        home.run_command(hint[1])
        assert answer in home.run_command(f"bin/zim {words}", expected_code=4 if "--store" in words else 0)


def refused_hints(home: InstallationHome, extra_hints: list[tuple[str, list[list[str]]]]) -> str:
    """The hints of the program, and `extra_hints`, that the Zim installed with pip does not read as commands."""
    (existing_file := home.folder / "file").touch()
    (home.folder / "type_all.py").write_text(HINT_CHECKING_PROGRAM, "utf-8")
    hints = [(hint.text, commands) for hint in all_hints() if (commands := proposed_commands(hint.text, existing_file))]
    assert len(hints) > 100
    (home.folder / "hints.json").write_text(json.dumps(hints + extra_hints), "utf-8")
    return home.run_command("venv/bin/python type_all.py hints.json")


@pytest.mark.parametrize("name", ["pip", "uv"])
def test_a_checkout_has_all_light_parts_from_its_first_run(
    checkout: Path, tmp_path: Path, find_tool: Callable[[str], list[Path]], name: str
) -> None:
    home, zim = InstallationHome(tmp_path / "home", *find_tool(name)), f"'{checkout}'/scripts/zim"
    assert "installing into" in home.run_command(f"{zim} --version")
    home.run_command(f"{zim} new kilwa-7")
    for words, answer in COMMANDS_WITH_EXTRAS.items():
        assert answer in home.run_command(f"{zim} {words}", expected_code=4 if "--store" in words else 0)
    hint = re.search(r"try: (.* 'great-zim\[\w+\]')", home.run_command(f"! {zim} export --tables tables --parquet"))
    assert hint, "Parquet weighs a hundred megabytes: it comes when it is asked for"
    home.run_command(hint[1])
    assert "installing" not in home.run_command(f"{zim} export --tables tables --parquet")
