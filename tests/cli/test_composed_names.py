"""Names typed on macOS, where a letter and its accent are two characters, are the names typed elsewhere."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import zimcore as zim
from tests.cli.conftest import Zim
from zimcli.main import cli
from zimcore.game import GameError, NotationError

COMPOSED = "Jörg"
SPLIT = unicodedata.normalize("NFD", COMPOSED)


def run(store: Path, *words: str, stdin: str = "") -> Result:
    return CliRunner().invoke(cli, ["--store", f"sqlite:///{store}", *words], input=stdin, prog_name="zim")


def test_a_name_is_the_same_in_shell_script_pipe_and_library(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    answers = [
        run(store, "--by", SPLIT, "new", SPLIT, "players=2", "seed=7"),
        run(store, "--by", COMPOSED, "fork", f"{SPLIT}@0", "über"),
        run(store, "run", "-", stdin=f"play {SPLIT}/{unicodedata.normalize('NFD', 'über')}\nstart f6\n"),
        run(store, "pipe", stdin=f'{{"log": {{"place": "{SPLIT}"}}, "by": "{SPLIT}"}}\n'),
    ]
    assert [(answer.exit_code, SPLIT in answer.output) for answer in answers] == [(0, False)] * 4
    with zim.open(f"sqlite:///{store}", by=SPLIT) as library:
        assert library.by == COMPOSED
        assert library.look(SPLIT).place == f"{COMPOSED}/über"
        library.new("zimbabwe", name=unicodedata.normalize("NFD", "né"), players=2)
        assert library.games() == [COMPOSED, "né"]


def test_a_file_is_named_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / f"{SPLIT}.zim"
    path.write_text("new k players=2 seed=7\n", "utf-8")
    assert run(tmp_path / "games.db", "run", str(path)).exit_code == 0


@pytest.mark.parametrize("command", [b"start f6", 3, None])
def test_what_is_no_text_is_no_command(command: object) -> None:
    with zim.open("memory:") as store:
        store.new("zimbabwe", name="k", players=2, seed=7)
        for play in (store.play, store.try_):
            with pytest.raises(NotationError, match="a command is a text"):
                play("k", command)  # type: ignore[arg-type]
        with pytest.raises(GameError, match="a place is a text"):
            store.look(command)  # type: ignore[arg-type]


def test_help_shows_the_notation(zim: Zim) -> None:
    answer = zim("help", "notation")
    assert (answer.exit_code, "take" in answer.stdout) == (0, True), answer.output
