"""If a foreign trigger swallows an insert, the store raises an error and records nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from event_store import StoreError
from tests.event_store.diary import note, open_diary

NOT_STORED = "the database did not store all that was written"


SQLITE_TRIGGERS = {
    "one is ignored": "BEFORE INSERT ON stored_events WHEN NEW.originator_version = 1 BEGIN SELECT RAISE(IGNORE); END",
    "all are ignored": "BEFORE INSERT ON stored_events BEGIN SELECT RAISE(IGNORE); END",
    "deleted": "AFTER INSERT ON stored_events BEGIN DELETE FROM stored_events WHERE rowid = NEW.rowid; END",
    "altered": "AFTER INSERT ON stored_events WHEN NEW.originator_version = 0"
    " BEGIN UPDATE stored_events SET state = x'c1' WHERE rowid = NEW.rowid; END",
    "moved": "AFTER INSERT ON stored_events BEGIN UPDATE stored_events SET originator_id = 'b'; END",
}


@pytest.mark.parametrize("effect", SQLITE_TRIGGERS)
def test_an_insert_swallowed_by_a_sqlite_trigger_is_an_error(tmp_path: Path, effect: str) -> None:
    path = tmp_path / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        store.create()
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE TRIGGER swallow {SQLITE_TRIGGERS[effect]}")
        with pytest.raises(StoreError, match=NOT_STORED):
            note(store, "a", -1, "one")
        assert store.streams() == []


POSTGRES_TRIGGERS = {
    "ignored": ("RETURN NULL", "TRIGGER swallow BEFORE INSERT", ""),
    "deleted": ("DELETE FROM {schema}.stored_events; RETURN NULL", "TRIGGER swallow AFTER INSERT", ""),
    "deleted at the end": (
        "DELETE FROM {schema}.stored_events; RETURN NULL",
        "CONSTRAINT TRIGGER swallow AFTER INSERT",
        "DEFERRABLE INITIALLY DEFERRED",
    ),
    "altered": ("NEW.state = NEW.state || NEW.state; RETURN NEW", "TRIGGER swallow BEFORE INSERT", ""),
}


@pytest.mark.parametrize("effect", POSTGRES_TRIGGERS)
def test_an_insert_swallowed_by_a_postgresql_trigger_is_an_error(postgres_store: str, effect: str) -> None:
    url, _, schema = postgres_store.partition("?schema=")
    body, event, deferral = POSTGRES_TRIGGERS[effect]
    with psycopg.connect(url) as connection:
        connection.execute(
            f"CREATE FUNCTION {schema}.swallow() RETURNS trigger LANGUAGE plpgsql AS"
            f" 'BEGIN {body.format(schema=schema)}; END';"
            f"CREATE {event} ON {schema}.stored_events {deferral} FOR EACH ROW EXECUTE FUNCTION {schema}.swallow()"
        )
    with open_diary(postgres_store) as store:
        with pytest.raises(StoreError, match=NOT_STORED):
            note(store, "a", -1, "one")
        assert store.streams() == []
