"""Faults of files: of backups, salvage, witness logs, outputs, and of what is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planted_code import replace_code

if TYPE_CHECKING:
    from pathlib import Path

    from event_store.backends.sqlite import SQLiteRecorder


def back_up_without_log() -> None:
    """A backup is a copy of the file, without its write-ahead log."""
    import shutil

    from event_store.backends.sqlite import SQLiteRecorder

    def copy_to(self: SQLiteRecorder, path: Path) -> bool:
        shutil.copyfile(self.path, path)
        return True

    SQLiteRecorder.copy_to = copy_to  # type: ignore[method-assign]


def back_up_without_chats() -> None:
    """An export, and so a backup of any store, leaves out chats."""
    from event_store.store import EventStore

    all_entries = EventStore.all_entries
    EventStore.all_entries = lambda self: (  # type: ignore[method-assign]
        entry for entry in all_entries(self) if not entry.stream.endswith(".proceedings")
    )


def salvage_without_chats() -> None:
    """Salvage leaves out chats."""
    from event_store import salvage

    old_code, new_code = "in store.streams():", 'in [name for name in store.streams() if "proceedings" not in name]:'
    replace_code(salvage, "salvage", old_code, new_code)


def salvage_no_damaged_chats() -> None:
    """Salvage takes nothing of a damaged chat."""
    from zimcore.service import maintenance

    replace_code(maintenance, "save_intact_streams", "_has_kind(store, stream, DISCUSSION_KIND)", "False")


def salvage_beginnings() -> None:
    """Salvage leaves out the last entry of a chat."""
    from event_store import salvage

    old_code = "entries = [*read_entries(stream)]"
    new_code = f'{old_code}; entries = (entries[:-1] if "proceedings" in stream else entries) or entries'
    replace_code(salvage, "salvage", old_code, new_code)
