"""The Great Zimbabwe at the terminal: the demonstration from end to end, in a store on disk."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from zimcli.main import cli


def zim_in(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--store", f"sqlite:///{folder / 'games.db'}", "--by", "anna", *words])


def test_the_demonstration_plays_and_verifies(tmp_path: Path) -> None:
    result = zim_in(tmp_path, "demo")
    assert result.exit_code == 0, result.stderr
    assert all(f"# round {number}" in result.stdout for number in range(1, 12))
    assert result.stdout.count("is as it was played") == 2
    assert max(len(line) for line in zim_in(tmp_path, "board").stdout.splitlines()) <= 80

    lines = json.loads(zim_in(tmp_path, "lines", "--json").stdout)["lines"]
    assert [line["name"] for line in lines] == ["main", "what-if-eshu"]
    assert zim_in(tmp_path, "verify").exit_code == 0


def test_a_refusal_says_why(tmp_path: Path) -> None:
    zim_in(tmp_path, "new", "k", "players=2", "seed=1")
    result = zim_in(tmp_path, "do", "k", "start a1")
    assert result.exit_code == 1
    assert result.stderr.startswith("refused: ")
    assert "  R-" in result.stderr


def test_a_preview_of_an_illegal_move_says_why(tmp_path: Path) -> None:
    zim_in(tmp_path, "new", "k", "players=2", "seed=1")
    refusal, preview = zim_in(tmp_path, "preview", "k", "bid 2"), zim_in(tmp_path, "preview", "k")
    assert (refusal.exit_code, refusal.stderr.splitlines()[0]) == (1, "refused: bid 2")
    assert preview.exit_code == 0


def test_output_options_may_follow_the_command(tmp_path: Path) -> None:
    zim_in(tmp_path, "new", "k", "players=2", "seed=1")
    assert zim_in(tmp_path, "show", "k", "--ascii").stdout.isascii()
    assert not zim_in(tmp_path, "show", "k").stdout.isascii()
    assert "\x1b[" in zim_in(tmp_path, "show", "k", "--color", "always").stdout
    assert zim_in(tmp_path, "show", "k", "--color", "blue").exit_code == 2
