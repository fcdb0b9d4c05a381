"""What has to be on the disk before it is said to be there."""

from __future__ import annotations

import os
from contextlib import suppress


def flush(path: str | os.PathLike[str]) -> None:
    """Waits until a file, or the names in a folder, are on the disk."""
    with suppress(PermissionError):  # a folder can't be opened on every system
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
