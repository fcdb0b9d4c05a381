"""Puts a checked copy of a store in the place of a file, which is kept beside it under another name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from event_store.backends.sqlite import make_folder
from event_store.backends.sqlite_file import exclusive_use
from event_store.backup import check_copy
from event_store.disk import flush, give_name
from event_store.errors import StoreError
from event_store.outputs import failure_reason
from event_store.store import EventStore
from event_store.store_files import INDEX_SUFFIX, LOG_SUFFIX

SUFFIXES = ("", LOG_SUFFIX)
"""What the names of a store's two files end with: without its log a file can lack the latest entries."""


def restore(copy: EventStore, path: Path) -> tuple[int, Path | None]:
    """Puts a copy in the place of a store's file, and returns the number of its entries and where the old file is now.

    The copy is checked before anything is moved. The old file keeps its log, so that it is a whole store too. If this
    is interrupted, the old file is at its place, perhaps with a second name, or the new one is. `path` may be missing;
    this process must have no connection to it. Raises `StoreError` if a program has the file open, or if it can't be
    written, and `DamagedError` for a damaged copy.
    """
    try:
        make_folder(str(path.parent))
        with _without_users(path), TemporaryDirectory(dir=path.parent, prefix=".new-store-") as folder:
            new_file = Path(folder, path.name)
            copy.copy_to(new_file)
            entry_count = check_copy(copy, new_file)
            _copy_rights(path, new_file)
            flush(new_file)
            kept = _keep_beside(path)
            new_file.replace(path)
            for suffix in (LOG_SUFFIX, INDEX_SUFFIX):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            flush(path.parent)
    except OSError as error:
        raise StoreError(f"can't restore {path}", failure_reason(error)) from error
    return entry_count, kept


@contextmanager
def _without_users(path: Path) -> Iterator[None]:
    """Keeps other programs from opening a file. Raises `StoreError` if one has it open."""
    try:
        with exclusive_use(str(path)):
            yield
    except FileNotFoundError:
        if path.exists():
            raise
        yield
    except BlockingIOError:
        why = "a program has the store open: a server, a table, another zim"
        raise StoreError(f"can't restore {path}", why, ("stop it, then try again", f"fuser -v {path}")) from None


def _copy_rights(path: Path, new_file: Path) -> None:
    """Gives the new file the mode of the old one, and its owner: root may restore the store of a server."""
    if path.exists():
        stat = path.stat()
        new_file.chmod(stat.st_mode & 0o7777)
        if sys.platform == "win32":
            return
        with suppress(PermissionError):
            os.chown(new_file, stat.st_uid, stat.st_gid)


def _keep_beside(path: Path) -> Path | None:
    """Gives what lies at a store's names other names too, and returns that of the file. None if nothing is there."""
    present_suffixes = [suffix for suffix in SUFFIXES if os.path.lexists(f"{path}{suffix}")]
    if not present_suffixes:
        return None
    kept = next(
        kept
        for number in count(1)
        for kept in [f"{path}.old" + f"-{number}" * (number > 1)]
        if not any(os.path.lexists(f"{kept}{suffix}") for suffix in SUFFIXES)
    )
    for suffix in present_suffixes:
        give_name(f"{path}{suffix}", f"{kept}{suffix}")
    flush(path.parent)
    return Path(kept)
