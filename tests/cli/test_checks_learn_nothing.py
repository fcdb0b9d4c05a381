"""A check stores nothing: not a byte of the user's folders, of the store or of a file that it reads is changed.

So its second run says what the first said, whatever it was asked, and a forgery does not spoil the genuine file.
"""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cli.commands import run_command
from zimcli.shell.registry import CHECK_GROUP, ENTRIES, WRITING_CHECKS

PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
WORKING_FILES = (".db-wal", ".db-shm")
"""Files of SQLite, which a reader may leave or take into the store: only the rows of a store are compared."""

CHECKS: dict[str, list[str]] = {
    "verify": [
        "verify k",
        "verify k/main@1",
        "verify",
        "verify --all",
        "verify --all --since w",
        "verify --all --since log --signed-by ann",
        "verify --all --since forged.w --signed-by ann",
        "verify --all --since forged.log",
        f"verify k.cert --signed-by ann:{PUBLIC_KEY}",
        "verify k.cert",
        "verify forged.cert",
        "verify forged.cert --signed-by ann",
        "verify k.cert forged.cert",
        "verify k --against k.cert",
        "verify k.cert --against k",
        "verify k.cert --against sqlite:///games.db",
        "verify nothing",
        "--store sqlite:///damaged.db verify k",
        "--store sqlite:///damaged.db verify --all --since w",
    ],
    "audit": [
        "audit k.log",
        "audit wrong.log --repair",
        "audit wrong.log --style style.toml",
        "audit more.log --from k@0",
    ],
    "check": ["check africana --games 1 --moves 3 --deals 0"],
    "doctor": ["doctor", "doctor --backup k.cert", "doctor --url http://127.0.0.1:9"],
    "expect": ["expect k 'round == 0'", "expect k 'round == 9'", "expect 'round == 0'"],
    "witness": [],
    "new-game": [],
    "learn": [],
    "others": ["db check", "--store sqlite:///damaged.db db check", "key list", "compare k l", "explain k 'start f6'"],
}
"""The checks, and other commands that check something. Those without a line write a file, as their user asked."""


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ben's machine, with two games, and what ann and eve, under ann's name, have signed."""
    folder = tmp_path_factory.mktemp("machines")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "new k players=2 seed=7",
            "do k 'start f6'",
            "new l players=2 seed=8",
            "export k --certificate k.cert",
        ):
            zim(line)
        shutil.copy("k.cert", "forged.cert")
        for person, names in (("ann", ("k.cert", "w", "log")), ("eve", ("forged.cert", "forged.w", "forged.log"))):
            for line in ("key", f"sign {names[0]}", f"witness {names[1]}", f"witness --append {names[2]}"):
                zim(f"--by ann {line}", machine=person)
        key = zim("--by ann key", machine="ann").stdout.split()[2]
        zim(f"key trust ann {key}")
        Path("k.log").write_text("new players=2 seed=7\n> start f6\n")
        Path("wrong.log").write_text("new players=2 seed=7\n> start f6\n> start zz\n")
        Path("more.log").write_text("> start f6\n")
        Path("style.toml").write_text('[words]\nbegin = "start"\n')
        shutil.copy("games.db", "damaged.db")
        with closing(sqlite3.connect("damaged.db")) as database, database:
            (table,) = database.execute("SELECT name FROM sqlite_master WHERE type='table' LIMIT 1").fetchone()
            database.execute(f"UPDATE {table} SET state = zeroblob(20) WHERE rowid IN (3, 4)")
    return folder


def zim(line: str, machine: str = "ben") -> CompletedProcess[str]:
    """A person's command, with all folders of the user on their own machine."""
    home = str(Path(machine).absolute())
    folders = {f"XDG_{kind}_HOME": f"{home}/{kind.lower()}" for kind in ("DATA", "CACHE", "CONFIG", "STATE")}
    store = {"ZIM_STORE": "sqlite:///games.db", "ZIM_BY": machine, "HOME": home}
    return run_command(*shlex.split(line), environment=folders | store)


def contents(folder: Path) -> dict[str, object]:
    """All files below a folder: of a store its rows, of others their bytes."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(WORKING_FILES))
    return {
        str(file.relative_to(folder)): rows_of(file) if file.suffix == ".db" else file.read_bytes() for file in files
    }


def rows_of(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as database:
        return list(database.iterdump())


def test_every_check_is_here() -> None:
    assert {entry.name for entry in ENTRIES if entry.group == CHECK_GROUP} == {*CHECKS} - {"others"}
    assert {name for name, lines in CHECKS.items() if not lines} == {*WRITING_CHECKS}


@pytest.mark.parametrize("line", [line for lines in CHECKS.values() for line in lines])
def test_a_check_changes_not_a_byte(made_home: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made_home)
    before = contents(made_home)
    first_result = zim(line)
    changed_files = {name for name, content in contents(made_home).items() if before.get(name) != content}
    assert (changed_files, before.keys() - contents(made_home).keys()) == (set(), set())
    second_result = zim(line)
    assert (second_result.returncode, second_result.stderr) == (first_result.returncode, first_result.stderr)
    assert "Traceback" not in first_result.stderr


@pytest.mark.parametrize("door", ["script", "pipe"])
def test_a_check_of_a_script_or_pipe_changes_not_a_byte(
    made_home: Path, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a command after it stores again: `games` may leave a projection."""
    monkeypatch.chdir(made_home)
    Path("check.zim").write_text("verify k\nverify forged.cert\nexpect k round == 0\n")
    before = contents(made_home)
    if door == "script":
        zim("run --keep-going check.zim")
    else:
        requests = ['{"verify": {"place": "k"}}', '{"verify": {"place": "forged.cert", "signed-by": "ann"}}']
        home = str(Path("ben").absolute())
        settings = {"XDG_DATA_HOME": f"{home}/data", "HOME": home, "ZIM_STORE": "sqlite:///games.db", "ZIM_BY": "ben"}
        result = run_command("pipe", environment=settings, stdin="\n".join(requests) + "\n")
        assert "a key that you don't trust" in result.stdout
    assert contents(made_home) == before


def test_a_command_after_a_check_stores_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    zim("new k players=2 seed=7")
    with closing(sqlite3.connect("games.db")) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    projections = next(name for name in tables if "projection" in name or "snapshot" in name)
    for lines, count in ((["verify k", "expect k round == 0"], 0), (["verify k", "games"], 1)):
        with closing(sqlite3.connect("games.db")) as database, database:
            database.execute(f"DELETE FROM {projections} WHERE stream NOT LIKE ' %'")  # marks begin with a blank
        Path("lines.zim").write_text("\n".join(lines) + "\n")
        assert zim("run lines.zim").returncode == 0
        with closing(sqlite3.connect("games.db")) as database:
            (row_count,) = database.execute(f"SELECT count(*) FROM {projections} WHERE stream NOT LIKE ' %'").fetchone()
        assert min(row_count, 1) == count, lines
