"""Stores: on a server and in files, verified, copied, backed up, upgraded and salvaged."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from subprocess import PIPE, CompletedProcess, Popen

import msgspec
import pytest

from event_store import EventStore
from event_store.export import ExportEntry
from tests.cli.commands import run_command

OLDER_STORE = Path(__file__).parent.parent / "service" / "before_places.jsonl"
"""A store of an older Zim, entry by entry."""


def zim(*words: str, store: str = "", stdin: str = "") -> CompletedProcess[str]:
    return run_command(*(("--store", store) if store else ()), *words, stdin=stdin)


def test_a_game_is_stored_in_postgresql(postgres_schema: str) -> None:
    refusal = zim("new", "kilwa-7", "seed=7", store=postgres_schema)
    assert (refusal.returncode, refusal.stdout) == (4, "")
    assert f"zim --store {postgres_schema} db init" in refusal.stderr
    for _ in range(2):
        assert zim("--ascii", "db", "init", store=postgres_schema).stdout.endswith(" is ready\n")
    assert zim("new", "kilwa-7", "seed=7", store=postgres_schema).returncode == 0
    assert json.loads(zim("verify", "--json", store=postgres_schema).stdout)["audit"]["fault"] is None


def test_db_init_makes_the_file(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    assert json.loads(zim("db", "init", "--json", store=store).stdout) == {"command": "db", "store": store}
    assert [file.name for file in tmp_path.iterdir()] == ["games.zim"]


def test_a_whole_store_is_verified(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    for name in ("kilwa-1", "kilwa-2"):
        assert zim("new", name, "seed=7", store=store).returncode == 0
    verify_result = zim("verify", "--all", store=store)
    assert (verify_result.returncode, verify_result.stderr) == (0, "")
    assert "2 games with 2 lines are as they were played: 2 commits, " in verify_result.stdout
    with sqlite3.connect(tmp_path / "games.zim") as database:
        database.execute("DELETE FROM stored_events WHERE rowid = 2")
    damaged_result = zim("verify", "--all", store=store)
    assert (damaged_result.returncode, damaged_result.stdout) == (1, "")
    assert "verify: 1 of 2 lines does not verify\n  damaged: kilwa-1/main@start: " in damaged_result.stderr
    assert [
        audit["fault"] is None for audit in json.loads(zim("verify", "--all", "--json", store=store).stdout)["audits"]
    ] == [False, True]


def test_a_certificate_is_exported_signed_verified_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    zim("new", "kilwa-7", "seed=7", store="sqlite:///games.zim")
    export_result = zim("--ascii", "export", "kilwa-7", "--certificate", "kilwa-7.cert", store="sqlite:///games.zim")
    assert "/kilwa-7.cert proves kilwa-7/main up to @0 (" in export_result.stdout
    assert "zim key" in zim("sign", "kilwa-7.cert").stderr
    key = json.loads(zim("--by", "ann", "key", "--json").stdout)
    assert Path(key["file"]).stat().st_mode & 0o777 == 0o600
    assert json.loads(zim("--by", "ann", "key", "--json").stdout) == key
    refusal = zim("--by", "ann", "sign", "kilwa-7.cert", "--seat", "shaka")
    assert (refusal.returncode, "kilwa-7 has no seat shaka" in refusal.stderr) == (2, True)
    assert zim("--by", "ann", "sign", "kilwa-7.cert", "--seat", "kilwa").returncode == 0
    verify_result = zim("verify", "kilwa-7.cert", store="postgresql://no-such-server/none")
    assert (verify_result.returncode, verify_result.stderr) == (0, "")
    assert f"  signed by ann for kilwa, key {key['key']} (trusted)\n" in verify_result.stdout
    other_store = "sqlite:///other.zim"
    assert zim("import", "kilwa-7.cert", "--as", "mine/from-ann", store=other_store).returncode == 0
    head_digests = [
        json.loads(zim("lines", game, "--json", store=store).stdout)["lines"][0]["digest"]
        for game, store in (("kilwa-7", "sqlite:///games.zim"), ("mine", other_store))
    ]
    assert head_digests[0] == head_digests[1]


def test_a_changed_certificate_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    store, path = f"sqlite:///{tmp_path}/games.zim", tmp_path / "kilwa-7.cert"
    zim("new", "kilwa-7", "seed=7", store=store)
    zim("export", "--certificate", str(path), store=store)
    zim("key"), zim("sign", str(path))
    certificate_bytes = path.read_bytes()
    for old_bytes, new_bytes in ((b'"rules":"', b'"rules":"x'), (b'"number":0', b'"number":1')):
        path.write_bytes(certificate_bytes.replace(old_bytes, new_bytes))
        # The signature is over the head, and the head over its own names: whichever is looked at first says so.
        for command, error_kinds in (("verify", ["altered"]), ("import", ["altered", "forged"]), ("sign", ["altered"])):
            result = zim(command, str(path), store=store)
            assert (result.returncode, result.stdout) == (1, "")
            assert result.stderr.partition(":")[0] in error_kinds
    path.write_bytes(certificate_bytes[:100])
    assert zim("verify", str(path)).returncode == 4


def test_a_store_is_copied_and_copied_back(tmp_path: Path, postgres_store: str) -> None:
    first_store, last_store = (f"sqlite:///{tmp_path}/{name}.zim" for name in ("first", "last"))
    for name in ("kilwa-1", "kilwa-2"):
        zim("new", name, "seed=7", store=first_store)
    exports: list[bytes] = []
    for source_store, target_store in ((first_store, postgres_store), (postgres_store, last_store), (last_store, "")):
        export_file = tmp_path / f"{len(exports)}.jsonl"
        assert zim("export", "--jsonl", str(export_file), store=source_store).returncode == 0
        exports.append(export_file.read_bytes())
        if target_store:
            import_result = zim("--ascii", "import", str(export_file), store=target_store)
            assert (import_result.returncode, " 6 entries are in " in import_result.stdout) == (0, True)
    assert exports[0] == exports[1] == exports[2]
    assert zim("export", "--jsonl", store=last_store).stdout.encode() == exports[0]
    zim("new", "kilwa-3", store=last_store)
    result = zim("import", "-", store=last_store, stdin=exports[0].decode())
    assert result.returncode == 0, "entries that exist already are left as they are"
    zim("new", "kilwa-4", store=first_store)
    refusal = zim("import", "-", store=first_store, stdin=zim("export", "--jsonl", store=last_store).stdout)
    assert (refusal.returncode, "the store has other games" in refusal.stderr) == (3, True)


def test_an_export_needs_an_option_for_its_format(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    zim("new", "kilwa-1", store=store)
    result = zim("export", "kilwa-1", store=store)
    assert (result.returncode, "--certificates DIR, --jsonl" in result.stderr) == (2, True)
    assert zim("export", "--certificate", str(tmp_path / "no" / "such"), store=store).returncode == 4


def test_a_backup_is_a_store(tmp_path: Path) -> None:
    store, backup_file = f"sqlite:///{tmp_path}/games.zim", tmp_path / "friday.zim"
    zim("new", "kilwa-1", "seed=7", store=store)
    result = zim("--ascii", "backup", str(backup_file), store=store)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"{backup_file} has the 3 entries of {store}" in result.stdout
    zim("new", "kilwa-2", "seed=7", store=store)
    assert zim("backup", str(backup_file), store=store).returncode == 2
    games = json.loads(zim("games", "--json", store=f"sqlite:///{backup_file}").stdout)["games"]
    assert [game["name"] for game in games] == ["kilwa-1"]


def test_a_backup_of_a_server_is_an_export(postgres_store: str, tmp_path: Path) -> None:
    zim("new", "kilwa-1", "seed=7", store=postgres_store)
    assert zim("backup", str(tmp_path / "copy"), store=postgres_store).returncode == 0
    store = f"sqlite:///{tmp_path}/games.zim"
    assert zim("import", str(tmp_path / "copy"), store=store).returncode == 0
    assert zim("verify", "kilwa-1", store=store).returncode == 0


def test_a_store_of_an_older_zim_is_upgraded(tmp_path: Path) -> None:
    """The test types what `db check` suggests."""
    store = f"sqlite:///{tmp_path}/games.zim"
    with EventStore.open(store) as event_store:
        for line in OLDER_STORE.read_bytes().splitlines()[1:-1]:
            entry = msgspec.json.decode(line, type=ExportEntry)
            assert event_store._backend.insert_rows(
                [(entry.stream, revision, *row) for revision, row in enumerate(entry.rows, entry.first_revision)]
            )
    assert (
        "head 9a55c871fd7114815476c2ba3f3df5cd, sealed without place"
        in zim("verify", "kilwa-7/main", store=store).stdout
    )
    check_result = zim("db", "check", store=store)
    assert check_result.stdout.endswith(": 7 streams, 7 of them sealed without place\n")
    assert check_result.stderr.endswith("try: zim db upgrade before.db\n")
    assert "takes no name" in zim("db", "check", "before.db", store=store).stderr
    assert "zim db upgrade NEW" in zim("db", "upgrade", store=store).stderr

    refusal = zim("db", "upgrade", f"{tmp_path}/before.db", store=store)
    assert "--open" in refusal.stderr, "the backup would show the hidden hands of a game"
    upgrade_result = zim("db", "upgrade", f"{tmp_path}/before.db", "--open", store=store)
    assert upgrade_result.stdout.splitlines()[1:] == [f"  the store as it was before is in {tmp_path}/before.db"]
    assert "2 games with 7 streams in all are sealed with place" in upgrade_result.stdout
    assert zim("db", "check", store=store).stdout.endswith(": 7 streams, sealed with place\n")
    assert "nothing to do" in zim("db", "upgrade", f"{tmp_path}/again.db", "--open", store=store).stdout
    assert "9a55c871fd7114815476c2ba3f3df5cd, sealed with place" in zim("verify", "kilwa-7/main", store=store).stdout
    store_before = f"sqlite:///{tmp_path}/before.db"
    assert "sealed without place" in zim("verify", "kilwa-7/main", store=store_before).stdout


def test_all_faults_are_reported_and_the_others_saved(tmp_path: Path) -> None:
    store, saved_store = f"sqlite:///{tmp_path}/games.zim", f"sqlite:///{tmp_path}/saved.zim"
    for name in ("kilwa-1", "kilwa-2", "kilwa-3"):
        zim("new", name, "seed=7", store=store)
    zim("fork", "kilwa-1@0", "forgotten", store=store)
    zim("switch", "kilwa-1/main", store=store)
    zim("forget", "kilwa-1/forgotten", store=store)
    check_result = zim("--ascii", "db", "check", store=store)
    assert (check_result.returncode, check_result.stderr) == (0, "")
    with sqlite3.connect(tmp_path / "games.zim") as database:
        sql = "UPDATE stored_events SET state = x'c1' WHERE rowid = (SELECT {}(rowid) FROM stored_events WHERE {})"
        database.execute(sql.format("max", "topic = 'store.forked.1'"))
        database.execute(sql.format("min", "topic LIKE 'zimbabwe.%'"))
    result = zim("db", "check", store=store)
    assert result.returncode == 1
    assert result.stderr.count("was altered: its digest does not match its bytes") == 2
    salvage_result = zim("db", "salvage", saved_store, store=store)
    assert salvage_result.returncode == 1
    assert "2 of 8 streams could not be saved whole" in salvage_result.stderr
    copy_result = zim("db", "check", store=saved_store)
    assert copy_result.returncode == 1
    assert copy_result.stderr.count("the line has no commits") == 2, "the salvaged names tell which lines are missing"
    assert [zim("verify", f"kilwa-{number}", store=saved_store).returncode for number in (1, 2, 3)] == [1, 0, 0]
    assert zim("db", "salvage", saved_store, store=store).returncode == 3


def test_a_damaged_line_prevents_no_certificate_of_another(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    for name in ("a", "b", "c"):
        zim("new", name, "seed=7", store=store)
    zim("fork", "a@0", "what-if", store=store)
    with sqlite3.connect(tmp_path / "games.zim") as database:
        sql = "UPDATE stored_events SET state = x'c1' WHERE rowid = (SELECT {}(rowid) FROM stored_events WHERE {})"
        database.execute(sql.format("min", "topic LIKE 'zimbabwe.%'"))  # the first line of a, and so its fork
        database.execute(sql.format("max", "topic LIKE '%line_named%' AND originator_version = 0"))  # names of c
    result = zim("export", "--certificates", str(tmp_path / "all"), store=store)
    assert result.returncode == 1
    assert [path.name for path in sorted((tmp_path / "all").glob("*"))] == ["b.main.cert"]
    assert "1 certificate" in result.stdout
    assert "3 lines could not be written" in result.stderr
    for place in ("a/main: ", "a/what-if: ", "c: "):
        assert place in result.stderr


def test_a_backup_is_put_in_the_place_of_a_store(tmp_path: Path) -> None:
    """Also of a missing one; from what is no backup, nothing changes."""
    store, copy = f"sqlite:///{tmp_path}/games.zim", f"{tmp_path}/friday.db"
    zim("new", "kilwa-1", "seed=7", store=store)
    zim("backup", copy, store=store)
    zim("new", "kilwa-2", "seed=7", store=store)
    result = zim("db", "restore", copy, store=store)
    assert result.stdout.splitlines() == [
        f"✓ {store} has the 3 entries of {copy}",
        f"  the store as it was before is in {tmp_path}/games.zim.old",
    ]
    assert "kilwa-2" not in zim("games", store=store).stdout
    assert "kilwa-2" in zim("games", store=f"{store}.old").stdout
    assert [*tmp_path.glob("friday.db*")] == [Path(copy)], "SQLite's files beside the backup are gone"
    (tmp_path / "games.zim").unlink()
    answer = json.loads(zim("--json", "db", "restore", copy, store=store).stdout)
    assert answer["restored"] == {"file": copy, "entries": 3, "kept": ""}
    assert "kilwa-1" in zim("games", store=store).stdout


def test_a_second_name_is_named_by_db_check(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/games.zim"
    zim("new", "kilwa-1", "seed=7", store=store)
    (tmp_path / "other.zim").hardlink_to(tmp_path / "games.zim")
    for words in (("db", "check"), ("new", "kilwa-2")):
        result = zim(*words, store=store)
        assert (result.returncode, "several names" in result.stderr) == (4, True)
        assert f"find / -xdev -samefile {tmp_path}/games.zim" in result.stderr


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
def test_no_reader_gets_an_older_state_by_a_second_name(tmp_path: Path, mode: str) -> None:
    """The latest moves are in the log beside the name that the other program used."""
    store, other_name = f"sqlite:///{tmp_path}/games.zim", tmp_path / "other.zim"
    zim("new", "kilwa-1", "seed=7", store=store)
    code = f"from zimcore.service import open_service; s = open_service({store!r}); s.new('zimbabwe', {{}}, "
    code += "name='kilwa-2', by='ann'); print('played', flush=True); input()"
    with Popen([sys.executable, "-c", code], stdin=PIPE, stdout=PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "played\n"
        other_name.hardlink_to(tmp_path / "games.zim")
        result = zim("games", store=f"sqlite:///{other_name}{mode}")
        assert (result.returncode, "kilwa-1" in result.stdout) == (4, False)
        assert "by another name, where the log with its latest moves is\n  try: name the file" in result.stderr
        assert "kilwa-2" in zim("games", store=store + mode).stdout
        writer.communicate("\n")
    assert "kilwa-2" in zim("games", store=f"sqlite:///{other_name}{mode}").stdout
