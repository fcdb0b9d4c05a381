"""One damaged game never hides another: every row of a small store is damaged in turn, in several ways."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from event_store.projections import StoredProjection
from tests.service.nim_service import play, service_on
from zimcore.server.people import accounts
from zimcore.service import DamagedError, GameService
from zimcore.service.care import maintenance
from zimcore.service.records.names import CATALOGUE

DAMAGES = {
    "no message pack": "state = {blob}",
    "another game's bytes": "state = (SELECT state FROM stored_events WHERE originator_version = 1 LIMIT 1)",
    "no such topic": "topic = 'nim.unheard_of.1'",
    "a seal": "topic = 'store.sealed.2'",
    "another place": "originator_version = originator_version + 1000",
    "another stream": "originator_id = 'games-and-more'",
    "an own stream": "originator_id = 'a'",
}
"""What is set in one row. The row may also be deleted."""
GAME_NAMES = ("g0", "g1", "g2")


def begin_three_games(url: str) -> tuple[GameService, dict[str, str], list[str]]:
    """A service with three games; the game of each stream, and of each row of the catalogue."""
    service = service_on(url)
    for name in GAME_NAMES:
        service.new("nim", {"seed": "7"}, name=name, by="ann")
        play(service, "take 1", place=name)
        service.fork(f"{name}@0", "what-if", by="ann")
        service.undo(f"{name}/main", by="ann")
    games_by_stream = {service._repository.names(name).stream: name for name in GAME_NAMES}
    games_by_stream |= {
        stream: name for name in GAME_NAMES for stream in service._repository.names(name).lines.values()
    }
    return service, games_by_stream, [name for name in GAME_NAMES for _ in range(2)]


def check_other_games(url: str, damaged_game: str, damage: str) -> None:
    """Asserts that all games but `damaged_game` are listed as before and can be played on."""
    service = service_on(url, id_prefix="later")
    other_games = [name for name in GAME_NAMES if name != damaged_game]
    with service.store:
        infos_by_game = {info.name: info for info in service.games()}
        assert [name for name in infos_by_game if name != damaged_game] == other_games, damage
        assert all(
            (infos_by_game[name].status, infos_by_game[name].lines) == ("round 1 · Ann to act", 2)
            for name in other_games
        ), damage
        assert damaged_game in infos_by_game or len(service.damaged_names()) >= 1, damage
        for name in other_games:
            assert len(service.lines(name)) == 2, damage
            play(service, "take 2", place=f"{name}/main")
            assert service.resolve("@0", f"{name}/main") == f"{name}/main@0"
        assert {f"{audit.game}/{audit.line}" for audit in service.verify_all() if not audit.fault} >= {
            f"{name}/{line}" for name in other_games for line in ("main", "what-if")
        }, damage
        assert service.check(), damage


@pytest.mark.parametrize("damage", [*DAMAGES, "deleted"])
def test_a_damaged_row_of_a_file_hides_no_other_game(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "games.zim"
    service, games_by_stream, game_of_catalogue_row = begin_three_games(f"sqlite:///{path}")
    service.store.close()
    intact_bytes = path.read_bytes()
    for stream, revision in row_keys(path):
        path.write_bytes(intact_bytes)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            assignment = DAMAGES.get(damage, "").format(blob="x'c1'")
            statement = f"UPDATE stored_events SET {assignment}" if assignment else "DELETE FROM stored_events"
            database.execute(f"{statement} WHERE originator_id = ? AND originator_version = ?", (stream, revision))
        if path.read_bytes() != intact_bytes:
            damaged_game = game_of_catalogue_row[revision] if stream == CATALOGUE else games_by_stream[stream]
            check_other_games(f"sqlite:///{path}", damaged_game, f"{stream} {revision}")
        for file in tmp_path.iterdir():
            file.unlink()


def row_keys(path: Path) -> Iterator[tuple[str, int]]:
    with closing(sqlite3.connect(path)) as database:
        return iter(database.execute("SELECT originator_id, originator_version FROM stored_events").fetchall())


def test_a_damaged_row_of_the_catalogue_on_a_server_hides_no_other_game(postgres_store: str) -> None:
    service, _, game_of_catalogue_row = begin_three_games(postgres_store)
    service.store.close()
    url, _, schema = postgres_store.partition("?schema=")
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(f"SET search_path TO {schema}")
        for revision, damaged_game in enumerate(game_of_catalogue_row):
            condition = f"WHERE originator_id = 'games' AND originator_version = {revision}"
            database.execute(f"CREATE TEMP TABLE kept AS SELECT * FROM stored_events {condition}")
            database.execute(f"UPDATE stored_events SET state = '\\xc1' {condition}")
            check_other_games(postgres_store, damaged_game, f"{revision}")
            database.execute(f"DELETE FROM stored_events {condition}")
            database.execute("INSERT INTO stored_events SELECT * FROM kept; DROP TABLE kept")
            for name in GAME_NAMES:
                if name != damaged_game:
                    service_on(postgres_store, id_prefix=f"back{revision}").undo(f"{name}/main", by="ann")


@pytest.mark.parametrize("revision", range(6))
def test_every_intact_game_is_saved_with_a_name(tmp_path: Path, revision: int) -> None:
    """Also where the catalogue is damaged; the game whose own name is lost gets another one."""
    path, new_url = tmp_path / "games.zim", f"sqlite:///{tmp_path}/new.zim"
    service, _, game_of_catalogue_row = begin_three_games(f"sqlite:///{path}")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        condition = "WHERE originator_id = 'games' AND originator_version = ?"
        database.execute(f"UPDATE stored_events SET state = x'c1' {condition}", (revision,))
    assert maintenance.save_intact_streams(service.store, new_url).lost == (CATALOGUE,)
    saved_service = service_on(new_url)
    other_games = [name for name in GAME_NAMES if name != game_of_catalogue_row[revision]]
    assert {info.name: info.lines for info in saved_service.games()} == {**dict.fromkeys(other_games, 2), "saved-1": 2}
    assert not any(audit.fault for audit in saved_service.verify_all())
    assert not saved_service.check()


def test_a_game_with_a_damaged_name_keeps_its_other_lines(tmp_path: Path) -> None:
    path, new_url = tmp_path / "games.zim", f"sqlite:///{tmp_path}/new.zim"
    service, _, _ = begin_three_games(f"sqlite:///{path}")
    names_stream = service._repository.names("g1").stream
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        condition = "WHERE originator_id = ? AND originator_version = 3"
        database.execute(f"UPDATE stored_events SET state = x'c1' {condition}", (names_stream,))
    assert maintenance.save_intact_streams(service.store, new_url).lost == (names_stream,)
    saved_service = service_on(new_url)
    assert [info.name for info in saved_service.games()] == [*GAME_NAMES]
    assert [line.name for line in saved_service.lines("g1")] == ["main"]
    play(saved_service, "take 1", place="g1/main")
    assert not saved_service.check()


def test_an_emptied_list_of_games_is_no_empty_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    with begin_three_games(url)[0].store:
        pass
    with closing(sqlite3.connect(tmp_path / "games.db")) as database, database:
        database.execute("DELETE FROM stored_events WHERE originator_id = ?", (CATALOGUE,))
        database.execute("DELETE FROM projections")
    service = service_on(url, id_prefix="later")
    with service.store:
        assert list(service.games()) == []
        assert service.damaged_names() == ["the list of games is missing: 9 streams are there"]
        with pytest.raises(DamagedError, match="the list of games is missing"):
            service.position("g0")
        with pytest.raises(DamagedError, match="the list of games is missing"):
            service.new("nim", {"seed": "7"}, name="g0", by="ann")
        with pytest.raises(DamagedError, match="the list of games is missing"):
            service.verify("g0")
        faults = [audit.fault.what for audit in service.verify_all() if audit.fault]
        assert faults[0] == "the list of games is missing: 9 streams are there"
        assert faults[1:] == ["the list of games has no game of these lines"] * 3
        assert CATALOGUE in {fault.stream for fault in service.check()}


def test_a_game_that_is_missing_in_the_list_is_noticed_by_its_lines(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    with begin_three_games(url)[0].store:
        pass
    with closing(sqlite3.connect(tmp_path / "games.db")) as database, database:
        last_version = "(SELECT max(originator_version) - 1 FROM stored_events WHERE originator_id = 'games')"
        database.execute(
            f"DELETE FROM stored_events WHERE originator_id = 'games' AND originator_version >= {last_version}"
        )
        database.execute("DELETE FROM projections")
    service = service_on(url, id_prefix="later")
    with service.store:
        faults = [audit.fault.what for audit in service.verify_all() if audit.fault]
        assert faults == ["the list of games has no game of these lines"]


def test_a_store_that_has_only_accounts_has_an_empty_list(tmp_path: Path) -> None:
    service = service_on(f"sqlite:///{tmp_path / 'games.db'}")
    with service.store:
        accounts.create_token(service, "ann")
        assert list(service.games()) == []
        assert service.damaged_names() == []


def test_a_new_game_is_stored_in_one_insert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_on(f"sqlite:///{tmp_path / 'games.db'}")
    with service.store:
        stored_streams = list[list[str]]()
        insert = service.store._backend.insert_rows

        def note_and_insert(
            rows: Sequence[tuple[str, *tuple[object, ...]]], projections: Sequence[StoredProjection]
        ) -> bool:
            stored_streams.append(sorted({row[0] for row in rows}))
            return insert(rows, projections)  # type: ignore[arg-type]

        monkeypatch.setattr(service.store._backend, "insert_rows", note_and_insert)
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        names = service._repository.names("nim")
        assert stored_streams == [sorted([CATALOGUE, names.stream, *names.lines.values()])]
