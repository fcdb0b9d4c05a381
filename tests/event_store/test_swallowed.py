"""A trigger of somebody's that swallows what is inserted: it is told, and nothing is taken for stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from event_store import StoreError
from tests.event_store.diary import note, open_diary

NOT_TAKEN = "the database has not taken all that was written"


@pytest.mark.parametrize("when", ["NEW.originator_version = 1", "1"])
def test_in_a_file(tmp_path: Path, when: str) -> None:
    path = tmp_path / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        store.create()
        with closing(sqlite3.connect(path)) as database:
            do = f"BEFORE INSERT ON stored_events WHEN {when} BEGIN SELECT RAISE(IGNORE); END"
            database.execute(f"CREATE TRIGGER swallow {do}")
        with pytest.raises(StoreError, match=NOT_TAKEN):
            note(store, "a", -1, "one")
        assert store.streams() == []


def test_on_a_server(postgres_store: str) -> None:
    url, _, schema = postgres_store.partition("?schema=")
    with psycopg.connect(url) as server:
        server.execute(
            f"CREATE FUNCTION {schema}.swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
            f"CREATE TRIGGER swallow BEFORE INSERT ON {schema}.stored_events FOR EACH ROW"
            f" EXECUTE FUNCTION {schema}.swallow()"
        )
    with open_diary(postgres_store) as store:
        with pytest.raises(StoreError, match=NOT_TAKEN):
            note(store, "a", -1, "one")
        assert store.streams() == []
