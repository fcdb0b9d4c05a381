"""A copy of a whole store in one file, made while others write to it, and checked before it is there."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from event_store.archive import export_lines
from event_store.disk import flush
from event_store.errors import StoreError
from event_store.store import EventStore


def backup(store: EventStore, path: Path) -> int:
    """Writes the file: of a SQLite store another one, by SQLite's own backup; of any other its export.

    It is what was stored at one moment; gives how many entries that are. Until every one is checked the file has no
    name: nobody ever finds half of one. Raises `StoreError` where the file already exists, or it can't be written, and
    `DamagedError` for a store that can't be copied as it was.
    """
    try:
        if path.exists():
            raise _is_there(path)
        with TemporaryDirectory(dir=path.parent, prefix=".new-backup-") as folder:
            fresh = Path(folder, path.name)
            entries = _check_copy(store, fresh) if store.copy_to(fresh) else _write_export(store, fresh)
            flush(fresh)
            _link_into_place(fresh, path)
        flush(path.parent)
    except (OSError, ValueError) as error:  # the latter for what no file can be called
        raise StoreError(f"can't write the backup {path}", getattr(error, "strerror", None) or str(error)) from error
    return entries


def _check_copy(store: EventStore, fresh: Path) -> int:
    """Checks a database that was copied; how many entries it has."""
    with EventStore.open(f"sqlite:///{fresh}") as copy:
        copy.root = store.root
        copy.check()
        return sum(1 for _ in copy.all_entries())


def _write_export(store: EventStore, fresh: Path) -> int:
    """Writes the export, which checks each entry; how many there are."""
    with fresh.open("wb") as file:
        lines = 0
        for lines, line in enumerate(export_lines(store), 1):  # noqa: B007
            file.write(line)
    return lines - 2


def _link_into_place(fresh: Path, path: Path) -> None:
    """Gives the file its name, unless the name is taken."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise _is_there(path) from None
    except OSError:  # a disk that has no links, as many that are carried about
        fresh.rename(path)


def _is_there(path: Path) -> StoreError:
    return StoreError(f"can't write the backup {path}", "the file already exists", ("name another file",))
