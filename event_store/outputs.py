"""Writes files that a user names: never over a store, over other files only if that is meant, and never half a file."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, Protocol
from weakref import WeakSet

from event_store.disk import DISK_FULL, flush
from event_store.disk import DISK_FULL_HINT as DISK_FULL_HINT  # for those who write files by this module
from event_store.disk import is_disk_full as is_disk_full
from event_store.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

SIDE_SUFFIXES = ("-wal", "-shm", "-journal")
"""What SQLite adds to the name of a database for the files that belong to it."""
DATABASE_STARTS = (
    b"SQLite format 3\0",
    *(b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"),  # a write-ahead log
    (3_007_000).to_bytes(4, sys.byteorder),  # its shared memory
    b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",  # a rollback journal
)
"""How a database of SQLite, or a file that belongs to one, begins."""
NEW_FOLDER_PREFIX = ".new-file-"
SECRET_MODE = 0o600
"""The mode of a file that only its owner may read."""


class HasPath(Protocol):
    """An open store in a file."""

    path: str


OPEN_STORES: WeakSet[HasPath] = WeakSet()
"""The stores that this process has opened. Their files are known without reading them: closing a file would drop the
locks that SQLite holds on it.
"""


class OutputError(StoreError):
    """A file must not be written."""


class StoreFileError(OutputError):
    """A file is a store, or belongs to one."""


class ExistingFileError(OutputError):
    """A file exists already, and may not be replaced."""


def check_output(path: str | os.PathLike[str], *, replace: bool = False) -> None:
    """Checks that a file may be written. A link is followed.

    Raises `OutputError` for a store or a file that belongs to one, by whatever name, and for a folder; and
    `ExistingFileError` for a file that exists, unless it may be replaced. Devices and pipes may be written.
    """
    check_is_no_store(path)
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise OutputError(_problem_text(path), "it is a folder")
        if stat.S_ISREG(mode) and not replace:
            raise ExistingFileError(_problem_text(path), "the file already exists")


def check_is_no_store(path: str | os.PathLike[str], *, may_be_store: bool = False) -> None:
    """Raises `OutputError` for a store or a part of one. A path that `may_be_store` is refused only if it
    is part of one, or another name of an open one.
    """
    real_path = os.path.realpath(path)
    database = database_beside(real_path)
    if may_be_store:
        is_refused = is_in_use(real_path) and real_path not in [store.path for store in OPEN_STORES]
    else:
        is_refused = _is_database(real_path)
    if is_refused or (database and _is_database(database)):
        link_text = "" if real_path == os.path.abspath(path) else f" ({real_path})"
        raise StoreFileError(_problem_text(path), f"it is a store, or part of one{link_text}, and never overwritten")


def is_in_use(path: str) -> bool:
    """Whether a file is, or belongs to, a store that this process has open: by its name or by its identity."""
    status = _status(path)
    for store in OPEN_STORES:
        for store_file in (store.path, *(store.path + suffix for suffix in SIDE_SUFFIXES)):
            store_status = _status(store_file) if status else None
            if path == store_file or (status and store_status and os.path.samestat(status, store_status)):
                return True
    return False


def database_beside(path: str) -> str:
    """The path of the database that a file belongs to, by its name; "" for other names."""
    return next((path[: -len(suffix)] for suffix in SIDE_SUFFIXES if path.lower().endswith(suffix)), "")


def _is_database(path: str) -> bool:
    """Whether a file that no store of this process uses is a database, or belongs to one, by how it begins."""
    if is_in_use(path):
        return True
    status = _status(path)
    if not status or not stat.S_ISREG(status.st_mode):
        return False
    with open(path, "rb") as file:
        return file.read(16).startswith(DATABASE_STARTS)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _problem_text(path: str | os.PathLike[str]) -> str:
    return f"can't write {os.path.abspath(path)}"


@contextmanager
def new_file(path: str | os.PathLike[str], *, replace: bool = False, mode: int | None = None) -> Iterator[Path]:
    """Yields a temporary path. What is written there becomes the file once it is complete and on the disk.

    A link is followed. A replaced file keeps its mode, unless `mode` is given.
    Raises as `check_output` does, before the file is written and again after that, and `OSError` with the path.
    """
    import tempfile  # imports the archive modules, too slow for every start
    from pathlib import Path

    check_output(path, replace=replace)
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    # In the same folder, since a rename is atomic only within one file system. No other user can reach what is in it.
    temporary_prefix = os.path.join(folder, NEW_FOLDER_PREFIX)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=NEW_FOLDER_PREFIX) as new_folder:
            new_path = Path(new_folder, name)
            yield new_path
            # Sync the contents before the rename: a crash must not leave an empty file with this name.
            flush(new_path)
            old_status = _status(target)
            if new_mode := mode or (stat.S_IMODE(old_status.st_mode) if old_status else None):
                new_path.chmod(new_mode)
            check_output(target, replace=replace)
            (os.replace if replace else _link)(new_path, target)
        flush(folder)
    except OSError as error:  # the error of a full disk names no file, other errors name the temporary one
        if error.filename is None or os.fsdecode(error.filename).startswith(temporary_prefix):
            error.filename, error.filename2 = os.path.abspath(path), None
        raise


def _link(new_path: Path, target: str) -> None:
    """Gives a finished file its name. Raises `ExistingFileError` if another program was faster."""
    try:
        os.link(new_path, target)
    except FileExistsError:
        raise ExistingFileError(_problem_text(target), "the file already exists") from None
    except OSError:  # a file system without hard links, such as FAT on a USB stick
        os.rename(new_path, target)


@contextmanager
def open_output(path: str | os.PathLike[str], *, replace: bool = False, mode: int | None = None) -> Iterator[BinaryIO]:
    """Opens a file to be written, as `new_file` does. A device or a pipe is written to directly."""
    if (status := _status(os.fspath(path))) and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        try:
            with open(path, "wb") as device:
                yield device
        except OSError as error:
            error.filename = error.filename or os.path.abspath(path)
            raise
        return
    with new_file(path, replace=replace, mode=mode) as new_path, new_path.open("wb") as file:
        yield file


def write_file(
    path: str | os.PathLike[str], chunks: Iterable[bytes], *, replace: bool = False, mode: int | None = None
) -> None:
    """Writes a whole file, as `open_output` does."""
    with open_output(path, replace=replace, mode=mode) as file:
        file.writelines(chunks)


def failure_reason(error: Exception) -> str:
    """Why reading or writing a file failed.

    >>> failure_reason(OSError(28, "No space left on device"))
    'the disk is full'
    """
    if is_disk_full(error):
        return DISK_FULL
    return getattr(error, "strerror", None) or str(error)
