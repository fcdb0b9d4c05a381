"""Writes files that a user names: never over a store, over other files only if that is meant, and never half a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias

from event_store.disk import DISK_FULL, flush, give_name
from event_store.disk import DISK_FULL_HINT as DISK_FULL_HINT  # for those who write files by this module
from event_store.disk import create_private as create_private
from event_store.disk import is_disk_full as is_disk_full
from event_store.errors import StoreError
from event_store.store_files import FILE_STARTS, OPENED_STORES, SIDE_SUFFIXES

if TYPE_CHECKING:
    from pathlib import Path

TABLE_NAME, FIRST_PAGE_SIZE = b"stored_events", 1 << 16
"""What the first page of a store says even if its header is destroyed, and the greatest size of that page."""
NEW_FOLDER_PREFIX = ".new-file-"
OWNER_MODE = 0o600
"""The mode of a file that only its owner may read."""
Access: TypeAlias = Literal[
    "public",  # it has nothing that others may not know: a new file gets the mode of new files
    "private",  # it has games or names: only its owner may read a new file
    "secret",  # only its owner may read it, even if it replaces a file that others may read
]
"""Who may read a file that is written. A replaced file keeps its mode, unless it gets secrets."""


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
    is_another_name = is_in_use(real_path) and real_path not in OPENED_STORES
    if (is_another_name if may_be_store else _is_database(real_path)) or (database and _is_database(database)):
        link_text = "" if real_path == os.path.abspath(path) else f" ({real_path})"
        raise StoreFileError(_problem_text(path), f"it is a store, or part of one{link_text}, and never overwritten")


def is_in_use(path: str) -> bool:
    """Whether a file is, or belongs to, a store that this process has open: by its name or by its identity."""
    status = _status(path)
    for store_path in [*OPENED_STORES]:  # a copy, since other threads open and close stores
        for store_file in (store_path, *(store_path + suffix for suffix in SIDE_SUFFIXES)):
            store_status = _status(store_file) if status else None
            if path == store_file or (status and store_status and os.path.samestat(status, store_status)):
                return True
    return False


def database_beside(path: str) -> str:
    """The path of the database that a file belongs to, by its name; "" for other names."""
    return next((path[: -len(suffix)] for suffix in SIDE_SUFFIXES if path.lower().endswith(suffix)), "")


def _is_database(path: str) -> bool:
    """Whether a file that no store of this process uses is a database, or belongs to one, by its first page."""
    if is_in_use(path):
        return True
    status = _status(path)
    if not status or not stat.S_ISREG(status.st_mode):
        return False
    with open(path, "rb") as file:
        first_page = file.read(FIRST_PAGE_SIZE)
    return first_page.startswith(FILE_STARTS) or (b"\0" in first_page and TABLE_NAME in first_page)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _problem_text(path: str | os.PathLike[str]) -> str:
    return f"can't write {os.path.abspath(path)}"


@contextmanager
def new_file(path: str | os.PathLike[str], *, replace: bool = False, access: Access = "private") -> Iterator[Path]:
    """Yields a temporary path. What is written there becomes the file once it is complete and on the disk.

    A link is followed. Raises as `check_output` does, before the file is written and again after that, and `OSError`
    with the path.
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
            if old_status and access != "secret":
                new_path.chmod(stat.S_IMODE(old_status.st_mode))
            elif access != "public":
                new_path.chmod(OWNER_MODE)
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
        give_name(new_path, target)
    except FileExistsError:
        raise ExistingFileError(_problem_text(target), "the file already exists") from None


@contextmanager
def open_output(
    path: str | os.PathLike[str], *, replace: bool = False, access: Access = "private"
) -> Iterator[BinaryIO]:
    """Opens a file to be written, as `new_file` does. A device or a pipe is written to directly."""
    if (status := _status(os.fspath(path))) and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        try:
            with open(path, "wb") as device:
                yield device
        except OSError as error:
            error.filename = error.filename or os.path.abspath(path)
            raise
        return
    with new_file(path, replace=replace, access=access) as new_path, new_path.open("wb") as file:
        yield file


def write_file(
    path: str | os.PathLike[str], chunks: Iterable[bytes], *, replace: bool = False, access: Access = "private"
) -> None:
    """Writes a whole file, as `open_output` does."""
    with open_output(path, replace=replace, access=access) as file:
        file.writelines(chunks)


def failure_reason(error: Exception) -> str:
    """Why reading or writing a file failed.

    >>> failure_reason(OSError(28, "No space left on device"))
    'the disk is full'
    """
    if is_disk_full(error):
        return DISK_FULL
    return getattr(error, "strerror", None) or str(error)
