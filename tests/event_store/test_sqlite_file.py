"""A store in a file notices when the file is not the one that it opened, before anything is acknowledged."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from event_store import EventStore, StoreError
from event_store.backends import sqlite, sqlite_file
from event_store.backup import backup
from tests.event_store.diary import Noted, note, open_diary

LOG, LOG_INDEX = "games.db-wal", "games.db-shm"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def store(path: Path) -> Iterator[EventStore]:
    """A store with an entry, of which there is a backup, and another entry that is in the log only."""
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "one")
        backup(store, path.with_name("backup.db"))
        note(store, "a", 1, "two")
        yield store


def texts(store: EventStore, stream: str = "a") -> list[str]:
    return [event.text for entry in store.read(stream) for event in entry.events if isinstance(event, Noted)]


def delete_all(path: Path) -> None:
    for file in path.parent.glob("games.db*"):
        file.unlink()


def delete_and_copy(path: Path) -> None:
    delete_all(path)
    shutil.copy(path.with_name("backup.db"), path)


def copy_over(path: Path) -> None:
    shutil.copy(path.with_name("backup.db"), path)


def rename_over(path: Path) -> None:
    path.with_name("backup.db").rename(path)


def move_away(path: Path) -> None:
    path.rename(path.with_name("other.db"))


def swap_folders(path: Path) -> None:
    """The name leads to another file, though nobody has touched the first one."""
    path.parent.rename(path.parent.with_name("before"))
    path.parent.mkdir()
    shutil.copy(path.parent.with_name("before") / "backup.db", path)


def link(path: Path) -> None:
    path.with_name("other.db").hardlink_to(path)


def delete_log(path: Path) -> None:
    path.with_name(LOG).unlink()


def replace_log(path: Path) -> None:
    shutil.copy(path.with_name(LOG), path.with_name("log"))
    path.with_name("log").rename(path.with_name(LOG))


def delete_index(path: Path) -> None:
    path.with_name(LOG_INDEX).unlink()


@pytest.mark.parametrize(
    ("act", "why"),
    [
        *((act, sqlite_file.REPLACED) for act in (delete_all, delete_and_copy, rename_over, move_away, swap_folders)),
        *((act, sqlite_file.REPLACED) for act in (delete_log, replace_log, delete_index)),
        (copy_over, sqlite_file.FOREIGN_LOG),
        (link, sqlite_file.MANY_NAMES),
    ],
)
def test_nothing_is_acknowledged_by_a_file_that_was_replaced_under_a_program(
    store: EventStore, path: Path, act: Callable[[Path], None], why: str
) -> None:
    store.check_file()
    act(path)
    with pytest.raises(StoreError) as health:
        store.check_file()
    with pytest.raises(StoreError) as refusal:
        note(store, "a", 3, "three")
    assert (refusal.value.what, refusal.value.why) == (f"can't write to the store sqlite:///{path}", why)
    assert (health.value.what, health.value.why) == (refusal.value.what, why)
    assert len(refusal.value.hints) == 1


@pytest.mark.parametrize(("act", "undo"), [(move_away, lambda path: path.with_name("other.db").rename(path))])
def test_a_file_that_came_back_is_written_again(
    store: EventStore, path: Path, act: Callable[[Path], None], undo: Callable[[Path], object]
) -> None:
    act(path)
    with pytest.raises(StoreError):
        note(store, "a", 3, "three")
    undo(path)
    note(store, "a", 3, "three")
    with open_diary(f"sqlite:///{path}") as other_store:
        assert texts(other_store) == ["one", "two", "three"]


def test_of_two_writers_by_two_names_neither_loses_a_move(store: EventStore, path: Path) -> None:
    """Neither gets an answer, until one of the names is gone."""
    link(path)
    with open_diary(f"sqlite:///{path.with_name('other.db')}") as other_store:
        for number, writer in enumerate([store, other_store] * 3):
            with pytest.raises(StoreError):
                note(writer, f"s{number}", -1, "lost")
    path.with_name("other.db").unlink()
    note(store, "a", 3, "three")
    with open_diary(f"sqlite:///{path}") as third_store:
        assert (third_store.streams(), texts(third_store)) == (["a"], ["one", "two", "three"])


def test_a_file_that_is_mounted_by_itself_is_not_written(
    store: EventStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "mount_table", lambda: f"/dev/sda1 {path} ext4 rw")
    with (
        open_diary(f"sqlite:///{path}") as other_store,
        pytest.raises(StoreError, match="mounted by itself") as refusal,
    ):
        note(other_store, "a", 3, "three")
    assert refusal.value.hints == ("mount its folder instead",)
    with pytest.raises(StoreError, match="mounted by itself"):
        store.check_file()


def test_a_store_whose_maker_was_stopped_has_one_name_again(store: EventStore, path: Path) -> None:
    """A new store gets its name as a second one; the first is in a folder that is deleted then."""
    (folder := path.with_name(".new-store-x")).mkdir()
    (folder / path.name).hardlink_to(path)
    note(store, "a", 3, "three")
    assert path.stat().st_nlink == 1


def test_a_second_connection_does_not_open_another_file(store: EventStore, path: Path) -> None:
    """A thread of its own would read another store than its neighbour."""
    delete_and_copy(path)
    recorder: Any = store._backend.recorder
    with recorder.datastore.get_connection(commit=False):
        for read in (store.streams, store.check_database):
            with pytest.raises(StoreError, match="replaced"):
                read()
    assert texts(store) == ["one", "two"]


def test_no_thread_of_a_process_uses_another_file_than_the_others(store: EventStore, path: Path) -> None:
    """Each worker of a server opens the store when it gets its first request."""
    delete_and_copy(path)
    with open_diary(f"sqlite:///{path}") as late_store:
        for act in (late_store.streams, lambda: note(late_store, "a", 1, "two"), late_store.check_file):
            with pytest.raises(StoreError, match="replaced"):
                act()
    store.close()
    with open_diary(f"sqlite:///{path}") as new_store:
        assert texts(new_store) == ["one"]


def test_another_journal_mode_is_no_other_file(path: Path) -> None:
    """An operator gives the file a log, as `doctor` suggests, while a program waits."""
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "one")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = delete")
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", 1, "two")
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode = wal")
        note(store, "a", 3, "three")
        store.check_file()
        delete_log(path)
        with pytest.raises(StoreError, match="replaced"):
            note(store, "a", 5, "four")


def test_a_writer_that_could_not_connect_blocks_no_other(store: EventStore, path: Path) -> None:
    leave_log(path, crashed := path.with_name("crashed.db"))
    shutil.copy(path.with_name("backup.db"), crashed)
    with open_diary(f"sqlite:///{crashed}") as crashed_store:
        for _ in range(2):
            with pytest.raises(StoreError, match="belongs to another file"):
                crashed_store._backend.insert_rows([("a", 0, "noted.1", b"")])


def leave_log(path: Path, crashed: Path) -> None:
    """The file and its log as a killed program leaves them."""
    shutil.copy(path, crashed)
    shutil.copy(path.with_name(LOG), f"{crashed}-wal")


def test_a_leftover_log_of_the_file_is_applied(store: EventStore, path: Path) -> None:
    leave_log(path, crashed := path.with_name("crashed.db"))
    with open_diary(f"sqlite:///{crashed}") as crashed_store:
        assert texts(crashed_store) == ["one", "two"]


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
@pytest.mark.parametrize("act", [Path.hardlink_to, lambda other, crashed: crashed.rename(other)], ids=["link", "move"])
def test_a_log_that_a_crash_has_left_beside_another_name_is_missed(
    store: EventStore, path: Path, act: Callable[[Path, Path], object], mode: str
) -> None:
    """Without it the file would show, and continue, an older state."""
    leave_log(path, crashed := path.with_name("crashed.db"))
    act(other := path.with_name("other.db"), crashed)
    with open_diary(f"sqlite:///{other}{mode}") as other_store:
        with pytest.raises(
            StoreError, match=f"its latest moves are in the log of another name: {crashed}-wal"
        ) as error:
            texts(other_store)
        with pytest.raises(StoreError):
            note(other_store, "a", 1, "other")
    assert error.value.hints[-1].endswith(f"mv LOG {other}-wal")
    Path(f"{crashed}-wal").rename(f"{other}-wal")
    crashed.unlink(missing_ok=True)
    with open_diary(f"sqlite:///{other}{mode}") as other_store:
        assert texts(other_store) == ["one", "two"]


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
def test_a_leftover_log_beside_a_restored_file_is_not_applied(store: EventStore, path: Path, mode: str) -> None:
    leave_log(path, crashed := path.with_name("crashed.db"))
    shutil.copy(path.with_name("backup.db"), crashed)
    content = crashed.read_bytes()
    with open_diary(f"sqlite:///{crashed}{mode}") as crashed_store:
        with pytest.raises(StoreError, match="write-ahead log belongs to another file") as refusal:
            list(crashed_store.read("a"))
        with pytest.raises(StoreError, match="write-ahead log belongs to another file"):
            note(crashed_store, "a", 1, "other")
    assert refusal.value.hints[0].endswith(f"mv {crashed}-wal {crashed}-wal.old")
    assert crashed.read_bytes() == content
    Path(f"{crashed}-wal").rename(f"{crashed}-wal.old")
    with open_diary(f"sqlite:///{crashed}{mode}") as crashed_store:
        assert texts(crashed_store) == ["one"]


def test_no_store_is_made_beside_a_leftover_log(store: EventStore, path: Path) -> None:
    leave_log(path, crashed := path.with_name("crashed.db"))
    crashed.unlink()
    with open_diary(f"sqlite:///{crashed}") as crashed_store, pytest.raises(StoreError, match="the file is missing"):
        note(crashed_store, "a", -1, "other")
    assert not crashed.exists()


def test_a_log_that_a_power_cut_has_torn_belongs_to_its_file(store: EventStore, path: Path) -> None:
    """SQLite reads nothing of a first transaction that is not whole, so it belongs to any file."""
    restored, log = path.with_name("backup.db"), path.with_name(LOG).read_bytes()
    page = 32 + 24
    for torn_log, belongs in (
        (log, False),
        (log[:20], True),
        (log[: page + 100], True),
        (log[: page + 80] + bytes(4016) + log[page + 4096 :], True),
        (bytes([log[0], log[1] ^ 1, *log[2:]]), True),
    ):
        restored.with_name("backup.db-wal").write_bytes(torn_log)
        assert sqlite.has_own_log(str(restored)) == belongs


OPERATIONS = ("append", "append", "long", "other", "checkpoint", "restart", "reopen", "backup", "vacuum")


@settings(max_examples=10, deadline=None)
@given(operations=st.lists(st.sampled_from(OPERATIONS), max_size=15))
def test_a_log_belongs_to_its_file_at_any_moment_and_to_no_backup(operations: list[str]) -> None:
    """However programs write, checkpoint and close: what a kill leaves is whole, and no backup fits its log."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "games.db")
        url = f"sqlite:///{path}"
        stores, entry_count, backups = {"append": open_diary(url), "other": open_diary(url)}, 1, list[Path]()
        note(stores["append"], "a", -1, "0")
        for number, operation in enumerate(operations):
            if operation in ("append", "other", "long"):
                writer = stores["other" if operation == "other" else "append"]
                note(writer, "a", 2 * entry_count - 1, "x" * (9000 if operation == "long" else 1))
                entry_count += 1
            elif operation == "reopen":
                stores["append"].close()
                stores["append"] = open_diary(url)
            elif operation == "backup":
                backups.append(Path(folder, f"backup-{number}.db"))
                backup(stores["other"], backups[-1])
            else:
                with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                    mode = "TRUNCATE" if operation == "restart" else "PASSIVE"
                    connection.execute("VACUUM" if operation == "vacuum" else f"PRAGMA wal_checkpoint({mode})")
            if not path.with_name(LOG).exists() or not path.with_name(LOG).stat().st_size:
                continue
            leave_log(path, crashed := Path(folder, "crashed.db"))
            for backup_file in backups:
                shutil.copy(path.with_name(LOG), f"{backup_file}-wal")
                assert not sqlite.has_own_log(str(backup_file))
                Path(f"{backup_file}-wal").unlink()
            with open_diary(f"sqlite:///{crashed}") as crashed_store:
                assert len(list(crashed_store.read("a"))) == entry_count
        for each in stores.values():
            each.close()


@pytest.mark.parametrize("umask", [0o022, 0o000])
def test_only_its_owner_can_read_a_new_store_its_log_and_its_backup(tmp_path: Path, umask: int) -> None:
    umask_before = os.umask(umask)
    try:
        with open_diary(f"sqlite:///{tmp_path}/games.db") as store, open_diary("memory:") as memory_store:
            note(store, "a", -1, "one")
            backup(store, tmp_path / "backup.db")
            backup(memory_store, tmp_path / "export.jsonl")
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    finally:
        os.umask(umask_before)
    assert modes == dict.fromkeys(("games.db", LOG, LOG_INDEX, "backup.db", "export.jsonl"), 0o600)


def test_only_its_owner_can_enter_folders_that_are_made_for_a_store(tmp_path: Path) -> None:
    with open_diary(f"sqlite:///{tmp_path}/new/zim/games.db") as store:
        note(store, "a", -1, "one")
    assert [folder.stat().st_mode & 0o777 for folder in (tmp_path / "new", tmp_path / "new/zim")] == [0o700] * 2


def test_a_store_keeps_the_mode_that_it_has(path: Path) -> None:
    path.touch(0o640)
    path.chmod(0o640)
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "one")
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o640}
