"""Hooks and aliases: only your own settings decide what runs and what a word means."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.conftest import Zim
from zimcli.output.output import DocumentCollector, Output
from zimcli.repl.completion import ZimCompleter
from zimcli.repl.loop import run_line
from zimcli.session.session import Session
from zimcli.settings import hooks
from zimcli.settings.config_file import config_file
from zimcore.game import GameError, NotationError
from zimcore.service import GameService


@pytest.fixture(autouse=True)
def config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config_file().parent.mkdir()


def write_settings(text: str) -> None:
    config_file().write_text(text)


def noting_program(tmp_path: Path, notes_name: str) -> str:
    """The command line of a program that notes the position it gets."""
    (tmp_path / f"{notes_name}.py").write_text(
        f"import sys\nopen({str(tmp_path / notes_name)!r}, 'a').write(sys.stdin.read())\n"
    )
    return f"{sys.executable} -S {tmp_path / notes_name}.py"


def noted_numbers(tmp_path: Path, notes_name: str) -> list[int]:
    notes_file = tmp_path / notes_name
    lines = notes_file.read_text().splitlines() if notes_file.exists() else []
    return [json.loads(line)["position"]["number"] for line in lines]


def prompt_session(service: GameService) -> Session:
    session = Session(DocumentCollector(), by="anna", service=service)
    session.is_careful = True
    return session


def test_hooks_run_after_moves_and_are_off_unless_named(
    zim: Zim, run_script: Callable[..., Result], tmp_path: Path
) -> None:
    hook_names = ("on_move", "on_round", "on_end")
    write_settings(
        "\n".join(["[hooks]", *(f"{hook_name} = {noting_program(tmp_path, hook_name)!r}" for hook_name in hook_names)])
    )
    run_script("new k herd=3", "take 1", "take 1", "undo", "redo", "try 'take 1'", "take 1")
    assert [noted_numbers(tmp_path, hook_name) for hook_name in hook_names] == [[1, 2, 3], [2], [3]]
    assert zim("show", "k@1", "--json").stdout == (tmp_path / "on_move").read_text().splitlines(keepends=True)[0]
    write_settings("")
    zim("undo", "k")
    zim("do", "k", "take 1")
    assert noted_numbers(tmp_path, "on_move") == [1, 2, 3]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("./not-there", "no such file"),
        (f"{sys.executable} -S -c 'print(1); raise SystemExit(7)'", "ended with status 7: 1"),
        (f"{sys.executable} -S -c 'import time; time.sleep(3600)'", "took more than"),
        ("python 'open", "not a command line"),
    ],
)
def test_a_hook_that_fails_is_a_remark_and_the_move_stays(
    zim: Zim, monkeypatch: pytest.MonkeyPatch, line: str, reason: str
) -> None:
    if reason == "took more than":
        monkeypatch.setattr(hooks, "TIMEOUT_SECONDS", 0.3)
    zim("new", "k", "herd=9")
    write_settings(f"[hooks]\non_move = {json.dumps(line)}\n")
    result = zim("do", "k", "take 1")
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    assert result.stderr.startswith("on_move: ")
    assert reason in result.stderr.lower()
    assert json.loads(zim("show", "k", "--json").stdout)["position"]["number"] == 1


def test_settings_that_cannot_be_read_do_not_break_a_move(zim: Zim) -> None:
    zim("new", "k", "herd=9")
    write_settings("[hooks]\non_monday = 'x'\n")
    result = zim("do", "k", "take 1")
    assert (result.exit_code, "hooks do not run" in result.stderr) == (0, True)


def test_a_move_of_a_hook_runs_no_hook(zim: Zim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_settings(f"[hooks]\non_move = {noting_program(tmp_path, 'on_move')!r}\n")
    zim("new", "k", "herd=9")
    monkeypatch.setenv(hooks.IN_HOOK_VARIABLE, "1")
    zim("do", "k", "take 1")
    assert noted_numbers(tmp_path, "on_move") == []


@pytest.mark.parametrize("key", ["hooks.on_move", "aliases.lg"])
def test_no_script_and_no_pipe_sets_hooks_or_aliases(zim: Zim, service: GameService, key: str) -> None:
    line = f"config {key} 'log --all'"
    request = json.dumps({"config": {"words": [key, "log --all"]}})
    for result in (zim("run", "-", stdin=line), zim("pipe", stdin=request)):
        assert "no script and no pipe" in result.output
    assert not config_file().exists()
    run_line(prompt_session(service), line)
    assert "log --all" in config_file().read_text()


def test_an_alias_is_a_word_for_a_command_line(zim: Zim, service: GameService) -> None:
    zim("new", "k", "herd=9")
    zim("do", "k", "take 1", "take 2")
    assert zim("config", "aliases.lg", 'log --where "kilwa.cattle > 0"').exit_code == 0
    assert zim("lg", "k", "--last", "1").stdout == zim("log", "k", "--last", "1").stdout
    assert zim("--json", "lg", "k").stdout == zim("--json", "log", "k", "--where", "kilwa.cattle > 0").stdout
    session = prompt_session(service)
    run_line(session, "play k")
    run_line(session, "lg")
    assert len(session.output.answers[-1].commits) == 2  # type: ignore[attr-defined]
    assert "Your aliases\n  lg " in zim("help").stdout
    assert 'log --where "kilwa.cattle > 0"' in zim("help", "lg").stdout


def test_the_prompt_offers_aliases(service: GameService) -> None:
    write_settings("[aliases]\nlg = 'log --last 1'\n")
    completer = ZimCompleter(prompt_session(service))
    assert ("lg", "log --last 1") not in [*completer.words("", "l")], "aliases are read again before each prompt"
    completer.refresh()
    assert ("lg", "log --last 1") in [*completer.words("", "l")]


def test_a_script_knows_no_alias(zim: Zim) -> None:
    write_settings("[aliases]\nlg = 'log'\n")
    zim("new", "k", "herd=9")
    assert zim("run", "-", stdin="play k\nlg").exit_code == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("log = 'log --all'", "would hide a command"),
        ("lg = 'lgg --all'", "does not begin with a command"),
        ("lg = ''", "does not begin with a command"),
        ('lg = "log \'x"', "no command line"),
        ("'l g' = 'log'", "is no word"),
        ("lg = 3", "a text in quotation marks"),
    ],
)
def test_an_invalid_alias_is_refused(zim: Zim, text: str, reason: str) -> None:
    write_settings(f"[aliases]\n{text}\n")
    result = zim("config")
    assert (result.exit_code, reason in result.stderr) == (2, True), result.stderr
    assert zim("games", "--help").exit_code == 0
    assert zim("help").exit_code == 0


def test_a_word_of_the_game_is_never_an_alias(service: GameService) -> None:
    write_settings("[aliases]\ntake = 'log'\nbuild = 'log'\n")
    session = prompt_session(service)
    run_line(session, "new k herd=9")
    run_line(session, "take 1")
    assert service.position("k").commit.number == 1


def test_a_word_that_is_no_alias_is_refused(service: GameService) -> None:
    write_settings("[aliases]\nlg = 'log'\n")
    with pytest.raises((GameError, NotationError)):
        run_line(Session(Output(), by="anna", service=service), "lgg")
