"""If a foreign trigger swallows an insert, the store raises an error and records nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from event_store import StoreError
from tests.event_store.diary import note, open_diary

NOT_TAKEN = "the database did not store all that was written"


IN_A_FILE = {
    "one is ignored": "BEFORE INSERT ON stored_events WHEN NEW.originator_version = 1 BEGIN SELECT RAISE(IGNORE); END",
    "all are ignored": "BEFORE INSERT ON stored_events BEGIN SELECT RAISE(IGNORE); END",
    "deleted": "AFTER INSERT ON stored_events BEGIN DELETE FROM stored_events WHERE rowid = NEW.rowid; END",
    "altered": "AFTER INSERT ON stored_events WHEN NEW.originator_version = 0"
    " BEGIN UPDATE stored_events SET state = x'c1' WHERE rowid = NEW.rowid; END",
    "moved": "AFTER INSERT ON stored_events BEGIN UPDATE stored_events SET originator_id = 'b'; END",
}


@pytest.mark.parametrize("what", IN_A_FILE)
def test_in_a_file(tmp_path: Path, what: str) -> None:
    path = tmp_path / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        store.create()
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE TRIGGER swallow {IN_A_FILE[what]}")
        with pytest.raises(StoreError, match=NOT_TAKEN):
            note(store, "a", -1, "one")
        assert store.streams() == []


ON_A_SERVER = {
    "ignored": ("RETURN NULL", "TRIGGER swallow BEFORE INSERT", ""),
    "deleted": ("DELETE FROM {schema}.stored_events; RETURN NULL", "TRIGGER swallow AFTER INSERT", ""),
    "deleted at the end": (
        "DELETE FROM {schema}.stored_events; RETURN NULL",
        "CONSTRAINT TRIGGER swallow AFTER INSERT",
        "DEFERRABLE INITIALLY DEFERRED",
    ),
    "altered": ("NEW.state = NEW.state || NEW.state; RETURN NEW", "TRIGGER swallow BEFORE INSERT", ""),
}


@pytest.mark.parametrize("what", ON_A_SERVER)
def test_on_a_server(postgres_store: str, what: str) -> None:
    url, _, schema = postgres_store.partition("?schema=")
    do, when, how = ON_A_SERVER[what]
    with psycopg.connect(url) as server:
        server.execute(
            f"CREATE FUNCTION {schema}.swallow() RETURNS trigger LANGUAGE plpgsql AS"
            f" 'BEGIN {do.format(schema=schema)}; END';"
            f"CREATE {when} ON {schema}.stored_events {how} FOR EACH ROW EXECUTE FUNCTION {schema}.swallow()"
        )
    with open_diary(postgres_store) as store:
        with pytest.raises(StoreError, match=NOT_TAKEN):
            note(store, "a", -1, "one")
        assert store.streams() == []
