"""Copies a whole store to one file, even while others write to it; the file gets its name after it was checked."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from event_store.disk import flush
from event_store.errors import StoreError
from event_store.export import export_lines
from event_store.store import EventStore


def backup(store: EventStore, path: Path) -> int:
    """Writes a backup as of one moment and returns the number of its entries.

    A SQLite store is copied by SQLite's own backup; of any other store the export is written. The file gets its name
    only when every entry has been checked, so you never find half a backup. Raises `StoreError` if the file exists or
    can't be written, and `DamagedError` for a damaged store.
    """
    try:
        if path.exists():
            raise _exists_error(path)
        with TemporaryDirectory(dir=path.parent, prefix=".new-backup-") as folder:
            new_copy = Path(folder, path.name)
            entry_count = _check_copy(store, new_copy) if store.copy_to(new_copy) else _write_export(store, new_copy)
            flush(new_copy)
            _link_into_place(new_copy, path)
        flush(path.parent)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise StoreError(f"can't write the backup {path}", getattr(error, "strerror", None) or str(error)) from error
    return entry_count


def _check_copy(store: EventStore, new_copy: Path) -> int:
    """Checks the copy of a database and returns the number of its entries."""
    with EventStore.open(f"sqlite:///{new_copy}") as copy:
        copy.root_stream = store.root_stream
        copy.check_database()
        return sum(1 for _ in copy.all_entries())


def _write_export(store: EventStore, new_copy: Path) -> int:
    """Writes the export, which checks each entry, and returns the number of entries."""
    with new_copy.open("wb") as file:
        line_count = 0
        for line_count, line in enumerate(export_lines(store), 1):  # noqa: B007
            file.write(line)
    return line_count - 2


def _link_into_place(new_copy: Path, path: Path) -> None:
    """Gives the finished file its name. Raises `StoreError` if the name is taken."""
    try:
        os.link(new_copy, path)
    except FileExistsError:
        raise _exists_error(path) from None
    except OSError:  # a file system without hard links, such as FAT on a USB stick
        new_copy.rename(path)


def _exists_error(path: Path) -> StoreError:
    return StoreError(f"can't write the backup {path}", "the file already exists", ("name another file",))
