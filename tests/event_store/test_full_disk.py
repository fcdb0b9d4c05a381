"""A full disk is named as that, whatever the database says, and nothing that was stored is lost."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Never

import psycopg
import pytest
from eventsourcing.persistence import OperationalError

from event_store import EventStore, StoreError
from event_store.backends import connect
from event_store.backup import backup
from tests.event_store.diary import note, open_diary

Usage = namedtuple("Usage", "total used free")
HINT = "free some space, then try again: nothing was lost"


def sqlite_error(message: str, code: int) -> OperationalError:
    cause = sqlite3.OperationalError(message)
    cause.sqlite_errorcode = code
    return OperationalError(cause)


def caused(error: OperationalError, cause: Exception) -> OperationalError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "free_bytes", "is_full"),
    [
        (sqlite_error("database or disk is full", 13), 1 << 40, True),
        (sqlite_error("disk I/O error", 10), 4096, True),
        (sqlite_error("disk I/O error", 10 | 19 << 8), 0, True),
        (sqlite_error("unable to open database file", 14), 0, True),
        (sqlite_error("disk I/O error", 10), 1 << 40, False),
        (sqlite_error("database is locked", 5), 0, False),
        (OSError(errno.ENOSPC, "No space left on device"), 1 << 40, True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 1 << 40, True),
        (OSError(errno.EACCES, "Permission denied"), 0, False),
        (caused(OperationalError("could not extend file"), psycopg.errors.DiskFull()), 1 << 40, True),
    ],
)
def test_each_way_to_say_that_the_disk_is_full_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, free_bytes: int, is_full: bool
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, free_bytes))
    backend = connect(f"sqlite:///{tmp_path}/games.db")
    store_error = backend.as_store_error("write to", error)
    assert (store_error.why == "the disk is full", HINT in store_error.hints) == (is_full, is_full)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 KiB."""
    mount_command = ("mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(tmp_path))
    if not shutil.which("mount") or subprocess.run(mount_command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can't be mounted here")
    yield tmp_path
    subprocess.run(("umount", "-l", str(tmp_path)), check=True)


def fill(store: EventStore, stream: str) -> Never:
    """Appends entries until an error stops it."""
    revision = -1
    while True:
        revision = note(store, stream, revision, "x" * 3000).revision


def test_a_full_disk_stops_moves_and_loses_none(small_disk: Path) -> None:
    """At each door: append, backup, export, a new store. Once there is space, the store goes on."""
    (ballast := small_disk / "ballast").write_bytes(bytes(40_000))
    with open_diary(f"sqlite:///{small_disk}/games.db") as store:
        with pytest.raises(StoreError) as refusal:
            fill(store, "a")
        assert (refusal.value.why, refusal.value.hints) == ("the disk is full", (HINT,))
        with pytest.raises(StoreError, match="the disk is full"):
            backup(store, small_disk / "copy.db")
        new_store = open_diary(f"sqlite:///{small_disk}/deep/new.db")
        with new_store, pytest.raises(StoreError, match="the disk is full"):
            fill(new_store, "a")
        with open_diary("memory:") as other_store:
            note(other_store, "a", -1, os.urandom(200_000).hex())
            with pytest.raises(StoreError, match="the disk is full"):
                backup(other_store, small_disk / "export.jsonl")
        ballast.unlink()
        entry_count = len([*store.read("a")])
        assert entry_count > 3
        note(store, "a", 2 * entry_count - 1, "x")
    assert not (small_disk / "copy.db").exists()
    assert not (small_disk / "export.jsonl").exists()
