"""The files of SQLite stores: what belongs to one, how such a file begins, and which ones this process has open."""

from __future__ import annotations

import os
import sys
from threading import Lock
from typing import NamedTuple, TypeAlias
from weakref import WeakValueDictionary

LOG_SUFFIX, INDEX_SUFFIX, JOURNAL_SUFFIX = SIDE_SUFFIXES = ("-wal", "-shm", "-journal")
"""What SQLite adds to the name of a file for its write-ahead log, the index of that log, and a rollback journal."""
DATABASE_MAGIC = b"SQLite format 3\0"
LITTLE_ENDIAN_MAGIC, BIG_ENDIAN_MAGIC = b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"
"""How a log begins."""
FILE_STARTS = (
    *(DATABASE_MAGIC, LITTLE_ENDIAN_MAGIC, BIG_ENDIAN_MAGIC),
    (3_007_000).to_bytes(4, sys.byteorder),  # the index of a log
    b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",  # a rollback journal
)
"""How a database of SQLite, or a file that belongs to one, begins."""

FileId: TypeAlias = tuple[int, int] | None
"""The device and inode of a file; None if there is none."""


class StoreFiles(NamedTuple):
    """The file of a store, its log, and the index of the log."""

    file: FileId
    log: FileId
    log_index: FileId


class OpenedStore:
    """What the connections of this process to one store have opened. Its `users` are the pools that have connections.

    SQLite keeps a log and its index as long as any connection is open.
    """

    def __init__(self) -> None:
        self.users = set[object]()
        self._files = StoreFiles(None, None, None)
        self._lock = Lock()

    def is_same(self, found_files: StoreFiles, user: object = None) -> bool:
        """Whether these are the files that were opened. A first or further `user` has just opened these.

        A database of another program has no log until its journal mode is changed.
        """
        if found_files == self._files and self.users and not user:
            return True
        with self._lock:
            known_files = [each for each in zip(self._files, found_files, strict=True) if each[0] and self.users]
            if any(opened != found for opened, found in known_files):
                return False
            if user:
                self.users.add(user)
            self._files = found_files
            return True


OPENED_STORES: WeakValueDictionary[str, OpenedStore] = WeakValueDictionary()
"""What this process has open, by path: the threads of a server must not use two files of one name. Such a file must not
be opened in another way: closing it would drop the locks that SQLite holds on it.
"""


def opened_store(path: str) -> OpenedStore:
    """What this process has opened at a path."""
    return OPENED_STORES.setdefault(path, OpenedStore())


def find_files(path: str) -> StoreFiles:
    """What lies at the names of a store's files now."""
    return StoreFiles(file_id(path), *find_log_files(path))


def find_log_files(path: str) -> tuple[FileId, FileId]:
    """What lies at the names of a store's log and its index now."""
    return file_id(path + LOG_SUFFIX), file_id(path + INDEX_SUFFIX)


def file_id(path: str) -> FileId:
    """The device and inode of a file; None if there is none."""
    try:
        stat = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stat.st_dev, stat.st_ino
