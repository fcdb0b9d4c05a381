"""`zim doctor` on a store: each fault is made once and named, and a healthy store has none."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from event_store import EventStore
from event_store.backends import sqlite_file, sqlite_health
from event_store.export import ExportEntry
from zimcore.documents.health import HealthFinding, Level
from zimcore.documents.leagues import NewLeague
from zimcore.service import GameService, open_service
from zimcore.service.care import maintenance
from zimcore.service.health.health_checks import Check, make_finding, run_checks
from zimcore.service.health.store_health import examine_store
from zimcore.service.records.memberships import TokenGiven

OLD_EXPORT = Path(__file__).with_name("before_places.jsonl")
Usage = namedtuple("Usage", "total used free")
NOW = datetime.now(UTC)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users can enter, as pytest's own can't be."""
    with tempfile.TemporaryDirectory() as folder_name:
        Path(folder_name).chmod(0o755)
        yield Path(folder_name)


@pytest.fixture
def path(folder: Path) -> Path:
    """The file of a store with a game."""
    new_game(folder / "games.db")
    return folder / "games.db"


def new_game(path: Path, name: str = "k", time: datetime | None = None) -> None:
    with EventStore.open(f"sqlite:///{path}") as store:
        GameService(store, lambda: time or datetime.now(UTC)).new("zimbabwe", {"seed": "7"}, name=name, by="ann")
    path.chmod(0o600)


def findings_of(path: Path, check: str, backup: str = "") -> list[HealthFinding]:
    """The findings of a check, each with something to type."""
    report = examine_store(f"sqlite:///{path}", backup)
    assert check in report.checks
    findings = [each for each in report.findings if each.check == check]
    assert all(each.why and (each.hints or each.level == "unchecked") for each in findings)
    return findings


def only_finding(path: Path, check: str, level: Level = "problem", backup: str = "") -> str:
    """The only finding of a check."""
    (health_finding,) = findings_of(path, check, backup)
    assert health_finding.level == level
    return " ".join((health_finding.what, health_finding.why, *health_finding.hints))


def test_a_healthy_store_has_no_findings(path: Path, folder: Path) -> None:
    """A store with a league is healthy too."""
    with EventStore.open(f"sqlite:///{path}") as store:
        GameService(store).open_league(NewLeague("cup", "zimbabwe"), by="ann")
        maintenance.backup(store, folder / "copy.db")
    findings = examine_store(f"sqlite:///{path}", str(folder / "copy.db")).findings
    assert [each for each in findings if each.check != "disk"] == [], "how full this disk is does not matter here"
    assert not [each for each in findings if each.level == "problem"]


def test_a_missing_store_is_a_problem(folder: Path) -> None:
    report = examine_store(f"sqlite:///{folder}/none.db")
    assert [(each.check, each.level) for each in report.findings] == [("file", "problem"), ("file", "unchecked")]
    assert "journal" in report.findings[1].what
    assert not (folder / "none.db").exists()


def test_an_unknown_kind_of_store_is_a_problem() -> None:
    problem, _ = examine_store("carrier-pigeon:").findings
    assert (problem.check, problem.why) == ("open", "no such kind of store")


def test_a_file_of_another_program_is_a_problem(folder: Path) -> None:
    (folder / "notes.db").write_text("milk, bread " * 1000)
    assert "not a database" in only_finding(folder / "notes.db", "journal")


def test_what_others_have_put_into_the_database_is_named(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE notes (note)")
        database.execute("CREATE VIEW moves AS SELECT * FROM stored_events")
        database.execute("CREATE TRIGGER spy AFTER INSERT ON stored_events BEGIN INSERT INTO notes VALUES (1); END")
    findings = findings_of(path, "objects")
    assert [(each.level, each.what.removeprefix("the database has a foreign ")) for each in findings] == [
        ("remark", "table, 'notes'"),
        ("problem", "trigger, 'spy'"),
        ("remark", "view, 'moves'"),
    ]


@pytest.mark.parametrize(
    ("mode", "level", "message"),
    [
        (0o644, "remark", "others may read"),
        (0o646, "problem", "others may write"),
        (0o660, "remark", "its group may read"),
    ],
)
def test_rights_of_other_users_on_the_file_are_reported(path: Path, mode: int, level: Level, message: str) -> None:
    path.chmod(mode)
    assert message in (finding_text := only_finding(path, "rights", level))
    assert f"chmod 600 {path}" in finding_text


def test_a_readable_file_of_a_served_store_is_a_problem(path: Path) -> None:
    with (service := open_service(f"sqlite:///{path}")).store:
        service.change_members("", lambda _: [TokenGiven("a", "host", "hanna", b"x" * 32)], by="hanna")
    path.chmod(0o644)
    assert "others may read" in only_finding(path, "rights")
    path.parent.chmod(0o700)
    assert findings_of(path, "rights") == [], "other users can't enter the folder"


def test_a_folder_that_others_may_write_is_a_problem(path: Path) -> None:
    path.parent.chmod(0o757)
    assert "replace the store" in only_finding(path, "rights")


def test_a_full_disk_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100 << 30, 0, 99 << 20))
    assert "99 MiB free" in only_finding(path, "disk")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100 << 30, 0, 5 << 30))
    assert "5,120 MiB free" in only_finding(path, "disk", "remark")


def test_a_leftover_folder_of_a_backup_is_a_remark(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, 1 << 40))
    leftover = path.parent / ".new-backup-x"
    leftover.mkdir()
    assert findings_of(path, "disk") == [], "a new folder may still be in use"
    os.utime(leftover, (0, 0))
    assert f"rm -r {leftover}" in only_finding(path, "disk", "remark")


def test_another_journal_mode_is_a_problem(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = delete")
    assert "journal mode delete" in only_finding(path, "journal")


def test_a_lasting_lock_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_health, "LOCK_TIMEOUT", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        assert "is locked" in only_finding(path, "journal")


def test_a_second_name_of_the_file_is_a_problem(path: Path) -> None:
    os.link(path, path.with_name("other.db"))
    assert "has 2 names" in only_finding(path, "journal")


def test_a_network_file_system_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "mount_table", lambda: f"tmpfs / tmpfs rw\nserver:/ {path.parent} nfs4 rw")
    assert "is on nfs4" in only_finding(path, "journal")


def test_a_file_that_is_mounted_by_itself_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "mount_table", lambda: f"/dev/sda1 {path} ext4 rw")
    assert "mount the folder" in only_finding(path, "journal")


def test_the_log_of_another_file_is_a_problem_and_is_not_applied(path: Path, folder: Path) -> None:
    """The log of a store that has moved on lies beside a backup of it, as after `cp backup games.db`."""
    with (service := open_service(f"sqlite:///{path}")).store:
        maintenance.backup(service.store, folder / "restored.db")
        service.new("zimbabwe", {"seed": "7"}, name="l", by="ann")
        shutil.copy(folder / "games.db-wal", folder / "restored.db-wal")
    file_before = (folder / "restored.db").read_bytes()
    problem, unchecked = examine_store(f"sqlite:///{folder}/restored.db").findings
    assert (problem.check, problem.level, unchecked.level) == ("file", "problem", "unchecked")
    assert "belongs to another file" in problem.what
    assert (folder / "restored.db").read_bytes() == file_before


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not show which files a process has open")
def test_a_program_that_has_an_older_file_open_is_a_problem(path: Path, folder: Path) -> None:
    with (service := open_service(f"sqlite:///{path}")).store:
        service.game_names()
        maintenance.backup(service.store, folder / "copy.db")
        (folder / "copy.db").rename(path)
        (folder / "games.db-wal").unlink()
        assert f"process {os.getpid()} has the file open" in only_finding(path, "journal")
    assert findings_of(path, "journal") == []


def test_a_leftover_log_is_a_remark(path: Path, folder: Path) -> None:
    """As after a crash: the file and its log are copied while a program has them open."""
    with EventStore.open(f"sqlite:///{path}") as store:
        GameService(store).new("zimbabwe", {"seed": "7"}, name="l", by="ann")
        for name in ("games.db", "games.db-wal"):
            shutil.copy(folder / name, folder / name.replace("games", "crashed"))
        assert findings_of(path, "journal") == [], "a program has it open"
    assert "nothing is lost" in only_finding(folder / "crashed.db", "journal", "remark")
    with (service := open_service(f"sqlite:///{folder}/crashed.db")).store:
        assert [*service.game_names()] == ["k", "l"]


def test_the_journal_of_a_read_only_store_is_unchecked(path: Path) -> None:
    report = examine_store(f"sqlite:///{path}?mode=ro")
    assert [each.level for each in report.findings if each.check == "journal"] == ["unchecked"]


@pytest.mark.parametrize(("topic", "message"), [("zimbabwe.newer.9", "zimbabwe.newer.9"), ("chess.moved.1", "chess")])
def test_unknown_events_are_a_problem(path: Path, topic: str, message: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO stored_events VALUES ('x', 0, ?, x'00')", (topic,))
    assert message in only_finding(path, "version")


def test_a_damaged_list_of_games_is_a_problem(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = 'games' AND originator_version = 0"
        )
    problem, unchecked = findings_of(path, "open")
    assert (problem.level, problem.hints[0], unchecked.level) == ("problem", "db check", "unchecked")


def test_seals_of_an_older_zim_are_a_problem(folder: Path) -> None:
    with EventStore.open(f"sqlite:///{folder}/old.db") as old_store:
        for line in OLD_EXPORT.read_bytes().splitlines()[1:-1]:
            entry = msgspec.json.decode(line, type=ExportEntry)
            assert old_store._backend.insert_rows(
                [(entry.stream, revision, *row) for revision, row in enumerate(entry.rows, entry.first_revision)]
            )
    message = only_finding(folder / "old.db", "seals")
    assert "7 of 7 streams" in message
    assert "db upgrade before.db" in message


def test_a_move_from_the_future_is_a_problem(path: Path) -> None:
    new_game(path, "later", NOW + timedelta(days=1))
    assert "timedatectl" in only_finding(path, "clock")


class TestBackup:
    """The file of the last backup."""

    def test_a_backup_that_is_not_named_is_a_remark(self, path: Path) -> None:
        assert "--backup FILE" in only_finding(path, "backup", "remark")

    def test_a_missing_backup_is_a_problem(self, path: Path) -> None:
        assert "No such file" in only_finding(path, "backup", backup=f"{path}.bak")

    def test_a_backup_that_can_t_be_read_is_a_problem(self, path: Path, folder: Path) -> None:
        (folder / "copy").write_text("milk, bread")
        assert "no backup that can be read" in only_finding(path, "backup", backup=str(folder / "copy"))

    def test_a_backup_of_another_store_is_a_problem(self, path: Path, folder: Path) -> None:
        new_game(folder / "other.db")
        assert "of another store" in only_finding(path, "backup", backup=str(folder / "other.db"))

    @pytest.mark.parametrize("kind", ["copy", "export"])
    def test_an_old_backup_is_a_problem(self, folder: Path, kind: str) -> None:
        """Old is a backup that lacks old moves: a store in which nothing happens needs no new one."""
        path, backup_path = folder / "games.db", folder / "copy"
        new_game(path, "k", NOW - timedelta(days=30))
        with EventStore.open(f"sqlite:///{path}") as store:
            if kind == "copy":
                maintenance.backup(store, backup_path)
            else:
                backup_path.write_bytes(b"".join(GameService(store).export()))
        assert findings_of(path, "backup", backup=str(backup_path)) == []
        new_game(path, "l", NOW - timedelta(days=6))
        assert findings_of(path, "backup", backup=str(backup_path)) == []
        new_game(path, "m", NOW - timedelta(days=9))
        assert "9 days old" in only_finding(path, "backup", backup=str(backup_path))

    def test_a_backup_with_moves_that_the_store_lacks_is_a_problem(self, path: Path, folder: Path) -> None:
        shutil.copy(path, folder / "before.db")
        new_game(path, "l")
        with EventStore.open(f"sqlite:///{path}") as store:
            maintenance.backup(store, folder / "copy.db")
        assert "moves were lost" in only_finding(folder / "before.db", "backup", backup=str(folder / "copy.db"))


def test_a_check_that_never_ends_is_unchecked() -> None:
    from threading import Event

    check_forever: Callable[[], list[HealthFinding]] = lambda: [make_finding("a", "remark", "", "")] * Event().wait(60)  # noqa: E731
    (finding,) = run_checks([Check("slow", check_forever, max_seconds=0.01)])
    assert (finding.check, finding.level) == ("slow", "unchecked")


def test_a_bug_in_a_check_is_no_finding() -> None:
    with pytest.raises(ZeroDivisionError):
        list(run_checks([Check("bug", lambda: [make_finding("a", "remark", str(1 // 0), "")])]))
