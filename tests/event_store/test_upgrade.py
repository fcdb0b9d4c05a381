"""A database from before salts still works, with and without `create` (`zim db init`)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import psycopg
import pytest

from event_store.export import ExportEntry, export_lines, import_lines
from tests.event_store.diary import note, open_diary
from tests.event_store.test_chain import verify_streams

UNSALTED_EXPORT = Path(__file__).with_name("unsalted.jsonl").read_bytes().splitlines(keepends=True)
CREATE_TABLES = """
CREATE SCHEMA {schema};
CREATE TABLE {schema}.stored_events (
    originator_id text NOT NULL, originator_version bigint NOT NULL, topic text, state bytea,
    notification_id bigserial, PRIMARY KEY (originator_id, originator_version));
CREATE UNIQUE INDEX stored_events_notification_id_idx ON {schema}.stored_events (notification_id ASC);
"""
"""Tables as an earlier release made them, whose writers took turns by a lock."""
INSERT_ROW = (
    "INSERT INTO {schema}.stored_events (originator_id, originator_version, topic, state) VALUES (%s, %s, %s, %s)"
)


@pytest.fixture
def old_database(postgres_schema: str) -> str:
    """A database of that time, with a line, a fork of it and names."""
    url, _, schema = postgres_schema.partition("?schema=")
    with psycopg.connect(url) as connection:
        connection.execute(CREATE_TABLES.format(schema=schema))
        for line in UNSALTED_EXPORT[1:-1]:
            entry = msgspec.json.decode(line, type=ExportEntry)
            for revision, row in enumerate(entry.rows, entry.first_revision):
                connection.execute(INSERT_ROW.format(schema=schema), (entry.stream, revision, *row))
    return postgres_schema


@pytest.mark.parametrize("create_count", [0, 1, 2])
def test_an_unsalted_database_is_read_and_written(old_database: str, create_count: int) -> None:
    with open_diary(old_database) as store, open_diary("memory:") as copy:
        for _ in range(create_count):
            store.create()
        assert sorted(export_lines(store))[1:] == sorted(UNSALTED_EXPORT)[1:]
        last_entry = [*store.read("names")][-1]
        note(store, "names", last_entry.revision, "written today")
        verify_streams(store)
        assert import_lines(copy, export_lines(store)) == 8
