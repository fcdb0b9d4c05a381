"""With a foreign trigger in the database the store records nothing: SQLite's never runs, PostgreSQL's is noticed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from event_store import StoreError
from event_store.backends.sqlite import SQLiteRecorder
from tests.event_store.diary import note, open_diary

NOT_STORED = "the database did not store all that was written"


HAS_TRIGGER = "the file has a trigger, 'swallow', that would run with each write"


SQLITE_TRIGGERS = {
    "another table": "AFTER INSERT ON stored_events BEGIN INSERT INTO notes VALUES (NEW.state); END",
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
            database.execute("CREATE TABLE notes (note)")
            database.execute(f"CREATE TRIGGER swallow {SQLITE_TRIGGERS[effect]}")
        with pytest.raises(StoreError, match=HAS_TRIGGER) as error:
            note(store, "a", -1, "one")
        assert error.value.hints[-1].startswith("copy the games to a new store: zim --store sqlite:///")
        assert store.streams() == []
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT * FROM notes").fetchall() == []


@pytest.mark.parametrize("effect", [each for each in SQLITE_TRIGGERS if each != "another table"])
def test_an_insert_that_a_trigger_made_meanwhile_swallows_is_an_error(
    tmp_path: Path, effect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.zim"
    monkeypatch.setattr(SQLiteRecorder, "_check_no_trigger", lambda self: None)
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
