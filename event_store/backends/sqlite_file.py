"""Whether the file of a SQLite store is still the one that was opened, has one name, and has a log of its own.

SQLite trusts names. It goes on writing to a file that was deleted or replaced, keeps a write-ahead log for each name of
a file, and applies the log that lies beside a file, whatever file it was written for. So each commit compares the file,
its log and the log's index with those that were opened, while it holds SQLite's write lock.

A log is tied to its file by a *mark*: 32 bits in the header of the file (SQLite's `application_id`). The first commit
after SQLite has moved anything from the log to the file makes a new mark; so each log begins with one. Its upper half
is the lower half of the mark before. A file belongs to a log that has its mark, or whose first mark follows its mark.
Every backup gets a mark of its own. (SQLite's header has no such link: the salts of a log are in the log alone.)
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from threading import Lock
from typing import NamedTuple, TypeAlias
from weakref import WeakValueDictionary

LOG_SUFFIX, INDEX_SUFFIX = "-wal", "-shm"
"""What SQLite adds to the name of a file for its write-ahead log, and for the index of that log."""
DATABASE_MAGIC = b"SQLite format 3\0"
"""How each SQLite database begins."""
MARK_PRAGMA = "PRAGMA application_id"
HALF_BITS = 16
"""Bits of the half of a mark."""
HALF_MASK = (1 << HALF_BITS) - 1
MARK_OFFSET = 68
"""Where the mark is in the first page of a file."""
LOG_HEADER, LOG_HEADER_SIZE, FRAME_HEADER_SIZE, CHECKED_SIZE = ">IIII8s8s", 32, 24, 24
"""The header of a log: magic number, version, size of a page, number of checkpoints, salt, checksum.

Each frame is a header (number of the page, size of the file, salt, checksum) and a page. Checksums run on over all
frames; that of the header covers 24 bytes of it.
"""
LITTLE_ENDIAN_MAGIC, BIG_ENDIAN_MAGIC = 0x377F0682, 0x377F0683
LOCK_BEGIN, LOCK_SIZE = 0x40000000, 512
"""The bytes of a file on which SQLite takes its locks."""
RETRIES = 10
"""How often to look again if a file changes while it is compared with its log."""

REPLACED = "the file was replaced, moved or deleted while it was open"
MANY_NAMES = "the file has several names (hard links), each with another log"
MOUNTED = "the file is mounted by itself, so its log is not beside it"
FOREIGN_LOG = "its write-ahead log belongs to another file"
LOG_ALONE = "the file is missing, but its write-ahead log is there"

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
"""What this process has open, by path: the threads of a server must not use two files of one name."""


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


def is_database(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a SQLite database. Don't ask that of one which this process has open: it drops its locks."""
    with open(path, "rb") as file:
        return file.read(len(DATABASE_MAGIC)) == DATABASE_MAGIC


def find_name_fault(path: str) -> str:
    """Why another program could open a file by another name, with another log; "" if none can."""
    if os.stat(path).st_nlink > 1:
        _remove_unfinished_names(path)
        if os.stat(path).st_nlink > 1:
            return MANY_NAMES
    return MOUNTED if is_mounted(path, mount_table()) else ""


def _remove_unfinished_names(path: str) -> None:
    """Removes the name under which a store or backup was made, if the program was stopped before it did that."""
    from glob import escape, iglob  # needed after a crash only

    folder, name = os.path.split(path)
    for other_name in iglob(f"{escape(folder)}/.new-*/{escape(name)}"):
        with suppress(OSError):
            if os.path.samefile(other_name, path):
                os.unlink(other_name)


def is_mounted(path: str, mount_table: str) -> bool:
    r"""Whether a file is a mount point, as with `docker run -v games.db:/games.db`: its log is not in that mount.

    >>> is_mounted("/my games.db", "/dev/sda1 / ext4 rw 0 0\n/dev/sda1 /my\\040games.db ext4 rw 0 0")
    True
    """
    for character in "\\ \t\n":
        path = path.replace(character, f"\\{ord(character):03o}")
    return f" {path} " in mount_table


def mount_table() -> str:
    """The mounts that this process sees, one a line; "" if the system has no such table."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:  # not Linux
        return ""


def next_mark(mark: int) -> int:
    """A new mark that follows another.

    >>> hex(next_mark(0xABCD1234))[:6]
    '0x1234'
    """
    return (mark & HALF_MASK) << HALF_BITS | random_mark() & HALF_MASK


def random_mark() -> int:
    """A mark that follows no other."""
    return int.from_bytes(os.urandom(4))


def set_mark(connection: sqlite3.Cursor | sqlite3.Connection, mark: int) -> None:
    """Writes the mark of a file, in the current transaction if there is one."""
    connection.execute(f"{MARK_PRAGMA} = {mark - (mark >> 31 << 32)}")


def read_mark(connection: sqlite3.Cursor | sqlite3.Connection) -> int:
    """The mark that a connection sees: the newest one."""
    (mark,) = connection.execute(MARK_PRAGMA).fetchone()
    return int(mark) % (1 << 32)


def has_own_log(path: str, uri: str) -> bool:
    """Whether the log beside a file is its own, or has nothing in it. `uri` must open the file without its log.

    SQLite opens it, since closing a file anywhere else would drop all locks that this process has on it.
    """
    for _ in range(RETRIES):
        try:
            mark = _mark_without_log(uri)
            if _follows(mark, marks_in_log(path + LOG_SUFFIX)):
                return True
            if _mark_without_log(uri) == mark:
                return False
        except (FileNotFoundError, sqlite3.Error):  # no log; or no database, which SQLite reports later
            return True
    return True


def _mark_without_log(uri: str) -> int:
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return read_mark(connection)


def _follows(mark: int, log_marks: Iterator[int]) -> bool:
    """Whether a log with these marks was written for a file with this one. Without marks an older Zim wrote it."""
    first_mark = next(log_marks, mark)
    return first_mark >> HALF_BITS == mark & HALF_MASK or mark in chain((first_mark,), log_marks)


def marks_in_log(log: str) -> Iterator[int]:
    """The marks that a log has, the oldest first. Those of frames that SQLite would not read are left out if they come
    first: after a power cut they were never the file's. Raises `FileNotFoundError`.
    """
    descriptor = os.open(log, os.O_RDONLY)
    try:
        header = os.pread(descriptor, LOG_HEADER_SIZE, 0)
        if len(header) < LOG_HEADER_SIZE:
            return
        magic, _, page_size, _, salt, stored_checksum = struct.unpack(LOG_HEADER, header)
        byte_order = ">" if magic == BIG_ENDIAN_MAGIC else "<"
        checksum = _checksum(byte_order, header[:CHECKED_SIZE], (0, 0))
        if magic not in (LITTLE_ENDIAN_MAGIC, BIG_ENDIAN_MAGIC) or struct.pack(">II", *checksum) != stored_checksum:
            return
        offset, is_first = LOG_HEADER_SIZE, True
        while (frame := os.pread(descriptor, FRAME_HEADER_SIZE, offset))[8:16] == salt:
            is_page_one = frame[:4] == b"\0\0\0\1"
            if is_first or is_page_one:
                page = os.pread(descriptor, page_size, offset + FRAME_HEADER_SIZE)
                if len(page) < page_size:
                    return
                if is_first:
                    checksum = _checksum(byte_order, frame[:8] + page, checksum)
                    if struct.pack(">II", *checksum) != frame[16:]:
                        return
                if is_page_one:
                    is_first = False
                    yield int.from_bytes(page[MARK_OFFSET : MARK_OFFSET + 4])
            offset += FRAME_HEADER_SIZE + page_size
    finally:
        os.close(descriptor)


def _checksum(byte_order: str, content: bytes, checksum: tuple[int, int]) -> tuple[int, int]:
    """SQLite's checksum of a log, continued over more bytes."""
    first, second = checksum
    words = struct.unpack(f"{byte_order}{len(content) // 4}I", content)
    for even_word, odd_word in zip(words[::2], words[1::2], strict=True):
        first = (first + even_word + second) & 0xFFFFFFFF
        second = (second + odd_word + first) & 0xFFFFFFFF
    return first, second


@contextmanager
def exclusive_use(path: str) -> Iterator[None]:
    """Keeps all other programs from opening a file. Raises `BlockingIOError` if one has it open.

    This process must have no connection to it: closing the file drops its locks.
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_SIZE, LOCK_BEGIN)
        yield
    finally:
        os.close(descriptor)
