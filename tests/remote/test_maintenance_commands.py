"""Commands for the keeper of a store: typed against a server they are refused with one sentence, and change nothing."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Zim, make_zim
from tests.remote.loopback_server import LoopbackServer, loopback_server
from zimcli.commands.serve import SUBCOMMAND_ARGUMENT_COUNTS
from zimcli.shell.registry import ENTRIES
from zimcore.service import GameService
from zimcore.service.proofs import certificates

KEEPER_COMMANDS = {
    "archive": ["archive k", "archive k --back"],
    "backup": ["backup {folder}/copy.db"],
    "bot --for": ["bot k random --for ann", "bot k people --for ann"],
    "db check": ["db check"],
    "db init": ["db init"],
    "db restore": ["db restore {folder}/copy.db"],
    "db salvage": ["db salvage sqlite:///{folder}/saved.db"],
    "db upgrade": ["db upgrade {folder}/before.db"],
    "delete": ["delete k", "delete k --back", "delete k --for-good", "delete k --for-good --yes --yes"],
    "export --jsonl": ["export --jsonl", "export --jsonl {folder}/all.jsonl"],
    "host": ["host friday --listen 127.0.0.1:0"],
    "import": ["import {folder}/kept.cert", "import {folder}/kept.jsonl"],
    "new keys=...": ["new game --game nim keys=ann:anna"],
    "practise": ["practise", "practise k", "practise --list"],
    "serve": ["serve --listen 127.0.0.1:0"],
    "serve revoke": ["serve revoke 1234"],
    "serve token": ["serve token dora"],
    "serve tokens": ["serve tokens"],
    "undo --op": ["undo k --op"],
    "verify --all": ["verify --all", "verify --all --empty-ok", "verify --all --since {folder}/kept.witness"],
    "witness": ["witness", "witness {folder}/all.witness"],
}
"""Each of these commands as it names itself, and as it may be typed."""
COMMAND_LINES = [(command, words) for command, lines in KEEPER_COMMANDS.items() for words in lines]


@pytest.fixture(scope="module")
def keeper_setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoopbackServer, Path, Zim]]:
    """A server with a game, ann's terminal, and a folder with a certificate and an export of it."""
    folder = tmp_path_factory.mktemp("kept")
    with loopback_server(tmp_path_factory.mktemp("served")) as server:
        server.begin_game("nim", {"seed": "7"})
        server.service.play_or_raise("k", "take 3", by="anna")
        (folder / "kept.cert").write_bytes(certificates.to_bytes(server.service.certificate("k")))
        (folder / "kept.jsonl").write_bytes(b"".join(server.service.export()))
        yield server, folder, make_zim(server.sit("ann"))


def stored_content(server: LoopbackServer, folder: Path) -> tuple[list[bytes], list[Path]]:
    """The digests of all entries of the store, and the files of the folder."""
    return [entry.digest for entry in server.service.store.all_entries()], sorted(folder.iterdir())


@pytest.mark.parametrize(("command", "words"), COMMAND_LINES, ids=[words for _, words in COMMAND_LINES])
def test_a_command_for_the_keeper_is_refused_with_one_sentence(
    keeper_setting: tuple[LoopbackServer, Path, Zim], command: str, words: str
) -> None:
    server, folder, zim = keeper_setting
    content_before = stored_content(server, folder)

    result = zim("--by", "anna", *shlex.split(words.format(folder=folder)))

    error_line, *other_lines = result.stderr.splitlines()
    assert (result.exit_code, result.stdout, error_line) == (2, "", f"error: {command} does not work over the network")
    assert other_lines[0].strip() == "run it on the machine that has the store"
    assert f"zim --store sqlite:///PATH {command} ..." in other_lines[-1]
    assert all(line.lstrip().startswith("try: ") for line in other_lines[1:])
    assert stored_content(server, folder) == content_before


def test_every_command_for_the_keeper_is_listed_here() -> None:
    """The list here has every call in the source, so that no new command is missed."""
    commands = set[str]()
    for entry in ENTRIES:
        source = inspect.getsource(inspect.getmodule(entry.load_command().callback.__wrapped__))  # type: ignore[union-attr, arg-type]
        commands |= set(re.findall(r'\.maintenance_service\(f?"([^"]+)"', source))
    assert {each.format(subcommand=subcommand) for each in commands for subcommand in SUBCOMMAND_ARGUMENT_COUNTS} == {
        *KEEPER_COMMANDS
    }


def test_the_keeper_may_run_these_commands(keeper_setting: tuple[LoopbackServer, Path, Zim]) -> None:
    """Without this test, the tests above would also pass for commands that never work."""
    zim = make_zim(GameService(keeper_setting[0].service.store, games=keeper_setting[0].service.kinds))
    for words in ("verify --all", "db check", "log k --ops", "archive k", "archive k --back", "witness"):
        assert zim("--by", "anna", *words.split()).exit_code == 0, words
