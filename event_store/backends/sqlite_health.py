"""Facts about a store in a file, to tell whether it is safe: permissions, disk, journal. Nothing is judged here."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from glob import iglob
from pathlib import Path

import msgspec

from event_store.backends import sqlite_file
from event_store.backends.sqlite import has_own_log, open_recorder, sqlite_uri
from event_store.store_files import LOG_SUFFIX

LOCK_TIMEOUT = 2.0
"""Seconds to wait for another writer."""
ABANDONED_AFTER_SECONDS = 3600
"""Seconds after which an unfinished store or backup belongs to no running program."""
OTHERS_MAY_ENTER_BIT, GROUP_MAY_ENTER_BITS = 0o001, 0o011


class FileFacts(msgspec.Struct, frozen=True):
    """What the file system knows of a store: permission bits, the number of names (`link_count`), sizes in bytes.

    `is_reachable` is whether other users may enter all folders on the way, `is_group_reachable` whether a group may.
    `is_mounted` is whether the file is mounted by itself, `has_own_log` whether the log beside it is its own. The
    `users_of_old_file` are processes that have an older file of this name open, where the system shows them.
    `log_size` is that of the write-ahead log, `left_over_folders` are those of stores and backups never finished.
    """

    file: str
    folder: str
    mode: int
    folder_mode: int
    is_reachable: bool
    is_group_reachable: bool
    link_count: int
    is_mounted: bool
    has_own_log: bool
    users_of_old_file: tuple[int, ...]
    size: int
    log_size: int
    free_size: int
    disk_size: int
    file_system: str
    left_over_folders: tuple[str, ...]


class JournalFacts(msgspec.Struct, frozen=True):
    """The journal mode of a file, why it can't be written ("" if it can), and the size of its log after closing."""

    mode: str
    refusal: str
    log_size: int


def path_and_mode(url: str) -> tuple[str, bool]:
    """The file of a store, with links resolved, and whether its URL forbids writing. Raises `StoreError`."""
    recorder = open_recorder(url.removeprefix("sqlite:///"))
    recorder.close()
    return recorder.path, recorder.mode == "ro"


def read_file_facts(path: str) -> FileFacts:
    """The facts of the file system. Opens nothing. Raises `OSError`."""
    absolute_path = Path(path).absolute()
    stat, disk = absolute_path.stat(), shutil.disk_usage(absolute_path.parent)
    mounts = sqlite_file.mount_table()
    temporary_folders = (
        folder for folder in absolute_path.parent.iterdir() if folder.name.startswith((".new-store-", ".new-backup-"))
    )
    left_over_folders = sorted(
        str(folder) for folder in temporary_folders if folder.stat().st_mtime < time.time() - ABANDONED_AFTER_SECONDS
    )
    return FileFacts(
        file=str(absolute_path),
        folder=str(absolute_path.parent),
        mode=stat.st_mode & 0o7777,
        folder_mode=absolute_path.parent.stat().st_mode & 0o7777,
        is_reachable=all(folder.stat().st_mode & OTHERS_MAY_ENTER_BIT for folder in absolute_path.parents),
        is_group_reachable=all(folder.stat().st_mode & GROUP_MAY_ENTER_BITS for folder in absolute_path.parents),
        link_count=stat.st_nlink,
        is_mounted=sqlite_file.is_mounted(str(absolute_path), mounts),
        has_own_log=has_own_log(path),
        users_of_old_file=users_of_deleted_file(str(absolute_path)),
        size=stat.st_size,
        log_size=log_size(path),
        free_size=disk.free,
        disk_size=disk.total,
        file_system=file_system_of(str(absolute_path), mounts),
        left_over_folders=tuple(left_over_folders),
    )


def log_size(path: str) -> int:
    """The size of the write-ahead log of a file in bytes; 0 if there is none."""
    try:
        return os.stat(path + LOG_SUFFIX).st_size
    except FileNotFoundError:
        return 0


def file_system_of(path: str, mount_table: str) -> str:
    r"""The kind of file system that a path is on, by the table of mounts; "" if unknown.

    >>> mount_table = "/dev/sda1 / ext4 rw 0 0\nserver:/games /srv nfs4 rw 0 0"
    >>> file_system_of("/srv/zim/games.db", mount_table), file_system_of("/srvs/games.db", mount_table)
    ('nfs4', 'ext4')
    """
    rows = (line.split() for line in mount_table.splitlines())
    mounts = [(row[1].rstrip("/"), row[2]) for row in rows if len(row) > 2]
    mounts_above = [(mount_point, kind) for mount_point, kind in mounts if path.startswith(f"{mount_point}/")]
    return max(mounts_above, key=lambda mount: len(mount[0]), default=("", ""))[1]


def users_of_deleted_file(path: str) -> tuple[int, ...]:
    """The processes that have a deleted or replaced file of this name open. Linux shows you your own processes."""
    processes = set[int]()
    for descriptor in iglob("/proc/[0-9]*/fd/*"):
        with suppress(OSError):
            if os.readlink(descriptor) == f"{path} (deleted)":
                processes.add(int(descriptor.split("/")[2]))
    return tuple(sorted(processes))


def read_journal_facts(path: str) -> JournalFacts:
    """Opens a file, takes its write lock for a moment, and closes it. A file that is not SQLite's has a `refusal`."""
    mode = refusal = ""
    try:
        uri = sqlite_uri(path, "mode=rw")
        with closing(sqlite3.connect(uri, timeout=LOCK_TIMEOUT, isolation_level=None, uri=True)) as connection:
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        refusal = str(error)
    return JournalFacts(mode, refusal, log_size(path))


def read_foreign_objects(url: str) -> Sequence[tuple[str, str]]:
    """The kind and name of what the database has besides a store's tables. Raises `OperationalError`."""
    with closing(open_recorder(url.removeprefix("sqlite:///"))) as recorder:
        return recorder.foreign_objects()


def read_topics(path: str) -> list[str]:
    """The topics of all rows. Raises `sqlite3.Error`."""
    with closing(sqlite3.connect(sqlite_uri(path, "mode=ro"), timeout=LOCK_TIMEOUT, uri=True)) as connection:
        return [topic for (topic,) in connection.execute("SELECT DISTINCT topic FROM stored_events")]
