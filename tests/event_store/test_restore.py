"""A backup takes the place of a store, and nothing is lost: not the store that was there, nor what its log has."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from event_store import DamagedError, StoreError
from event_store.backup import backup
from event_store.restore import restore
from tests.event_store.diary import Noted, note, open_diary


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store as a killed program leaves it: its last entry is in the log. Beside it is a backup without that entry."""
    (folder := tmp_path / "running").mkdir()
    with open_diary(f"sqlite:///{folder}/games.db") as store:
        note(store, "a", -1, "one")
        backup(store, tmp_path / "backup.db")
        note(store, "a", 1, "two")
        for name in ("games.db", "games.db-wal"):
            shutil.copy(folder / name, tmp_path / name)
    shutil.rmtree(folder)
    return tmp_path / "games.db"


def restore_backup(path: Path) -> tuple[int, Path | None]:
    with open_diary(f"sqlite:///{path.with_name('backup.db')}?mode=ro") as copy:
        return restore(copy, path)


def texts(path: Path) -> list[str]:
    with open_diary(f"sqlite:///{path}") as store:
        return [event.text for entry in store.read("a") for event in entry.events if isinstance(event, Noted)]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.startswith("games.db")}


def test_the_backup_is_in_the_store_s_place_and_the_store_is_whole_beside_it(path: Path) -> None:
    assert restore_backup(path) == (1, path.with_name("games.db.old"))
    assert (texts(path), texts(path.with_name("games.db.old"))) == (["one"], ["one", "two"])
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", 1, "another two")
    assert restore_backup(path) == (1, path.with_name("games.db.old-2"))
    assert texts(path.with_name("games.db.old-2")) == ["one", "another two"]
    assert texts(path.with_name("games.db.old")) == ["one", "two"]


def test_a_store_is_made_and_restored_where_files_have_one_name_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: Any, **options: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")  # as FAT does

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "games.db"
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "one")
        backup(store, tmp_path / "backup.db")
    assert restore_backup(path) == (1, path.with_name("games.db.old"))
    assert texts(path) == texts(path.with_name("games.db.old")) == ["one"]


@pytest.mark.parametrize("left_over", [[], ["games.db-wal"]])
def test_a_missing_store_is_restored(path: Path, left_over: list[str]) -> None:
    log = path.with_name("games.db-wal").read_bytes()
    for file in path.parent.glob("games.db*"):
        if file.name not in left_over:
            file.unlink()
    restore_backup(path)
    assert texts(path) == ["one"]
    assert not left_over or path.with_name("games.db.old-wal").read_bytes() == log


def test_a_missing_folder_is_made(path: Path) -> None:
    deep_path = path.parent / "deep" / "down" / "games.db"
    with open_diary(f"sqlite:///{path.with_name('backup.db')}?mode=ro") as copy:
        assert restore(copy, deep_path) == (1, None)
    assert texts(deep_path) == ["one"]


@contextmanager
def other_program(path: Path, action: str) -> Iterator[None]:
    """Another process that has the store open: it has read or written, and waits."""
    context = get_context("fork")
    here, there = context.Pipe()

    def use_store() -> None:
        with open_diary(f"sqlite:///{path}") as store:
            if action == "write":
                note(store, "a", 3, "three")
            there.send(store.streams())
            there.recv()

    process = context.Process(target=use_store)
    process.start()
    here.recv()
    try:
        yield
    finally:
        here.send("stop")
        process.join()


@pytest.mark.parametrize("action", ["read", "write"])
def test_a_store_that_a_program_has_open_is_not_replaced(path: Path, action: str) -> None:
    with other_program(path, action):
        content = contents(path.parent)
        with pytest.raises(StoreError, match="a program has the store open") as refusal:
            restore_backup(path)
        assert refusal.value.hints == ("stop it, then try again", f"fuser -v {path}")
        assert contents(path.parent) == content
    restore_backup(path)
    assert texts(path) == ["one"]


def test_a_damaged_backup_is_not_put_in_place(path: Path) -> None:
    with closing(sqlite3.connect(path.with_name("backup.db"))) as database:
        database.execute("UPDATE stored_events SET state = x'c1' WHERE originator_version = 0")
        database.commit()
    content = contents(path.parent)
    with pytest.raises(DamagedError):
        restore_backup(path)
    assert contents(path.parent) == content


def test_a_damaged_store_is_replaced_and_kept(path: Path) -> None:
    path.write_bytes(damaged := b"SQLite format 3\0" + bytes(9000))
    _, kept = restore_backup(path)
    assert kept == path.with_name("games.db.old")
    assert kept.read_bytes() == damaged
    assert texts(path) == ["one"]


def test_the_store_keeps_its_mode_and_its_owner(path: Path) -> None:
    path.chmod(0o640)
    owner = (65534, 65534) if os.getuid() == 0 else (os.getuid(), os.getgid())
    os.chown(path, *owner)
    restore_backup(path)
    stat = path.stat()
    assert (stat.st_mode & 0o777, (stat.st_uid, stat.st_gid)) == (0o640, owner)


def test_a_backup_of_a_live_store_with_its_own_log_is_restored_whole(path: Path) -> None:
    """The copy may have been opened and played in, and be left by a killed program."""
    shutil.move(path, played := path.with_name("played.db"))
    shutil.move(f"{path}-wal", f"{played}-wal")
    with open_diary(f"sqlite:///{played}?mode=ro") as copy:
        restore(copy, path)
    assert texts(path) == ["one", "two"]


class StoppedError(BaseException):
    """The program is killed."""


def texts_unless_refused(path: Path) -> list[str] | None:
    try:
        return texts(path)
    except StoreError:
        return None


@pytest.mark.parametrize("change_count", range(5))
def test_a_restore_that_is_stopped_anywhere_loses_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, change_count: int
) -> None:
    """It is stopped before one of its changes of names: link, link, replace, unlink, unlink."""
    Path(f"{path}-shm").touch()
    changes = iter([True] * change_count)

    def stoppable(change: Callable[..., object]) -> Callable[..., None]:
        def change_or_stop(*args: Any, **kwargs: Any) -> None:
            if not next(changes, False):
                raise StoppedError
            change(*args, **kwargs)

        return change_or_stop

    with monkeypatch.context() as patch:
        for owner, name in ((os, "link"), (Path, "replace"), (Path, "unlink")):
            patch.setattr(owner, name, stoppable(getattr(owner, name)))
        with pytest.raises(StoppedError):
            restore_backup(path)

    is_new_in_place = change_count > 2
    found = [texts_unless_refused(each) for each in (path, path.with_name("games.db.old")) if each.exists()]
    assert ["one", "two"] in found, "the store that was there is whole"
    assert found[0] in (([None, ["one"]]) if is_new_in_place else [["one", "two"]])
    restore_backup(path)
    assert texts(path) == ["one"], "a second run finishes"
