"""Attacks salvage: streams of a store are damaged, and everything else must be in the new store as it was.

A salvage that is killed on its way must be seen as such, and the next one must finish it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from itertools import product
from pathlib import Path
from random import Random

from event_store import EventStore
from scripts.attacks.attack_target import GAME_NAMES, Breach, ReportOutcome, Target, open_store_file
from tests.service.forged_files import flip_bit
from zimcore.service import GameService
from zimcore.service.care import maintenance
from zimcore.service.records.discussion import public_stream
from zimcore.service.records.names import CATALOGUE

Rows = dict[str, list[tuple[int, str, bytes]]]


def damage_and_salvage(target: Target, tries: int, report: ReportOutcome) -> None:
    """Damages up to two streams of a copy, and compares what a salvage of it has with what is intact."""
    rng, whole_file = Random(15), target.new_folder("to-salvage") / "games.db"
    whole_file.write_bytes(target.copy().read_bytes())
    with open_store_file(whole_file, "") as service:
        for number, game in product(range(3), GAME_NAMES):
            service.say(game, f"remark {number}", by=("ben", "ann")[number % 2])
        streams_by_game = {game: service.stream_of(game) for game in GAME_NAMES}
    rows_before = read_rows(whole_file)
    chats = [public_stream(stream) for stream in streams_by_game.values()]
    for number in range(tries):
        damaged_streams = rng.sample(chats if number % 3 == 0 else sorted(rows_before), (number + 1) % 3)
        path, new_file = target.copy(whole_file.read_bytes()), target.new_folder("salvage") / "saved.db"
        for stream in damaged_streams:
            damage_row(path, stream, rng)
        with open_store_file(path) as service:
            saved = maintenance.save_intact_streams(service.store, f"sqlite:///{new_file}")
        check_streams(rows_before, read_rows(new_file), damaged_streams)
        if missing_streams := rows_before.keys() - {*saved.streams, *saved.lost}:
            raise Breach(f"of {missing_streams} salvage says neither that they are saved nor that they are lost")
        with open_store_file(whole_file) as old_service, open_store_file(new_file) as new_service:
            for game, stream in streams_by_game.items():
                if not {stream, CATALOGUE} & {*damaged_streams}:  # else it may have another name
                    check_talk(old_service, new_service, game, public_stream(stream) in damaged_streams)
        report("all that is intact is there")


def check_streams(rows_before: Rows, rows_after: Rows, damaged_streams: Collection[str]) -> None:
    """Raises `Breach` unless each intact stream is there as it was."""
    for stream in rows_before.keys() - depending_streams(rows_before, damaged_streams):
        if rows_after.get(stream, [])[: len(rows_before[stream])] != rows_before[stream]:
            raise Breach(f"{stream} was intact, and is not in the new store as it was")


def check_talk(old_service: GameService, new_service: GameService, game: str, is_damaged: bool) -> None:
    """Raises `Breach` unless the remarks about a game are there; of a damaged chat all but one."""
    old_texts, new_texts = (
        [remark.text for remark in service.talk(game, by="eve")] for service in (old_service, new_service)
    )
    is_saved = (
        {*new_texts} <= {*old_texts} and len(new_texts) == len(old_texts) - 1 if is_damaged else new_texts == old_texts
    )
    if not is_saved:
        raise Breach(f"of the remarks {old_texts} about {game} there are {new_texts}")


def read_rows(file: Path) -> Rows:
    """The rows of a store by stream."""
    rows: Rows = {}
    with EventStore.open(f"sqlite:///{file}?mode=ro") as store:
        for stream, row in store.rows():
            rows.setdefault(stream, []).append(row)
    return rows


def damage_row(path: Path, stream: str, rng: Random) -> None:
    """Flips a bit of one row of a stream."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        selection = "SELECT rowid, state FROM stored_events WHERE originator_id = ?"
        row_id, content = rng.choice(connection.execute(selection, (stream,)).fetchall())
        connection.execute("UPDATE stored_events SET state = ? WHERE rowid = ?", (flip_bit(content, rng), row_id))


def depending_streams(rows: Rows, damaged_streams: Collection[str]) -> set[str]:
    """Damaged streams, and the forks that continue from them."""
    forks = {
        stream
        for stream, stream_rows in rows.items()
        for damaged_stream in damaged_streams
        if stream_rows[0][1] == "store.forked.1" and damaged_stream.encode() in stream_rows[0][2]
    }
    return {*damaged_streams, *forks}
