"""Flushes files and folders to the disk, so that a power cut can't undo what Zim has reported as done."""

from __future__ import annotations

import os
from contextlib import suppress


def flush(path: str | os.PathLike[str]) -> None:
    """Waits until a file, or the list of names in a folder, is on the disk."""
    with suppress(PermissionError):  # some systems can't open folders
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
