"""docs/new-game.md is true: its game is installed as a package of its own, without a change of Zim, and played."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.test_docs import documented_steps, output_pattern, run_shell_command
from tests.toolkit.conftest import PAGE, page_blocks

MAX_LINES = 160
"""Lines in which a small whole game is written, from rules to pictures."""


@pytest.fixture(scope="module")
def install_folder(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where its package is installed."""
    folder = tmp_path_factory.mktemp("packages")
    # An environment that uv has made has no pip in it.
    pip = (
        [sys.executable, "-m", "pip", "install"]
        if find_spec("pip")
        else ["uv", "pip", "install", "--python", sys.executable]
    )
    pip_options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    subprocess.run([*pip, *pip_options, "--target", folder, package], check=True)
    return folder


def test_the_game_of_the_page_is_small() -> None:
    lines = [line for line in page_blocks("python").splitlines() if line.strip()]
    assert len(lines) <= MAX_LINES


def test_the_examples_of_the_page_work_as_printed(
    install_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(install_folder))
    for command, answer in documented_steps(PAGE):
        text = run_shell_command(command, tmp_path)
        assert re.fullmatch(output_pattern(answer), text), f"$ {command}\n{text}"


def test_a_new_game_is_drawn_and_described_like_any_other(
    install_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(install_folder))
    assert "Options of Souk" in run_shell_command("zim new --help", tmp_path)
    run_shell_command("zim new k --game souk seed=7; zim do k 'amina: bid 4' 'badr: bid 2' 'dalal: bid 1'", tmp_path)
    assert "for sale now" in run_shell_command("zim board k", tmp_path)
    assert run_shell_command("zim board k --svg k.svg; zim replay k --html k.html", tmp_path).count("written") == 2


def test_programs_play_a_new_game_and_compare_alternatives(
    install_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(install_folder))
    run_shell_command("zim new k --game souk players=2 goods=3 seed=7", tmp_path)
    assert "bid 9" in run_shell_command("zim whatif k 'amina: bid 1' 'amina: bid 9' --games 2 --workers 1", tmp_path)
    output = run_shell_command(
        "zim arena quick:nodes=100 random --game souk --players 2 --games 2 --workers 1", tmp_path
    )
    assert "quick:nodes=100" in output


def test_a_finished_match_has_nothing_left_to_hide(
    install_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(install_folder))
    run_shell_command("zim new k --game souk players=2 goods=3 seed=7", tmp_path)
    for round_ in range(1, 4):
        assert "would show what is hidden" in run_shell_command("zim export k --certificate k.cert", tmp_path), round_
        run_shell_command("zim do k 'amina: bid 2' 'badr: bid 1'", tmp_path)
    assert "has won" in run_shell_command("zim show k", tmp_path)
    assert run_shell_command("zim export k --certificate k.cert; zim verify k.cert", tmp_path).count("✓") == 2


def test_a_broken_game_does_not_affect_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text("GAME = 1 / 0\n")
    metadata_folder = tmp_path / "broken-1.0.dist-info"
    metadata_folder.mkdir()
    (metadata_folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (metadata_folder / "entry_points.txt").write_text("[zim.games]\nbroken = broken:GAME\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "Options of The Great Zimbabwe" in run_shell_command("zim new --help", tmp_path)
    assert "ZeroDivisionError" in run_shell_command("zim new k --game broken", tmp_path)
    assert "main @0" in run_shell_command("zim new k --game africana", tmp_path)
