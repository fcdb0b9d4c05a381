"""A store that can't be read is an error with exit code 4, at every command and in the library, never an empty one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import zimcore as zim
from tests.cli.commands import run_command
from zimcli.shell.registry import ENTRIES, CommandEntry
from zimcore.service import StoreError

NEEDS_NO_STORE = {
    *("completion", "config", "schema", "rules", "tutorial", "demo", "help", "key", "sign", "new-game", "learn"),
    *("check", "arena", "audit", "pipe", "run", "import", "serve"),
}
"""Commands that open no store for these words, or name their store or file themselves."""
ON_THE_MACHINE_OF_THE_STORE = "does not work over the network"
WORDS = {
    name: line.split()
    for name, line in {
        "new": "new k",
        "games": "games",
        "league": "league",
        "join": "join http://HOST/join#zim_link_5f3a_" + 43 * "x",
        "practise": "practise",
        "witness": "witness witness.txt",
        "backup": "backup b.db",
        "db": "db check",
        "doctor": "doctor",
        "seat": "seat k zulu ann",
        "vote": "vote k wait",
        "replay": "replay k --html r.html",
        "verify": "verify k",
        "export": "export k",
    }.items()
}
"""The words of commands for which those of the kinds of their arguments will not do."""
EXTRA_WORDS = {"text": "x", "command": "pass", "amendment": "pass", "name": "x", "expression": "1", "question": "x"}
NUMBERED = ("accept", "decline", "withdraw", "takeback", "undo", "redo")
"""Commands whose second argument is a number that may be left out."""


@pytest.fixture
def closed_address() -> Iterator[str]:
    """The address of a port at which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def words_of(entry: CommandEntry, address: str) -> list[str]:
    if entry.name in WORDS:
        return [word.replace("HOST", address) for word in WORDS[entry.name]]
    kinds = () if entry.name in NUMBERED else entry.argument_kinds[1:]
    return [entry.name, "k", *(EXTRA_WORDS.get(kind, "k") for kind in kinds)]


@pytest.mark.parametrize("entry", [each for each in ENTRIES if each.name not in NEEDS_NO_STORE], ids=lambda e: e.name)
def test_a_server_that_can_not_be_reached_is_no_empty_store(
    entry: CommandEntry, closed_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_command("--store", f"http://{closed_address}", *words_of(entry, closed_address))
    if entry.name == "doctor":
        assert (result.returncode, "does not answer" in result.stdout + result.stderr) == (1, True)
    elif ON_THE_MACHINE_OF_THE_STORE not in result.stderr:
        assert result.returncode == 4, f"{entry.name}: {result.stdout}{result.stderr}"
        assert "can't be reached" in result.stderr


@pytest.mark.parametrize("words", [["games"], ["legal"], ["export"], ["league"], ["show"]], ids=lambda words: words[0])
def test_the_second_question_fails_too(closed_address: str, words: list[str], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("\n".join([" ".join(words)] * 2))
    result = run_command("--store", f"http://{closed_address}", "run", "--keep-going", str(script))
    assert "no games yet" not in result.stdout + result.stderr
    assert result.returncode != 0


def test_the_library_says_that_a_server_can_not_be_reached(closed_address: str) -> None:
    with zim.open(f"http://{closed_address}") as store:
        for _ in range(2):
            with pytest.raises(StoreError, match="can't be reached"):
                store.games()
