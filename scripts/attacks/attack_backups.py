"""Attacks backups: others write meanwhile, and what was written last is still in the write-ahead log alone.

A backup is opened in another folder, without the files that lay beside it. There it must verify; each of its streams
must be a beginning of the stream in the store, with all that was acknowledged before the backup began.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from event_store import EventStore
from event_store.backup import backup
from scripts.attacks.attack_target import Breach, ReportOutcome, Target, check_store
from tests.service.nim_service import NIM_ONLY
from zimcore.game import Refused
from zimcore.service import GameService

WRITERS = 2
Rows = dict[str, list[tuple[int, str, bytes]]]
"""The rows of each stream."""


def back_up_while_writing(target: Target, tries: int, report: ReportOutcome) -> None:
    """Backs up a store while others write: as a file, or as an export."""
    for number in range(tries):
        folder = target.new_folder("backups")
        url, name = (f"sqlite:///{folder}/games.db", "copy.db") if number % 2 == 0 else ("memory:", "copy.jsonl")
        with open_game(url) as service, writing(service, url) as written_moves:
            rows_before = rows_by_stream(service.store)
            if number % 2 == 0 and not (folder / "games.db-wal").stat().st_size:
                raise Breach("nothing is in the write-ahead log: this attack shows nothing")
            entry_count = backup(service.store, folder / name)
            elsewhere = target.new_folder("elsewhere")
            (folder / name).rename(elsewhere / name)
            rows_in_backup = read_backup(elsewhere / name)
            written_moves.set()
            rows_after = rows_by_stream(service.store)
        compare_streams(rows_before, rows_in_backup, rows_after)
        report("an export: whole" if name == "copy.jsonl" else "a file: whole")
        if not entry_count:
            raise Breach("the backup says that it has no entries")


@contextmanager
def open_game(url: str) -> Iterator[GameService]:
    """A store with a game and a remark."""
    with (service := GameService(EventStore.open(url), games=NIM_ONLY)).store:
        service.new("nim", {"stones": "90", "seed": "7"}, name="g", by="ann")
        service.say("g", "good luck", by="ben")
        yield service


@contextmanager
def writing(service: GameService, url: str) -> Iterator[threading.Event]:
    """Lets writers play and talk on the store until the event is set; a store in memory has only this one service."""
    stop, errors, first_writes = threading.Event(), list[Exception](), threading.Barrier(WRITERS + 1)

    def write(number: int) -> None:
        try:
            own_service = service if url == "memory:" else GameService(EventStore.open(url), games=NIM_ONLY)
            for move in range(400):
                play_or_talk(own_service, number, move)
                if move == 0:
                    first_writes.wait()
                if stop.is_set():
                    break
            if own_service is not service:
                own_service.store.close()
        except Exception as error:
            errors.append(error)
            first_writes.abort()

    # In memory one thread does both, as the store is not shared.
    writers = [threading.Thread(target=write, args=(number,)) for number in range(0 if url == "memory:" else WRITERS)]
    for writer in writers:
        writer.start()
    if writers:
        first_writes.wait()
    else:
        play_or_talk(service, 0, 0)
        play_or_talk(service, 1, 0)
    try:
        yield stop
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    if errors:
        raise Breach(f"a writer fails while a backup is made: {errors[0]!r}")


def play_or_talk(service: GameService, number: int, move: int) -> None:
    """Begins a game, plays a move in it, or talks."""
    game = f"w{number}-{move // 20}"
    if move % 20 == 0:
        service.new("nim", {"stones": "90"}, name=game, by="ann")
    elif move % 3:
        if isinstance(answer := service.play(f"{game}/main", "take 1", by="ann"), Refused):
            raise Breach(f"a move is refused: {answer}")
    else:
        service.say("g", f"move {move} of {game}", by="ann")


def rows_by_stream(store: EventStore) -> Rows:
    """All rows of a store."""
    rows: Rows = {}
    for stream, row in store.rows():
        rows.setdefault(stream, []).append(row)
    return rows


def read_backup(file: Path) -> Rows:
    """The rows of a backup, after it was opened, checked and verified where it lies now."""
    is_export = file.suffix == ".jsonl"
    with EventStore.open("memory:" if is_export else f"sqlite:///{file}?mode=ro") as store:
        service = GameService(store, games=NIM_ONLY)
        if is_export:
            service.import_(file.read_bytes().splitlines(keepends=True), by="ann")
        check_store(service)
        if faults := [audit.fault for audit in service.verify_all() if audit.fault]:
            raise Breach(f"the backup does not verify: {faults}")
        return rows_by_stream(store)


def compare_streams(rows_before: Rows, rows_in_backup: Rows, rows_after: Rows) -> None:
    """Raises `Breach` unless each stream of a backup is a beginning of the stored one, and none misses a row."""
    for stream, rows in rows_before.items():
        if not is_beginning(rows, rows_in_backup.get(stream, [])):
            count, full_count = len(rows_in_backup.get(stream, [])), len(rows)
            raise Breach(f"of {full_count} rows of {rows[0][1]} that were acknowledged, the backup has {count}")
    for stream, rows in rows_in_backup.items():
        if not is_beginning(rows, rows_after.get(stream, [])):
            raise Breach(f"the backup has rows of {stream} that the store has not")


def is_beginning(rows: Sequence[object], more_rows: Sequence[object]) -> bool:
    """Whether rows are the first of more rows."""
    return [*rows] == [*more_rows[: len(rows)]]
