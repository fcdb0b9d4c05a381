"""Flushes files and folders to the disk, so that a power cut can't undo what was done, and tells if it is full."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

DISK_FULL = "the disk is full"
DISK_FULL_HINT = "free some space, then try again: nothing was lost"
LEAST_FREE_BYTES = 128 << 10
"""SQLite needs so much to make its log, and the index of it."""
FULL_ERRNOS, FULL_SQL_STATE = (errno.ENOSPC, errno.EDQUOT), "53100"
SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN = 10, 13, 14
SQLITE_FULL_TEXT = "database or disk is full"
"""What SQLite says, if the library has left out its code."""


def is_disk_full(error: BaseException, folder: str = "/") -> bool:
    """Whether an error means that the disk is full, or the disk space of the user is used up.

    If SQLite can't make room for the index of its log, it reports an I/O error; then the disk of `folder` is asked.
    """
    for cause in (error, error.__cause__, *error.args):  # the library wraps SQLite's errors in either way
        sqlite_code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if getattr(cause, "errno", None) in FULL_ERRNOS or getattr(cause, "sqlstate", None) == FULL_SQL_STATE:
            return True
        if sqlite_code == SQLITE_FULL or SQLITE_FULL_TEXT in str(cause):
            return True
        if sqlite_code in (SQLITE_IOERR, SQLITE_CANTOPEN):
            import shutil  # takes 2 ms

            with suppress(OSError):
                return shutil.disk_usage(folder).free < LEAST_FREE_BYTES
    return False


def flush(path: str | os.PathLike[str]) -> None:
    """Waits until a file, or the list of names in a folder, is on the disk."""
    with suppress(PermissionError, IsADirectoryError):  # Windows can't open folders, nor sync what is opened to be read
        descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def create_private(path: str | os.PathLike[str]) -> None:
    """Creates an empty file that only its owner may read. Raises `FileExistsError`."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def give_name(new_path: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Gives a finished file a name in its file system. Raises `FileExistsError` if another file has it."""
    try:
        os.link(new_path, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links, such as FAT on a USB stick
        os.rename(new_path, path)
