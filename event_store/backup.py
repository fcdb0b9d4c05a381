"""Copies a whole store to one file, even while others write to it; the file gets its name after it was checked."""

from __future__ import annotations

from pathlib import Path

from event_store.disk import DISK_FULL, DISK_FULL_HINT, is_disk_full
from event_store.errors import DiskFullError, StoreError
from event_store.export import export_lines
from event_store.outputs import failure_reason, new_file
from event_store.store import EventStore


def backup(store: EventStore, path: Path, *, replace: bool = False) -> int:
    """Writes a backup as of one moment and returns the number of its entries.

    A SQLite store is copied by SQLite's own backup; of any other store the export is written. The file gets its name
    only when every entry has been checked, so you never find half a backup; only its owner may read it, as it has all
    hidden cards. Raises `OutputError` if the file exists, unless it may be replaced (a store never is), `StoreError`
    if it can't be written, and `DamagedError` for a damaged store.
    """
    try:
        with new_file(path, replace=replace, access="secret") as new_copy:
            return check_copy(store, new_copy) if store.copy_to(new_copy) else _write_export(store, new_copy)
    except DiskFullError as error:  # the error is about a temporary file, or about the store
        raise DiskFullError(f"can't write the backup {path}", DISK_FULL, error.hints) from error
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        problem_text = f"can't write the backup {path}"
        if is_disk_full(error):
            raise DiskFullError(problem_text, DISK_FULL, (DISK_FULL_HINT,)) from error
        raise StoreError(problem_text, failure_reason(error)) from error


def check_copy(store: EventStore, new_copy: Path) -> int:
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
