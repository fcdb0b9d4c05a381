"""What only the keeper of a store can do: typed against a server it is refused with one sentence; nothing is done."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Zim, make_zim
from tests.remote.loopback_server import LoopbackServer, loopback_server
from zimcli.commands.serve import SUBCOMMANDS
from zimcli.registry import ENTRIES
from zimcore.service import GameService, certificates

KEEPERS = {
    "archive": ["archive k", "archive k --back"],
    "backup": ["backup {folder}/copy.db"],
    "bot --for": ["bot k random --for ann", "bot k people --for ann"],
    "db check": ["db check"],
    "db init": ["db init"],
    "db salvage": ["db salvage sqlite:///{folder}/saved.db"],
    "db upgrade": ["db upgrade {folder}/before.db"],
    "delete": ["delete k", "delete k --back", "delete k --for-good", "delete k --for-good --yes --yes"],
    "export --jsonl": ["export --jsonl", "export --jsonl {folder}/all.jsonl"],
    "fork --bots": ["fork k other --bots"],
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
TYPED = [(command, words) for command, several in KEEPERS.items() for words in several]


@pytest.fixture(scope="module")
def keeper_setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoopbackServer, Path, Zim]]:
    """A server with a game, ann's terminal, and a folder with a certificate and an export of it."""
    folder = tmp_path_factory.mktemp("kept")
    with loopback_server(tmp_path_factory.mktemp("served")) as server:
        server.begin("nim", {"seed": "7"})
        server.service.play_or_raise("k", "take 3", by="anna")
        (folder / "kept.cert").write_bytes(certificates.write(server.service.certificate("k")))
        (folder / "kept.jsonl").write_bytes(b"".join(server.service.export()))
        yield server, folder, make_zim(server.sit("ann"))


def stored_content(house_: LoopbackServer, folder: Path) -> tuple[list[bytes], list[Path]]:
    """All that the store and the folder have."""
    return [entry.digest for entry in house_.service.store.all_entries()], sorted(folder.iterdir())


@pytest.mark.parametrize(("command", "words"), TYPED, ids=[words for _, words in TYPED])
def test_it_is_refused_with_one_sentence(
    keeper_setting: tuple[LoopbackServer, Path, Zim], command: str, words: str
) -> None:
    server, folder, zim = keeper_setting
    before = stored_content(server, folder)

    result = zim("--by", "anna", *shlex.split(words.format(folder=folder)))

    first, *more = result.stderr.splitlines()
    assert (result.exit_code, result.stdout, first) == (2, "", f"error: {command} does not work over the network")
    assert more[0].strip() == "run it on the machine that has the store"
    assert f"zim --store sqlite:///PATH {command} ..." in more[-1]
    assert all(line.lstrip().startswith("try: ") for line in more[1:])
    assert stored_content(server, folder) == before


def test_each_command_that_asks_for_the_keeper_is_among_them() -> None:
    """The list here has every call in the source, so that no new command is missed."""
    commands = set[str]()
    for entry in ENTRIES:
        source = inspect.getsource(inspect.getmodule(entry.load().callback.__wrapped__))  # type: ignore[union-attr, arg-type]
        commands |= set(re.findall(r'\.maintenance_service\(f?"([^"]+)"', source))
    assert {each.format(what=what) for each in commands for what in SUBCOMMANDS} == {*KEEPERS}


def test_the_keeper_is_let_do_it(keeper_setting: tuple[LoopbackServer, Path, Zim]) -> None:
    """Otherwise the tests above would also pass for commands that never work."""
    zim = make_zim(GameService(keeper_setting[0].service.store, games=keeper_setting[0].service.kinds))
    for words in ("verify --all", "db check", "log k --ops", "archive k", "archive k --back", "witness"):
        assert zim("--by", "anna", *words.split()).exit_code == 0, words
