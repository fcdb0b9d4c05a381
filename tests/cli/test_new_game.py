"""`zim new-game` writes a package that plays: it is installed as its README says, and every command there is typed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Zim
from tests.test_docs import documented_steps, output_pattern
from tests.test_python_docs import STRICT_MYPY
from zimcli.commands.new_game import CARD_TEMPLATES, FILES_BY_TEMPLATE, TEMPLATES_FOLDER

ROOT = Path(__file__).parents[2]
RULE_FUNCTIONS = ("to_move", "moves", "follow", "on_board_laid", "on_square_claimed")
"""The functions that hold the rules, besides set-up and outcome."""


@pytest.fixture(scope="module")
def package_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a new package."""
    folder = tmp_path_factory.mktemp("games")
    for arguments in (["pebbles"], ["trumps", "--cards"]):
        program = [sys.executable, "-m", "zimcli", "new-game", *arguments]
        process = subprocess.run(program, cwd=folder, capture_output=True)
        assert process.returncode == 0, process.stderr
    return folder / "pebbles"


@pytest.fixture(scope="module")
def program_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `python`, `zim` and `pip` of a new environment, which has all that is installed here."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    Path(packages, "here.pth").write_text("\n".join([str(ROOT), sysconfig.get_path("purelib")]))
    python = folder / "bin/python"
    pip = f"{python} -m pip install" if find_spec("pip") else f"{shutil.which('uv')} pip install --python {python}"
    offline_options = "--quiet --no-deps --no-index --no-build-isolation"
    for program_name, command in (
        ("zim", f'{python} -m zimcli "$@"'),
        ("pip", f'shift; exec {pip} {offline_options} "$@"'),
    ):
        (folder / "bin" / program_name).write_text(f"#!/bin/sh\n{command}\n")
        (folder / "bin" / program_name).chmod(0o755)
    return folder / "bin"


@pytest.mark.parametrize("name", ["pebbles", "trumps"])
def test_every_command_of_the_readme_works_as_printed(
    package_folder: Path, program_folder: Path, tmp_path: Path, name: str
) -> None:
    package_folder = package_folder.parent / name
    inherited_variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("ZIM_", "XDG_", "PYTHON"))
    }
    environment = inherited_variables | {
        "PATH": f"{program_folder}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "ZIM_BY": "anna",
    }
    commands = list(documented_steps((package_folder / "README.md").read_text("utf-8")))
    assert len(commands) > 5
    for command, printed_output in commands:
        process = subprocess.run(
            ["bash", "-c", f"exec 2>&1; {command}"],
            cwd=package_folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
        )
        assert process.returncode == 0, f"$ {command}\n{process.stdout}"
        assert re.fullmatch(output_pattern(printed_output), process.stdout), f"$ {command}\n{process.stdout}"


def test_the_rules_of_a_new_game_are_about_five_lines(package_folder: Path) -> None:
    text = (package_folder / "pebbles.py").read_text("utf-8")
    bodies = [re.search(rf'^def {name}.*?"""$\n(.*?)\n\n', text, re.DOTALL | re.MULTILINE) for name in RULE_FUNCTIONS]
    lines = [line for body in bodies if body for line in body[1].splitlines()]
    assert all(bodies)
    assert len(lines) <= 8, lines


@pytest.mark.parametrize("name", ["pebbles", "trumps"])
def test_a_new_game_passes_ruff_and_mypy(package_folder: Path, name: str) -> None:
    package_folder = package_folder.parent / name
    ruff_command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "--ignore", "I001"]
    assert (
        subprocess.run([*ruff_command, str(package_folder)], capture_output=True, text=True).stdout
        == "All checks passed!\n"
    )
    files = [package_folder / f"{name}.py", package_folder / f"test_{name}.py"]
    process = subprocess.run(
        [*STRICT_MYPY, *map(str, files)],
        cwd=package_folder,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout


def test_a_wheel_has_the_templates_of_new_game(tmp_path: Path) -> None:
    build_command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build_command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    assert {path.name for path in TEMPLATES_FOLDER.iterdir()} == {*FILES_BY_TEMPLATE, *CARD_TEMPLATES.values()}
    code = "import zimcli; assert zimcli.__file__.startswith('{}'); from zimcli.__main__ import main; main()"
    process = subprocess.run(
        [sys.executable, "-c", code.format(tmp_path / "site"), "new-game", "pebbles"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    assert {path.name for path in (tmp_path / "pebbles").iterdir()} >= {"pebbles.py", "test_pebbles.py", "README.md"}


@pytest.mark.parametrize(
    ("name", "reason", "hint"),
    [
        ("Go-Fish", "a game's name is also its module's", "zim new-game go_fish"),
        ("3x", "a game's name is also its module's", "zim new-game x"),
        ("../up", "a game's name is also its module's", "zim new-game up"),
        ("x" * 40, "30 at most", "zim new-game " + "x" * 25),
        ("json", "has this name already", "zim new-game my_json"),
        ("class", "has this name already", "zim new-game my_class"),
        ("africana", "has this name already", "zim new-game my_africana"),
    ],
)
def test_a_bad_name_is_refused_with_one_that_works(
    zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = zim("new-game", name)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert f"try: {hint}\n" in result.stderr
    assert list(tmp_path.glob("*.py")) == []
    assert zim(*hint.split()[1:]).exit_code == 0


def test_an_existing_folder_is_not_touched(zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pebbles").mkdir()
    result = zim("new-game", "pebbles")
    assert result.stderr.splitlines() == [
        f"error: {tmp_path / 'pebbles'} exists already",
        "  a game gets a new folder, so that nothing is overwritten",
        "  try: zim new-game pebbles_2",
    ]
    assert list((tmp_path / "pebbles").iterdir()) == []


def test_a_folder_that_cant_be_written_is_an_error_and_no_traceback(
    zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refusal = PermissionError(13, "Permission denied")
    monkeypatch.setattr(os, "makedirs", lambda *_, **__: (_ for _ in ()).throw(refusal))
    result = zim("new-game", "pebbles")
    assert result.exit_code != 0
    assert "denied" in result.stderr.lower()
    assert "bug" not in result.stderr
