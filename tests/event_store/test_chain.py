"""Every bit counts: whichever one is flipped in whichever row, the verification finds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent

from event_store import AlteredError, DamagedError, EventStore, Forked, HeadMoved, Line
from event_store.chain import Row
from event_store.line_history import fork_event_at, load_line
from event_store.verification import verify_entries
from tests.event_store.diary import AT, commit, note, open_diary

STREAMS = ("line", "fork", "names")


def fill(store: EventStore) -> None:
    """A line of two commits and an undo, a fork of it with a commit of its own, and a stream of names."""
    first_entry = commit(store, "line", -1, b"", "set up", "begun")
    second_entry = commit(store, "line", first_entry.revision, first_entry.digest, "played")
    store.append("line", second_entry.revision, [HeadMoved(second_entry.digest, first_entry.digest)], by="ann", at=AT)
    fork_entry = store.append(
        "fork", -1, [fork_event_at(load_line(store.read, "line"), first_entry.digest)], by="ann", at=AT
    )
    commit(store, "fork", fork_entry.revision, first_entry.digest, "played otherwise")
    entry = note(store, "names", -1, "line")
    note(store, "names", entry.revision, "fork")


def verify_streams(store: EventStore, streams: tuple[str, ...] = STREAMS) -> None:
    """Raises when anything is wrong with any of the streams."""
    for stream in streams:
        for entry in verify_entries(store.read, Line(stream)):
            assert entry.events


StoredRow: TypeAlias = tuple[bytes, int, bytes, bytes]
"""A row as a disk keeps it: the name of its stream, its revision, its topic, its bytes."""

ReplaceRow: TypeAlias = Callable[[int, StoredRow], None]
"""Puts a row in the place of the one with that number. Raises `RefusedError` where a database keeps no such row."""


class RefusedError(Exception):
    """A row that a database doesn't take."""


def rows_with_one_flip(row: StoredRow) -> Iterator[StoredRow]:
    """The row with each of its bits flipped in turn."""
    stream, revision, topic, content = row
    yield from ((flipped_stream, revision, topic, content) for flipped_stream in flip_each_bit(stream))
    yield from ((stream, revision ^ 1 << bit, topic, content) for bit in range(32))
    yield from ((stream, revision, flipped_topic, content) for flipped_topic in flip_each_bit(topic))
    yield from ((stream, revision, topic, flipped_content) for flipped_content in flip_each_bit(content))


def flip_each_bit(content: bytes) -> Iterator[bytes]:
    for bit_index in range(len(content) * 8):
        byte, bit = divmod(bit_index, 8)
        yield content[:byte] + bytes([content[byte] ^ 1 << bit]) + content[byte + 1 :]


def check_every_flip_is_found(store: EventStore, replace_row: ReplaceRow) -> None:
    recorder: Any = store._backend.recorder
    flip_count = 0
    for row in recorder.select_notifications(1, 100):
        original_row = (row.originator_id.encode(), row.originator_version, row.topic.encode(), row.state)
        for flipped_row in rows_with_one_flip(original_row):
            with suppress(RefusedError):
                replace_row(row.id, flipped_row)
                with pytest.raises(DamagedError):
                    verify_streams(store, (row.originator_id,))
                flip_count += 1
        replace_row(row.id, original_row)
    assert flip_count > 10_000
    verify_streams(store)


def test_every_flipped_bit_is_found_in_memory() -> None:
    store = open_diary("memory:")
    fill(store)
    recorder: Any = store._backend.recorder
    stored_events: list[StoredEvent] = recorder._stored_events

    def replace_row(number: int, row: StoredRow) -> None:
        stream, topic = (text.decode(errors="surrogateescape") for text in (row[0], row[2]))
        if any((event.originator_id, event.originator_version) == (stream, row[1]) for event in other_events(number)):
            raise RefusedError
        stored_events[number - 1] = StoredEvent(stream, row[1], topic, row[3])
        index_by_stream = recorder._stored_events_index
        index_by_stream.clear()
        for row_index, event in sorted(enumerate(stored_events), key=lambda pair: pair[1].originator_version):
            index_by_stream[event.originator_id][event.originator_version] = row_index

    def other_events(number: int) -> list[StoredEvent]:
        return stored_events[: number - 1] + stored_events[number:]

    check_every_flip_is_found(store, replace_row)


def test_every_flipped_bit_is_found_in_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        fill(store)
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")  # there is much to alter, and nothing to lose

        def replace_row(number: int, row: StoredRow) -> None:
            columns = "originator_id = CAST(? AS TEXT), originator_version = ?, topic = CAST(? AS TEXT), state = ?"
            try:
                database.execute(f"UPDATE stored_events SET {columns} WHERE rowid = ?", (*row, number))
            except sqlite3.IntegrityError as error:  # there is such a row already
                raise RefusedError from error

        check_every_flip_is_found(store, replace_row)
        database.close()


def test_every_flipped_bit_is_found_in_postgresql(postgres_store: str) -> None:
    url, _, schema = postgres_store.partition("?schema=")
    with open_diary(postgres_store) as store, psycopg.connect(url, autocommit=True) as database:
        fill(store)
        database.execute("SET synchronous_commit = off")

        def replace_row(number: int, row: StoredRow) -> None:
            columns = "originator_id = convert_from(%s, 'UTF8'), originator_version = %s"
            columns += ", topic = convert_from(%s, 'UTF8'), state = %s"
            try:
                database.execute(
                    f"UPDATE {schema}.stored_events SET {columns} WHERE notification_id = %s", (*row, number)
                )
            except (psycopg.IntegrityError, psycopg.DataError) as error:  # there is such a row, or this is no text
                raise RefusedError from error

        check_every_flip_is_found(store, replace_row)


def read_line_of_rows(rows: list[Row]) -> Line:
    """The line as it would be read if its stream had these rows; they get numbers without gaps."""
    store = open_diary("memory:")
    store._backend.insert_rows([("line", revision, *row[1:]) for revision, row in enumerate(rows)])
    line = Line("line")
    for entry in verify_entries(store.read, line):
        assert entry
    return line


def rows_of_line() -> list[Row]:
    store = open_diary("memory:")
    fill(store)
    return list(store._backend.rows("line", -1, None))


def test_unaltered_rows_are_found_genuine() -> None:
    assert len(read_line_of_rows(rows_of_line()).commits) == 2


@pytest.mark.parametrize("cut_rows", [slice(0, 3), slice(3, 5)])
def test_an_entry_that_was_cut_out_is_found(cut_rows: slice) -> None:
    rows = rows_of_line()
    del rows[cut_rows]
    with pytest.raises(AlteredError, match="it does not follow the entry before it"):
        read_line_of_rows(rows)


def test_two_events_that_changed_places_are_found() -> None:
    rows = rows_of_line()
    rows[0], rows[1] = rows[1], rows[0]
    with pytest.raises(AlteredError, match="its digest does not match its bytes"):
        read_line_of_rows(rows)


def test_entries_that_changed_places_are_found() -> None:
    rows = rows_of_line()
    with pytest.raises(AlteredError, match="it does not follow the entry before it"):
        read_line_of_rows(rows[3:5] + rows[:3] + rows[5:])


def test_a_line_that_was_forked_from_itself_is_damage() -> None:
    store = open_diary("memory:")
    store.append("a", -1, [Forked("b", 1, b"commit")], by="ann", at=AT)
    store.append("b", -1, [Forked("a", 1, b"commit")], by="ann", at=AT)
    with pytest.raises(DamagedError, match="forked from itself"):
        load_line(store.read, "a")
