"""A store, a file or a server of a newer Zim: refused in one sentence that says what to install."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from event_store import EventStore
from event_store.marks import FORMAT
from tests.cli.commands import run_command
from tests.cli.conftest import TEST_GAMES, Zim, make_zim, open_reproducible_service
from tests.event_store.contract import raise_number
from zimcli.shell.installation import install_hint
from zimcore.service import GameService

SENTENCE = f"this store needs Zim 9.1 or newer\n  it is of format {FORMAT + 1}; this is Zim "


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return f"sqlite:///{tmp_path}/games.db"


@pytest.fixture
def open_zim(url: str) -> Zim:
    """`zim` on a store that it has open, with a game, when a newer Zim upgrades the store."""
    zim = make_zim(open_reproducible_service(EventStore.open(url)))
    assert zim("new", "kilwa-7", "herd=12").exit_code == 0
    with EventStore.open(url) as newer_store:
        raise_number(newer_store)
    return zim


@pytest.mark.parametrize("is_opened_before", [True, False])
def test_a_newer_store_is_refused_at_every_door(
    open_zim: Zim, url: str, tmp_path: Path, *, is_opened_before: bool
) -> None:
    new_store = f"sqlite:///{tmp_path}/new.db"
    for words in (
        *(("games",), ("show", "kilwa-7"), ("do", "kilwa-7", "take 2"), ("new", "other"), ("verify", "--all")),
        *(("backup", f"{tmp_path}/copy", "--open"), ("db", "check"), ("db", "salvage", new_store, "--open")),
        *(("db", "init"), ("db", "upgrade", f"{tmp_path}/copy", "--open"), ("export", "--jsonl", f"{tmp_path}/copy")),
        ("play", "kilwa-7"),
    ):
        zim = open_zim if is_opened_before else make_zim(GameService(EventStore.open(url), games=TEST_GAMES))
        result = zim(*words)
        assert (result.exit_code, SENTENCE in result.stderr) == (4, True), (words, result.output)
        hint = install_hint("pip install --upgrade 'great-zim>=9.1'")
        assert f"  try: {hint}\n" in result.stderr
    assert f"  try: {hint}\n" in run_command("--store", url, "doctor").stdout
    assert not (tmp_path / "copy").exists()


def test_a_newer_store_is_refused_at_the_prompt_and_in_a_pipe(open_zim: Zim) -> None:
    prompt_result = open_zim("play", stdin="games\nquit\n")
    assert SENTENCE in prompt_result.stderr, prompt_result.output
    answer = json.loads(open_zim("pipe", stdin='{"id": 1, "games": {}}\n').stdout.splitlines()[0])
    assert (answer["error"]["what"], answer["error"]["code"]) == ("this store needs Zim 9.1 or newer", 4)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("certificate.12", "this certificate"),
        ("store.12", "this export"),
        ("witness.12", "this witness"),
        ("witness-log.12", "line 1 of the log of witnesses"),
    ],
)
def test_a_newer_file_is_refused(zim: Zim, tmp_path: Path, kind: str, what: str) -> None:
    zim("new", "kilwa-7", "herd=12")
    path = tmp_path / "newer"
    path.write_text(f'{{"zim":"{kind}","form":"unheard of"}}\n', "utf-8")
    witness_words = ("verify", "--all", "--since", str(path))
    file_words = [("import", str(path)), ("verify", str(path))] if "certificate" in kind else [("import", str(path))]
    for words in [witness_words] if "witness" in kind else file_words:
        result = zim(*words)
        assert result.exit_code == 4, result.output
        assert f"{what} needs a newer Zim\n  it is of the form {kind}; this is Zim " in result.stderr
        assert f"  try: {install_hint('pip install --upgrade great-zim')}\n" in result.stderr
