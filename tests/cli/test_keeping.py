"""What keeps games: the tables on a server."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

from event_store import EventStore
from event_store.archive import ArchiveEntry
from tests.cli.commands import run_command

OLDER = Path(__file__).parent.parent / "service" / "before_places.jsonl"
"""A store of an older Zim, entry by entry."""


def zim(*words: str, store: str = "", typed: str = "") -> CompletedProcess[str]:
    return run_command(*(("--store", store) if store else ()), *words, typed=typed)


def test_a_game_on_a_server(postgres_schema: str) -> None:
    too_early = zim("new", "kilwa-7", "seed=7", store=postgres_schema)
    assert (too_early.returncode, too_early.stdout) == (4, "")
    assert f"zim --store {postgres_schema} db init" in too_early.stderr
    for _ in range(2):
        assert zim("--ascii", "db", "init", store=postgres_schema).stdout.endswith(" is ready\n")
    assert zim("new", "kilwa-7", "seed=7", store=postgres_schema).returncode == 0
    assert json.loads(zim("verify", "--json", store=postgres_schema).stdout)["audit"]["fault"] is None


def test_a_file_may_be_made_beforehand(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    assert json.loads(zim("db", "init", "--json", store=store).stdout) == {"command": "db", "store": store}
    assert [file.name for file in tmp_path.iterdir()] == ["games.zim"]


def test_a_whole_store_is_verified(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    for name in ("kilwa-1", "kilwa-2"):
        assert zim("new", name, "seed=7", store=store).returncode == 0
    proven = zim("verify", "--all", store=store)
    assert (proven.returncode, proven.stderr) == (0, "")
    assert "2 games with 2 lines are as they were played: 2 commits, " in proven.stdout
    with sqlite3.connect(tmp_path / "games.zim") as database:
        database.execute("DELETE FROM stored_events WHERE rowid = 2")
    damaged = zim("verify", "--all", store=store)
    assert (damaged.returncode, damaged.stdout) == (1, "")
    assert "verify: 1 of 2 lines does not verify\n  damaged: kilwa-1/main@start: " in damaged.stderr
    assert [
        audit["fault"] is None for audit in json.loads(zim("verify", "--all", "--json", store=store).stdout)["audits"]
    ] == [False, True]


def test_a_certificate_is_exported_signed_verified_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    zim("new", "kilwa-7", "seed=7", store="sqlite:///games.zim")
    exported = zim("--ascii", "export", "kilwa-7", "--certificate", "kilwa-7.cert", store="sqlite:///games.zim")
    assert " kilwa-7.cert proves kilwa-7/main up to @0 (" in exported.stdout
    assert "zim key" in zim("sign", "kilwa-7.cert").stderr
    key = json.loads(zim("--by", "ann", "key", "--json").stdout)
    assert Path(key["file"]).stat().st_mode & 0o777 == 0o600
    assert json.loads(zim("--by", "ann", "key", "--json").stdout) == key
    nobody = zim("--by", "ann", "sign", "kilwa-7.cert", "--seat", "shaka")
    assert (nobody.returncode, "kilwa-7 has no seat shaka" in nobody.stderr) == (2, True)
    assert zim("--by", "ann", "sign", "kilwa-7.cert", "--seat", "kilwa").returncode == 0
    proven = zim("verify", "kilwa-7.cert", store="postgresql://no-such-server/none")
    assert (proven.returncode, proven.stderr) == (0, "")
    assert f"  signed by ann for kilwa, key {key['key']} (trusted)\n" in proven.stdout
    there = "sqlite:///other.zim"
    assert zim("import", "kilwa-7.cert", "--as", "mine/from-ann", store=there).returncode == 0
    heads = [
        json.loads(zim("lines", game, "--json", store=store).stdout)["lines"][0]["digest"]
        for game, store in (("kilwa-7", "sqlite:///games.zim"), ("mine", there))
    ]
    assert heads[0] == heads[1]


def test_a_certificate_that_was_changed_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    store, path = f"sqlite:///{tmp_path}/games.zim", tmp_path / "kilwa-7.cert"
    zim("new", "kilwa-7", "seed=7", store=store)
    zim("export", "--certificate", str(path), store=store)
    zim("key"), zim("sign", str(path))
    data = path.read_bytes()
    for old, new in ((b'"rules":"', b'"rules":"x'), (b'"number":0', b'"number":1')):
        path.write_bytes(data.replace(old, new))
        # The signature is over the head, and the head over its own names: whichever is looked at first says so.
        for command, kinds in (("verify", ["altered"]), ("import", ["altered", "forged"]), ("sign", ["altered"])):
            result = zim(command, str(path), store=store)
            assert (result.returncode, result.stdout) == (1, "")
            assert result.stderr.partition(":")[0] in kinds
    path.write_bytes(data[:100])
    assert zim("verify", str(path)).returncode == 4


def test_a_store_is_copied_and_copied_back(tmp_path: Path, postgres_store: str) -> None:
    first, last = (f"sqlite:///{tmp_path}/{name}.zim" for name in ("first", "last"))
    for name in ("kilwa-1", "kilwa-2"):
        zim("new", name, "seed=7", store=first)
    exports: list[bytes] = []
    for source, target in ((first, postgres_store), (postgres_store, last), (last, "")):
        file = tmp_path / f"{len(exports)}.jsonl"
        assert zim("export", "--jsonl", str(file), store=source).returncode == 0
        exports.append(file.read_bytes())
        if target:
            copied = zim("--ascii", "import", str(file), store=target)
            assert (copied.returncode, " 6 entries are in " in copied.stdout) == (0, True)
    assert exports[0] == exports[1] == exports[2]
    assert zim("export", "--jsonl", store=last).stdout.encode() == exports[0]
    zim("new", "kilwa-3", store=last)
    result = zim("import", "-", store=last, typed=exports[0].decode())
    assert result.returncode == 0, "what is there already is left as it is"
    zim("new", "kilwa-4", store=first)
    other = zim("import", "-", store=first, typed=zim("export", "--jsonl", store=last).stdout)
    assert (other.returncode, "the store has other games" in other.stderr) == (3, True)


def test_an_export_says_what_it_is_to_write(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    zim("new", "kilwa-1", store=store)
    result = zim("export", "kilwa-1", store=store)
    assert (result.returncode, "--certificates DIR, --jsonl" in result.stderr) == (2, True)
    assert zim("export", "--certificate", str(tmp_path / "no" / "such"), store=store).returncode == 4


def test_a_backup_is_a_store(tmp_path: Path) -> None:
    store, copy = f"sqlite:///{tmp_path}/games.zim", tmp_path / "friday.zim"
    zim("new", "kilwa-1", "seed=7", store=store)
    result = zim("--ascii", "backup", str(copy), store=store)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"{copy} has the 3 entries of {store}" in result.stdout
    zim("new", "kilwa-2", "seed=7", store=store)
    assert zim("backup", str(copy), store=store).returncode == 4
    games = json.loads(zim("games", "--json", store=f"sqlite:///{copy}").stdout)["games"]
    assert [game["name"] for game in games] == ["kilwa-1"]


def test_a_backup_of_a_server_is_an_export(postgres_store: str, tmp_path: Path) -> None:
    zim("new", "kilwa-1", "seed=7", store=postgres_store)
    assert zim("backup", str(tmp_path / "copy"), store=postgres_store).returncode == 0
    store = f"sqlite:///{tmp_path}/games.zim"
    assert zim("import", str(tmp_path / "copy"), store=store).returncode == 0
    assert zim("verify", "kilwa-1", store=store).returncode == 0


def test_a_store_of_an_older_zim_is_upgraded(tmp_path: Path) -> None:
    """By typing what `db check` suggests."""
    store = f"sqlite:///{tmp_path}/games.zim"
    with EventStore.open(store) as old:
        for line in OLDER.read_bytes().splitlines()[1:-1]:
            entry = msgspec.json.decode(line, type=ArchiveEntry)
            assert old._backend.insert([(entry.stream, n, *row) for n, row in enumerate(entry.rows, entry.revision)])
    assert (
        "head 9a55c871fd7114815476c2ba3f3df5cd, sealed without place"
        in zim("verify", "kilwa-7/main", store=store).stdout
    )
    checked = zim("db", "check", store=store)
    assert checked.stdout.endswith(": 7 streams, 7 of them sealed without place\n")
    assert checked.stderr.endswith("try: zim db upgrade before.db\n")
    assert "takes no name" in zim("db", "check", "before.db", store=store).stderr
    assert "zim db upgrade NEW" in zim("db", "upgrade", store=store).stderr

    refusal = zim("db", "upgrade", f"{tmp_path}/before.db", store=store)
    assert "--open" in refusal.stderr, "one of its games has hidden hands, and all goes to the backup"
    upgraded = zim("db", "upgrade", f"{tmp_path}/before.db", "--open", store=store)
    assert upgraded.stdout.splitlines()[1:] == [f"  the store as it was before is in {tmp_path}/before.db"]
    assert "2 games with 7 streams in all are sealed with place" in upgraded.stdout
    assert zim("db", "check", store=store).stdout.endswith(": 7 streams, sealed with place\n")
    assert "nothing to do" in zim("db", "upgrade", f"{tmp_path}/again.db", "--open", store=store).stdout
    assert "9a55c871fd7114815476c2ba3f3df5cd, sealed with place" in zim("verify", "kilwa-7/main", store=store).stdout
    before = f"sqlite:///{tmp_path}/before.db"
    assert "sealed without place" in zim("verify", "kilwa-7/main", store=before).stdout


def test_all_faults_are_reported_and_the_others_saved(tmp_path: Path) -> None:
    store, new = f"sqlite:///{tmp_path}/games.zim", f"sqlite:///{tmp_path}/saved.zim"
    for name in ("kilwa-1", "kilwa-2", "kilwa-3"):
        zim("new", name, "seed=7", store=store)
    zim("fork", "kilwa-1@0", "forgotten", store=store)
    zim("switch", "kilwa-1/main", store=store)
    zim("forget", "kilwa-1/forgotten", store=store)
    checked = zim("--ascii", "db", "check", store=store)
    assert (checked.returncode, checked.stderr) == (0, "")
    with sqlite3.connect(tmp_path / "games.zim") as database:
        damage = "UPDATE stored_events SET state = x'c1' WHERE rowid = (SELECT {}(rowid) FROM stored_events WHERE {})"
        database.execute(damage.format("max", "topic = 'store.forked.1'"))
        database.execute(damage.format("min", "topic LIKE 'zimbabwe.%'"))
    result = zim("db", "check", store=store)
    assert result.returncode == 1
    assert result.stderr.count("was altered: its digest does not match its bytes") == 2
    saved = zim("db", "salvage", new, store=store)
    assert saved.returncode == 1
    assert "2 of 8 streams could not be saved whole" in saved.stderr
    lost = zim("db", "check", store=new)
    assert lost.returncode == 1
    assert lost.stderr.count("the line has no commits") == 2, "their names are there, and tell what is not"
    assert [zim("verify", f"kilwa-{n}", store=new).returncode for n in (1, 2, 3)] == [1, 0, 0]
    assert zim("db", "salvage", new, store=store).returncode == 3


def test_a_damaged_line_keeps_back_no_certificate_of_another(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    for name in ("a", "b", "c"):
        zim("new", name, "seed=7", store=store)
    zim("fork", "a@0", "what-if", store=store)
    with sqlite3.connect(tmp_path / "games.zim") as database:
        damage = "UPDATE stored_events SET state = x'c1' WHERE rowid = (SELECT {}(rowid) FROM stored_events WHERE {})"
        database.execute(damage.format("min", "topic LIKE 'zimbabwe.%'"))  # the first line of a, and so its fork
        database.execute(damage.format("max", "topic LIKE '%line_named%' AND originator_version = 0"))  # names of c
    result = zim("export", "--certificates", str(tmp_path / "all"), store=store)
    assert result.returncode == 1
    assert [each.name for each in sorted((tmp_path / "all").glob("*"))] == ["b.main.cert"]
    assert "1 certificate" in result.stdout
    assert "3 lines could not be written" in result.stderr
    for place in ("a/main: ", "a/what-if: ", "c: "):
        assert place in result.stderr
