"""Locks on files, which end with the process that holds them: by POSIX, or by the C library of Windows."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

RETRY_SECONDS = 0.05


def lock_bytes(descriptor: int, begin: int, size: int) -> None:
    """Locks bytes of a file, opened for writing. Raises `BlockingIOError` if another process has locked them."""
    if sys.platform == "win32":
        os.lseek(descriptor, begin, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, size)
        except OSError as error:  # it has the same number for each reason
            raise BlockingIOError(*error.args) from error
    else:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, size, begin)


def wait_for_lock(descriptor: int) -> None:
    """Locks a file, opened for writing, as soon as no other process or descriptor has it locked."""
    if sys.platform == "win32":
        is_locked = False
        while not is_locked:
            with suppress(BlockingIOError):
                lock_bytes(descriptor, 0, 1)
                is_locked = True
            time.sleep(0 if is_locked else RETRY_SECONDS)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
