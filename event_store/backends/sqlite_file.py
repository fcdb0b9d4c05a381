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

import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain

from event_store.locks import lock_bytes
from event_store.store_files import (
    BIG_ENDIAN_MAGIC,
    DATABASE_MAGIC,
    INDEX_SUFFIX,
    LITTLE_ENDIAN_MAGIC,
    LOG_SUFFIX,
    file_id,
)

MARK_PRAGMA = "PRAGMA application_id"
HALF_BITS = 16
"""Bits of the half of a mark."""
HALF_MASK = (1 << HALF_BITS) - 1
MARK_OFFSET = 68
"""Where the mark is in the first page of a file."""
LOG_HEADER, LOG_HEADER_SIZE, FRAME_HEADER_SIZE, CHECKED_SIZE = ">4sIII8s8s", 32, 24, 24
"""The header of a log: magic number, version, size of a page, number of checkpoints, salt, checksum.

Each frame is a header (number of the page, size of the file, salt, checksum) and a page. Checksums run on over all
frames; that of the header covers 24 bytes of it.
"""
LOCK_BEGIN, LOCK_SIZE = 0x40000000, 512
"""The bytes of a file on which SQLite takes its locks."""
RETRIES = 10
"""How often to look again if a file changes while it is compared with its log."""

REPLACED = "the file was replaced, moved or deleted while it was open"
MANY_NAMES = "the file has several names (hard links), each with another log"
MOUNTED = "the file is mounted by itself, so its log is not beside it"
OTHER_LOG = "another program has the file open by another name, where the log with its latest moves is"
LOG_ELSEWHERE = "its latest moves are in the log of another name"
FOREIGN_LOG = "its write-ahead log belongs to another file"
LOG_ALONE = "the file is missing, but its write-ahead log is there"


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


def is_used_by_other_name(path: str) -> bool:
    """Whether another program has the file open by a name whose log is not beside this one: its latest rows are there.

    SQLite holds a lock on the file, and one on the index of the log, as long as it has the file open.
    """
    if os.stat(path).st_nlink == 1 and not is_mounted(path, mount_table()):
        return False
    lock_owners = {file: lock_owners_of(file) for file in (path, path + INDEX_SUFFIX) if os.path.exists(file)}
    return bool(lock_owners[path] - lock_owners.get(path + INDEX_SUFFIX, set()))


def log_of_other_name(path: str, uri: str) -> str:
    """The log with the latest rows of a file without one, after a crash: beside another name of the file, or where it
    was before it was moved. "" if there is none in the same folder. `uri` must open the file without its log.
    """
    folder = os.path.dirname(path)
    for name in os.listdir(folder):
        log, other_path = os.path.join(folder, name), os.path.join(folder, name.removesuffix(LOG_SUFFIX))
        with suppress(OSError, sqlite3.Error):
            if name.endswith(LOG_SUFFIX) and os.path.getsize(log) and file_id(other_path) in (None, file_id(path)):
                log_marks = [*marks_in_log(log)]
                if log_marks and _follows(_mark_without_log(uri), iter(log_marks)):
                    return log
    return ""


def lock_owners_of(path: str) -> set[str]:
    """The process ids of other programs that have locks on a file; none if the system has no such table."""
    inode, own_id = str(os.stat(path).st_ino), str(os.getpid())
    locks = (line.split() for line in system_table("/proc/locks").splitlines() if "->" not in line)  # -> waits for one
    return {lock[4] for lock in locks if lock[5].rpartition(":")[2] == inode and lock[4] != own_id}


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
    return system_table("/proc/self/mounts")


def system_table(name: str) -> str:
    """A table of the system; "" if it has none."""
    try:
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
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
    with open(log, "rb", buffering=0) as file:

        def read(size: int, offset: int) -> bytes:
            file.seek(offset)
            return file.read(size)

        header = read(LOG_HEADER_SIZE, 0)
        if len(header) < LOG_HEADER_SIZE:
            return
        magic, _, page_size, _, salt, stored_checksum = struct.unpack(LOG_HEADER, header)
        byte_order = ">" if magic == BIG_ENDIAN_MAGIC else "<"
        checksum = _checksum(byte_order, header[:CHECKED_SIZE], (0, 0))
        if (
            header[:4] not in (LITTLE_ENDIAN_MAGIC, BIG_ENDIAN_MAGIC)
            or struct.pack(">II", *checksum) != stored_checksum
        ):
            return
        offset, is_first = LOG_HEADER_SIZE, True
        while (frame := read(FRAME_HEADER_SIZE, offset))[8:16] == salt:
            is_page_one = frame[:4] == b"\0\0\0\1"
            if is_first or is_page_one:
                page = read(page_size, offset + FRAME_HEADER_SIZE)
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


def _checksum(byte_order: str, content: bytes, checksum: tuple[int, int]) -> tuple[int, int]:
    """SQLite's checksum of a log, continued over more bytes."""
    first, second = checksum
    words = struct.unpack(f"{byte_order}{len(content) // 4}I", content)
    for even_word, odd_word in zip(words[::2], words[1::2], strict=True):
        first = (first + even_word + second) & 0xFFFFFFFF
        second = (second + odd_word + first) & 0xFFFFFFFF
    return first, second


def remove_empty_log(path: str) -> None:
    """Removes the log and its index that SQLite makes for a reader and leaves behind, unless a program may use them."""
    if os.path.exists(path) and os.path.exists(path + LOG_SUFFIX):
        with suppress(OSError), exclusive_use(path):
            if not os.path.getsize(path + LOG_SUFFIX):
                os.unlink(path + LOG_SUFFIX)
                os.unlink(path + INDEX_SUFFIX)


@contextmanager
def exclusive_use(path: str) -> Iterator[None]:
    """Keeps all other programs from opening a file. Raises `BlockingIOError` if one has it open.

    This process must have no connection to it: closing the file drops its locks.
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        lock_bytes(descriptor, LOCK_BEGIN, LOCK_SIZE)
        yield
    finally:
        os.close(descriptor)
