"""A refused command leaves no trace: no row in the store, no current line, no note of the user, no log of SQLite."""

from __future__ import annotations

import gc
import json
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cli.commands import run_command
from zimcli.shell.registry import ENTRIES

KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
FOREIGN_BOT = "zimcore.bots.levels:RandomBot"
REFUSED: dict[str, list[str]] = {
    "new": [
        *("new k", "new x players=99", "new x nosuch=1", "new x bots=kilwa:os:system", "new a/b"),
        *("new k keys=kilwa:ben", "new x players=99 keys=kilwa:ben", "new x keys=zulu:ben,kilwa:nosuch"),
        *("new x keys=nosuch:ben", "new x keys=kilwa:ben pace=3d", "new x keys=kilwa:ben takebacks=nosuch"),
    ],
    "games": ["games --fields nosuch --format csv"],
    "play": ["play nosuch"],
    "do": ["do k 'start zz'", "do k@1 'start f6'", "do nosuch 'start f6'", "do k --expect 00 'start f6'"],
    "try": ["try k 'start zz'", "try k --nosuch"],
    "legal": ["legal k@99", "legal nosuch"],
    "plan": ["plan nosuch"],
    "advice": ["advice nosuch"],
    "preview": ["preview k 'start zz'"],
    "hint": ["hint nosuch", "hint k@99"],
    "bot": [
        *("bot k os:system", "bot k nosuch", "bot nosuch greedy"),
        *(f"bot k {FOREIGN_BOT} --for nosuch", f"bot nosuch {FOREIGN_BOT}"),
    ],
    "arena": ["arena nosuch"],
    "run": ["run nosuch.zim", "run refused.zim"],
    "pipe": ["pipe --folder nosuch"],
    "host": ["host --port 99999"],
    "join": ["join nosuch"],
    "seats": ["seats nosuch"],
    "invite": ["invite k nosuch"],
    "deal": ["deal nosuch"],
    "order": ["order nosuch 'start f6'", "order k nosuch"],
    "orders": ["orders nosuch"],
    "terms": ["terms nosuch"],
    "notices": ["notices nosuch"],
    "leave": ["leave nosuch"],
    "say": ["say nosuch hello"],
    "talk": ["talk nosuch"],
    "takeback": ["takeback nosuch", "takeback k 99"],
    "requests": ["requests nosuch"],
    "accept": ["accept k 1"],
    "decline": ["decline k 1"],
    "withdraw": ["withdraw k 1"],
    "league": ["league nosuch nosuch"],
    "vote": ["vote k nosuch"],
    "show": ["show k@99", "show nosuch", "show k/nosuch"],
    "board": ["board k@99", "board k --svg games.db"],
    "replay": ["replay nosuch", "replay k --html games.db"],
    "reach": ["reach k zz", "reach nosuch"],
    "ask": ["ask k nosuch", "ask nosuch"],
    "stats": ["stats nosuch"],
    "log": ["log k@99", "log k --where 'nosuch > 1'"],
    "analyse": ["analyse nosuch"],
    "whatif": ["whatif k 'start zz'"],
    "story": ["story nosuch"],
    "events": ["events k@99"],
    "compare": ["compare k nosuch"],
    "why": ["why k nosuch"],
    "bisect": ["bisect k 'nosuch > 1'", "bisect k 'round > 99'"],
    "undo": ["undo k 99", "undo k --expect 00", "undo nosuch", "undo k --op nosuch"],
    "redo": ["redo k", "redo nosuch"],
    "goto": ["goto k@99", "goto nosuch@1"],
    "fork": ["fork k@99 c", "fork k b", "fork k a/b", "fork nosuch c"],
    "amend": ["amend k@1 'start zz'", "amend k@99 'start f6'"],
    "pick": ["pick k b@99", "pick k k@1", "pick k nosuch@1"],
    "lines": ["lines nosuch"],
    "switch": ["switch k/nosuch", "switch nosuch"],
    "rename": ["rename k b", "rename k a/b", "rename k/b main"],
    "forget": ["forget k/nosuch", "forget k/main"],
    "tag": ["tag k@99 t", "tag k a/b"],
    "verify": ["verify nosuch", "verify games.db", "verify k --against nosuch.cert"],
    "audit": ["audit nosuch.log"],
    "witness": ["witness games.db", "witness --append games.db"],
    "check": ["check nosuch"],
    "new-game": ["new-game refused.zim"],
    "learn": ["learn nosuch"],
    "doctor": ["doctor --backup nosuch.cert"],
    "expect": ["expect k 'round > 99'", "expect k 'nosuch > 1'"],
    "export": ["export k --certificate games.db", "export nosuch --jsonl -", "export k --certificate refused.zim"],
    "import": ["import nosuch.cert", "import refused.zim", "import games.db"],
    "key": ["key trust anna nosuch", "key forget nosuch", "key --passphrase", "key --new --passphrase"],
    "seat": [
        *("seat k nosuch", "seat nosuch ann", "seat k kilwa nosuch", "seat l kilwa", "--by anna seat l kilwa"),
        *("--as mutapa seat k kilwa", "--by anna key --new --passphrase"),
    ],
    "sign": ["sign nosuch", "sign games.db"],
    "archive": ["archive nosuch"],
    "delete": ["delete nosuch", "delete k/b", "delete k --back"],
    "serve": ["serve --port 99999"],
    "backup": ["backup games.db", "backup refused.zim"],
    "db": ["db restore refused.zim", "db salvage sqlite:///games.db", "db nosuch", "db upgrade refused.zim"],
    "completion": ["completion nosuch"],
    "config": ["config nosuch.key", "config nosuch.key 1"],
    "explain": ["explain k nosuch", "explain nosuch"],
    "schema": ["schema nosuch"],
    "practise": ["practise nosuch"],
    "rules": ["rules nosuch"],
    "tutorial": ["tutorial nosuch"],
    "demo": ["demo nosuch"],
    "help": ["help nosuch"],
}
"""Refused lines of each command: for a game, a place, a name or a file that is not there or may not be used."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two games, one with two lines."""
    folder = tmp_path_factory.mktemp("refused")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("refused.zim").write_text("fork k@99 c\nswitch k/nosuch\n")
        for line in (
            *("new k players=2 seed=7", "do k 'start f6'", "fork k@0 b", "switch k/main", "new l players=2"),
            *("--by anna seat l kilwa", "new e players=2", "bot e random --to-end"),
        ):
            assert zim(line).returncode == 0, line
    return folder


@pytest.fixture(autouse=True)
def _without_collector() -> Iterator[None]:
    """Python closes nothing by chance: a cycle of an error and its traceback stays."""
    gc.disable()
    yield
    gc.enable()


def zim(line: str, stdin: str = "") -> CompletedProcess[str]:
    home = str(Path("home").absolute())
    folders = {f"XDG_{kind}_HOME": f"{home}/{kind.lower()}" for kind in ("DATA", "CACHE", "CONFIG", "STATE")}
    environment = folders | {"ZIM_STORE": "sqlite:///games.db", "ZIM_BY": "ben", "HOME": home, "NO_COLOR": "1"}
    return run_command(*shlex.split(line), environment=environment, stdin=stdin)


def traces(folder: Path) -> dict[str, object]:
    """All below a folder but the user's cache; of the store the rows of which others can be made."""
    return {
        str(file.relative_to(folder)): (
            "" if file.is_dir() else lasting_rows(file) if file.suffix == ".db" else file.read_bytes()
        )
        for file in folder.rglob("*")
        if "home/cache" not in str(file)
    }


def lasting_rows(file: Path) -> list[str]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as database:
        return [row for row in database.iterdump() if "projection" not in row]


def test_each_command_is_refused_once_here() -> None:
    assert [*REFUSED] == [entry.name for entry in ENTRIES]


@pytest.mark.parametrize("line", [line for lines in REFUSED.values() for line in lines])
def test_a_refused_command_leaves_no_trace(folder: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = traces(folder)
    result = zim(line)
    assert result.returncode in (1, 2, 3, 4), result.stdout
    assert "Traceback" not in result.stderr
    after = traces(folder)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()


def test_a_pipe_gives_no_server_a_key_of_its_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = traces(folder)
    request = {"join": {"link": f"https://127.0.0.1:9/join#zim_link_5f3a_{'a' * 43}", "key": "ben"}}
    assert "join --key does not run for a pipe" in zim("pipe", json.dumps(request) + "\n").stdout
    assert traces(folder) == before


def test_a_refused_program_is_allowed_at_the_door_that_is_in_use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("bot.zim").write_text("bot k os:system\n")
    script, reply = zim("run bot.zim").stderr, zim("pipe", '{"bot": {"place": "k", "level": "os:system"}}\n').stdout
    assert "zim run --allow os:system FILE" in script
    assert "zim pipe --allow os:system" in reply
    assert ("pipe --allow" in script, "run --allow" in reply) == (False, False)


FOR_ONE_PERSON: list[tuple[str, str, object]] = [
    ("key", f"key trust anna {KEY}", {"key": {"what": "trust", "words": ["anna", KEY]}}),
    ("key", "key revoke ben", {"key": {"what": "revoke", "words": ["ben"]}}),
    ("key", "key --new", {"key": {"new": True}}),
    ("key", "key --passphrase", {"key": {"passphrase": True}}),
    ("key", "seat k kilwa", {"seat": {"place": "k", "seat": "kilwa"}}),
    ("key", f"seat k kilwa {KEY}", {"seat": {"place": "k", "seat": "kilwa", "key": KEY}}),
    ("key", "new x keys=kilwa:ben", {"new": {"words": ["x", "keys=kilwa:ben"]}}),
    ("sign", "sign k.cert", {"sign": "k.cert"}),
    ("db", "db restore old.db", {"db": {"what": "restore", "new": "old.db"}}),
    ("delete", "delete l --for-good --yes --yes", {"delete": {"place": "l", "for-good": True, "yes": 2}}),
]
"""Lines and requests that use a person's keys, or do what no undo brings back, with the name that allows them."""


@pytest.mark.parametrize(("allowed_name", "line", "request_"), FOR_ONE_PERSON)
def test_no_script_and_no_pipe_acts_for_its_user(
    tmp_path: Path, allowed_name: str, line: str, request_: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for each in ("new k players=2", "new l players=2", "key", "export k --certificate k.cert", "backup old.db --open"):
        assert zim(each).returncode == 0
    Path("foreign.zim").write_text(f"{line}\n")
    Path("outer.zim").write_text(f"run --allow {allowed_name} foreign.zim\n")
    before = traces(tmp_path)
    for result in (zim("run foreign.zim"), zim("run outer.zim"), zim("pipe", json.dumps(request_) + "\n")):
        output = result.stderr + result.stdout
        assert ("does not run for a" in output, f"--allow {allowed_name}" in output) == (True, True)
    assert traces(tmp_path) == before
    if "--passphrase" not in line:
        assert zim(f"run --allow {allowed_name} foreign.zim").returncode == 0
        assert traces(tmp_path) != before
