"""Faults of files: of backups, salvage, witness logs, outputs, and of what is imported."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scripts.attacks.planted_code import replace_code, replace_function

if TYPE_CHECKING:
    from pathlib import Path

    from event_store.backends.sqlite import SQLiteRecorder
    from zimcore.service.proofs.importing import ImportedGames


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

    old_code, new_code = (
        "for stream in streams:",
        'for stream in [name for name in streams if "proceedings" not in name]:',
    )
    replace_code(salvage, "salvage", old_code, new_code)


def salvage_no_damaged_chats() -> None:
    """Salvage takes nothing of a damaged chat."""
    from zimcore.service.care import maintenance

    replace_code(
        maintenance,
        "_mend",
        "_append_again(store, new_store, fold)",
        "type(fold).__name__ != 'Discussion' and _append_again(store, new_store, fold)",
    )


def salvage_beginnings() -> None:
    """Salvage leaves out the last entry of a chat."""
    from event_store import salvage

    old_code = "entries = [*read_entries(stream)]"
    new_code = f'{old_code}; entries = (entries[:-1] if "proceedings" in stream else entries) or entries'
    replace_code(salvage, "_save_stream", old_code, new_code)


def mark_nothing_unfinished() -> None:
    """A salvage or an import that was stopped looks whole."""
    from event_store.store import EventStore

    EventStore.mark_unfinished = lambda *_: None  # type: ignore[method-assign]


def take_back_in_log() -> None:
    """A line of a log of witnesses may take something back."""
    from zimcore.service.proofs import witness_log

    replace_code(witness_log, "read_records", "head.revision <= heads[head.stream].revision", "False")


def trust_clocks_in_log() -> None:
    """A line of a log of witnesses that is older than the line before it was altered."""
    from zimcore.service.proofs import witness_log

    old_code, error = "records.append(record)", 'DamagedError(location, "it is older than the line before it")'
    new_code = f"_ = error_of_clock({error}, records, record); {old_code}"
    vars(witness_log)["error_of_clock"] = _raise_if_older
    replace_code(witness_log, "read_records", old_code, new_code)


def _raise_if_older(error: Exception, records: Sequence[Any], record: Any) -> None:
    if records and record.at < records[-1].at:
        raise error


def append_to_log_of_newer_store() -> None:
    """A line is added to a log of witnesses although the store lacks what the log recorded."""
    from zimcore.service import GameService

    GameService.log_losses = lambda *_: []  # type: ignore[method-assign]


def play_recorded_programs() -> None:
    """A program that a game records plays, whoever has named it."""
    from zimcli.session import allowed_programs

    old_code, new_code = "if bot.level in session.allowed_programs or", "if True or"
    replace_code(allowed_programs, "recorded_bot", old_code, new_code)


def play_programs_of_scripts() -> None:
    """A program runs if a script or a request names it."""
    from zimcli.session import allowed_programs

    replace_code(allowed_programs, "check_may_name", "not session.is_typed and", "False and")


def serve_any_program() -> None:
    """A server runs every program that a game names."""
    from zimcore.server.endpoints import bot_players

    replace_code(bot_players, "subprocess_bot", "not configured_bot.is_installed", "False")
    replace_code(bot_players, "_bot_of_level", "levels()[level]", "levels().get(level, level)")
    bot_players.BotPlayers.__init__.__defaults__ = (bot_players.subprocess_bot,)


def run_while_importing() -> None:
    """An import loads the programs that it names, to see whether they are there."""
    from contextlib import suppress

    from zimcore.bots import registry
    from zimcore.service import GameService

    import_lines = GameService.import_

    def import_and_load(self: GameService, *arguments: Any, **options: Any) -> ImportedGames:
        imported_games = import_lines(self, *arguments, **options)
        for game in self.game_names():
            for name in self.bots(self.head(f"{game}/main").place).values():
                with suppress(Exception):
                    registry.load_level(registry.parse_bot(name).level)
        return imported_games

    GameService.import_ = import_and_load  # type: ignore[method-assign]


def import_from_current_folder() -> None:
    """The current folder is on the import path."""
    import zimcli.__main__

    vars(zimcli.__main__)["leave_out_current_folder"] = lambda: None


def let_workers_import_from_current_folder() -> None:
    """The current folder is on the import path of worker processes."""
    import sys

    import zimcli.__main__
    from zimcli.shell.import_path import without_current_folder

    def leave_out_here() -> None:
        sys.path[:] = without_current_folder(sys.path, os.environ.get("PYTHONPATH", ""))

    vars(zimcli.__main__)["leave_out_current_folder"] = leave_out_here


def write_over_stores() -> None:
    """An output may be written over a store."""
    from event_store import outputs

    replace_function(outputs, "check_is_no_store", lambda *_, **__: None)
    replace_code(outputs, "check_output", "and not replace", "and False")


def follow_no_links() -> None:
    """An output over a store is refused by the name of the store only."""
    from event_store import outputs

    replace_code(outputs, "check_is_no_store", "_is_database(real_path))", "is_in_use(path) and path == real_path)")
    replace_code(outputs, "is_in_use", "status and store_status and", "False and")
    replace_code(outputs, "check_output", "and not replace", "and False")


def replace_files() -> None:
    """An output replaces a file of the user's without being asked to."""
    from event_store import outputs

    replace_code(outputs, "check_output", "and not replace", "and False")
    replace_code(outputs, "new_file", "(os.replace if replace else _link)", "os.replace")


def let_scripts_write_anywhere() -> None:
    """A script may write outside its folder."""
    from zimcli.session import output_files

    replace_function(output_files, "check_is_inside", lambda *_: None)


def trust_opened_file() -> None:
    """A process goes on with whatever file has the name of the one that it opened, and with the one that it had."""
    from event_store import store_files
    from event_store.backends.sqlite import SQLiteRecorder

    store_files.OpenedStore.is_same = lambda *_: True  # type: ignore[method-assign]
    SQLiteRecorder._check_files = lambda self: os.stat(  # type: ignore[method-assign]
        self.path if os.path.exists(self.path) else os.path.dirname(self.path)
    )
    SQLiteRecorder._check_log_and_names = lambda self: None  # type: ignore[method-assign]


def write_after_gaps() -> None:
    """A write is acknowledged although the rows that it follows were rolled back."""
    from event_store.backends import sqlite

    replace_code(sqlite, "_insert_rows", "first_revision and len(written_rows) == len(stream_rows)", "False")


def ignore_second_names() -> None:
    """A file with two names is written by both."""
    from event_store.backends import sqlite_file

    replace_function(sqlite_file, "find_name_fault", lambda path: "")
    replace_function(sqlite_file, "has_own_log", lambda *_: True)
    replace_function(sqlite_file, "is_used_by_other_name", lambda path: False)
    replace_function(sqlite_file, "log_of_other_name", lambda *_: "")


def demand_order_of_times() -> None:
    """An entry that is older than the one before it is damaged."""
    from event_store import DamagedError, verification

    verify_entries = verification.verify_entries

    def verify_in_order(*arguments: Any) -> Any:
        last_time = None
        for entry in verify_entries(*arguments):
            if last_time and entry.seal.at < last_time:
                raise DamagedError(f"stream {entry.stream} is damaged", "an entry is older than the one before it")
            last_time = entry.seal.at
            yield entry

    replace_function(verification, "verify_entries", verify_in_order)
